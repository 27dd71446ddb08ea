"""FID: the content of a message comes back exactly as it went in, whatever it looks like."""

from collections.abc import Mapping

from goldfish.catalogue.registry import check
from goldfish.catalogue.support.comparison import expect_kept_or_refused, label_findings
from goldfish.findings.comparison import quote
from goldfish.harness.memory import Memory, contents_of

SCRIPTS = {
    "accents": "na\u00efve caf\u00e9 \u00df \u0130\u0131 \ufb01",
    "decomposed accents": "cafe\u0301 A\u030a n\u0303",
    "an emoji of four bytes": "\U0001f420 and text after it",
    "an emoji family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "a flag and a skin tone": "\U0001f1f3\U0001f1f4 \U0001f44d\U0001f3fe \u2764\ufe0f",
    "Chinese, Japanese, Korean": "记忆 キンギョ 금붕어",
    "rare ideographs": "\U00020bb7\u91ce\u5bb6 \U0002f81a",
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u200f\u0645\u0631\u062d\u0628\u0627\u200e!",
    "stacked marks": "Z\u0351\u036b\u0343\u0364a\u0334\u0321l\u0321\u0315",
    "Indic and Thai": "\u0915\u094d\u0937\u093f \u0e19\u0e49\u0e33",
    "mathematics": "\U0001d4d0 \u2260 \u00bd \u2462 \u212b \u2126",
    "private use and the last plane": "\ue000 \U0010fffd",
    "typographic signs": "\u201cyes\u201d \u2014 it\u2019s 5\u202f\u20ac\u2026",
}


async def expect_texts_kept(memory: Memory, texts: Mapping[str, str]) -> None:
    """Raise unless each text comes back, alone in a session of its own."""
    for variant, text in texts.items():
        session = memory.session()
        with label_findings(variant):
            await memory.client.add(session, [memory.message(text)])
            await memory.client.expect(session, [text])


async def expect_texts_kept_or_refused(memory: Memory, texts: Mapping[str, str]) -> None:
    """Raise unless each text comes back, or is refused and leaves nothing behind."""
    for variant, text in texts.items():
        with label_findings(variant):
            await expect_kept_or_refused(memory, memory.message(text))


@check(
    "FID01",
    "Text in any script, with any emoji, comes back character for character.",
    incident="MySQL's utf8 stores at most three bytes per character; php-telegram-bot issue 62: a "
    "message was stored only up to its first emoji.",
    suite="smoke",
)
async def text_in_any_script_comes_back_unchanged(memory: Memory) -> None:
    await expect_texts_kept(memory, {name: memory.text(text) for name, text in SCRIPTS.items()})


@check(
    "FID02",
    "Spaces, tabs and line ends come back unchanged, also at the edges of a text.",
    incident="mastra issue 15880: filterMessagesForPersistence trimmed every text part before "
    "saving it, so streamed words came back glued together.",
    suite="smoke",
)
async def white_space_is_part_of_the_text(memory: Memory) -> None:
    tag = memory.text
    await expect_texts_kept(
        memory,
        {
            "a leading blank": f"  {tag()}",
            "a trailing blank": f"{tag()}  ",
            "a trailing line end": f"{tag()}\n\n",
            "a leading line end": f"\n{tag()}",
            "several blanks in a row": tag("a  b   c"),
            "tabs": f"\t{tag()}\tx\t",
            "Windows line ends": tag("a\r\nb\r\n"),
            "a bare carriage return": tag("a\rb"),
            "mixed line ends": tag("a\nb\r\nc\n\nd"),
            "an indented block": tag("def f():\n    return 1\n\n"),
            "a non-breaking blank": "\u00a0" + tag("a\u00a0b\u00a0"),
            "a wide blank": f"\u3000{tag()}\u2003",
            "a byte order mark": "\ufeff" + tag("a\u200bb"),
            "separators of lines": tag("a\u2028b\u2029c\u0085d"),
            "only blanks": "   ",
            "only a line end": "\n",
        },
    )


@check(
    "FID03",
    "Text that looks like JSON, a number, a date or null comes back as that text.",
    incident="SQLite documents that a column of NUMERIC affinity turns the text '007' into 7, and "
    "YAML 1.1 that a bare no is false; lmnr pull request 659 parses message texts that are JSON.",
)
async def text_that_looks_like_data_stays_text(memory: Memory) -> None:
    looks = [
        '{"role": "system", "content": "hi"}', '{"b": 1, "a": 2.0}', "[]", "{}", "[1, 2]", '"text"',
        "null", "None", "true", "False", "yes", "no", "NaN", "undefined", "0", "42", "007", "-1",
        "1.0", "1e5", "0x1F", "1_000", "12345678901234567890", "2026-03-01", "2026-03-01T12:00:00Z",
        "12:30", "key: value\n- item", "- a\n- b", "a,b,c\n1,2,3", 'say "hi", she said', "a;b|c\td",
        "(1, 2)", "b'bytes'", "#comment", "=1+1", "SGVsbG8=", "data: {}\n\n",
    ]  # fmt: skip
    await expect_texts_kept(memory, {f"the text {quote(text)}": text for text in looks})


@check(
    "FID04",
    "Quotes, markup, placeholders and escapes in a text come back untouched.",
    incident="tangerine-backend issue 166: JSON in an old message was taken for the variables of a "
    "prompt template; PHP's magic_quotes_gpc, removed in 5.4, put a backslash before every "
    "quote.",
)
async def text_that_looks_like_code_is_left_alone(memory: Memory) -> None:
    words = [
        "'; DROP TABLE messages; --", "it's", "O''Brien", '" OR "1"="1', "a -- b /* c */", "100%",
        "50% of %s and %(name)s and %d", "{x} and {0} and {}", "{{x}} and {% if y %}", "${x} $1 $$",
        "#{x} <%= y %> @{z}", "a:b :name ?1 ?", "<b>bold</b> <br/> <script>alert(1)</script>",
        "<working_memory>x</working_memory>", "&amp; &lt;b&gt; &#39; &nbsp;", "a < b && c > d",
        r"C:\new\table \u0041 \x41 \0 \\", r"\n is no line end", "a%20b+c%2Fd?x=1&y=2", "~/a/../b",
        "*bold* _it_ `code` [link](http://x.y)", "```python\nprint('hi')\n```", "KEYS * ? [a-z]",
        "\\", "'", '"', "`", "%", "ann@example.org +1 555 0100", "sk-live-4eC39HqLyjWD",
    ]  # fmt: skip
    await expect_texts_kept(
        memory, {f"the text {quote(text)}": memory.text(text) for text in words}
    )


EDGES = (255, 256, 1_000, 1_024, 4_000, 4_096, 8_192, 16_384, 32_768, 65_535, 65_536, 100_000)


@check(
    "FID05",
    "A text of up to a megabyte comes back whole; a longer one comes back whole or is refused.",
    incident="Flowise issue 2159: MySQL's TEXT holds 65,535 bytes, and longer data was cut there "
    "without an error; openclaw issue 26644 cuts what it reads at 12,000 characters.",
)
async def a_long_text_comes_back_whole(memory: Memory) -> None:
    long = {f"{size:,} characters": make_long_text(memory, size + 1) for size in EDGES}
    long["70,000 characters of four bytes"] = memory.text("\U0001f420" * 70_000)
    long["a megabyte"] = make_long_text(memory, 1_100_000)
    await expect_texts_kept(memory, long)
    await expect_texts_kept_or_refused(
        memory, {"five megabytes": make_long_text(memory, 5_300_000)}
    )


def make_long_text(memory: Memory, size: int) -> str:
    """Return a text of that length in which every part differs from its neighbours."""
    tag = memory.text("")
    return (tag + " ".join(map(str, range(size // 5))))[:size].ljust(size, ".")


@check(
    "FID06",
    "NUL, control characters and lone surrogates are kept exactly or refused.",
    incident="langgraph-checkpoint 4.3.1 silently replaces a lone surrogate with '?'; PostgreSQL "
    "rejects U+0000, and deepeval pull request 2036 strips it from what it saves.",
)
async def strange_characters_are_kept_or_refused(memory: Memory) -> None:
    tag = memory.text
    controls = "".join(map(chr, [*range(1, 9), 11, 12, *range(14, 32), 127]))
    await expect_texts_kept_or_refused(
        memory,
        {
            "a NUL in the middle": tag("a\x00b"),
            "a NUL at the end": f"{tag()}\x00",
            "a high surrogate alone": tag("a\ud83db"),
            "a low surrogate alone": tag("a\udc20b"),
            "surrogates the wrong way round": tag("\udc20\ud83d"),
            "control characters": tag(controls),
            "a coloured terminal line": tag("\x1b[31mred\x1b[0m"),
            "vertical tab, form feed": tag("a\x0bb\x0cc"),
            "file and record separators": tag("a\x1cb\x1dc\x1ed"),
            "C1 controls": tag("a\x80b\x9fc"),
            "non-characters": tag("\ufffe \uffff \U0001ffff"),
            "the replacement character": tag("\ufffd"),
        },
    )


@check(
    "FID07",
    "A message without text, such as an assistant's that only calls tools, keeps its place.",
    incident="open-chat-studio pull request 4106 and astron-agent pull request 1541: turns with "
    "empty text were written, then dropped or replaced when the history was read.",
)
async def an_empty_text_is_a_message_too(memory: Memory) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "now", "arguments": "{}"}}
    batch = [memory.message(), memory.message("", role="assistant", tool_calls=[call])]
    session = memory.session()
    await memory.client.add(session, [*batch, end := memory.message()])
    await memory.client.expect(session, contents_of([*batch, end]))
    await expect_texts_kept_or_refused(memory, {"an empty text of a user": ""})


@check(
    "FID08",
    "Content made of parts (text, images, results) comes back part by part or is refused.",
    incident="hermes-agent pull request 19609: a memory plugin failed on list content, and the "
    "agent now flattens the parts to text before any memory sees them.",
)
async def content_in_parts_comes_back_in_parts(memory: Memory) -> None:
    image = {
        "type": "image_url",
        "image_url": {"url": "data:image/png;base64,iVBORw0=", "detail": "low"},
    }
    text = {"type": "text", "text": memory.text(" two  blanks ")}
    contents = {
        "one text part": [text],
        "text and image": [{"type": "text", "text": memory.text()}, image],
        "image first": [image, {"type": "text", "text": memory.text()}],
        "two text parts": [text, {"type": "text", "text": memory.text("more")}],
        "an unknown part": [
            {"type": "audio", "text": memory.text(), "seconds": 1.5, "cache": None}
        ],
        "a nested result": [{"type": "tool_result", "content": [text, {"ok": True, "rows": []}]}],
        "a part without text": [image],
    }
    for variant, content in contents.items():
        with label_findings(variant):
            await expect_kept_or_refused(memory, memory.message(content))

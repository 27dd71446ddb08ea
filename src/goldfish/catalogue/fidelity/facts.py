"""FID: a fact comes back with its text and metadata unchanged, and no caller can edit it."""

import copy
import time
from typing import Any

from goldfish.catalogue.fidelity.editing import edit_inside
from goldfish.catalogue.registry import check, method, trait
from goldfish.catalogue.support.comparison import is_plain_form
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_facts,
    fetch_texts,
    find_fact,
    find_id,
    offer,
    read_metadata,
)
from goldfish.catalogue.support.sizes import BUDGET
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory

TEXTS = [
    'It\'s 100% "fine"; DROP TABLE facts; --',
    "First line\nsecond line\twith a tab",
    "  spaces around  and   within ",
    "Zoe\N{COMBINING DIAERESIS} and Zo\N{LATIN SMALL LETTER E WITH DIAERESIS}",
    "数学とコーヒーが好き",
    "يفضل الشاي على القهوة",
    "Party on Friday 🎉👩\N{ZERO WIDTH JOINER}💻",
    "<b>bold</b> &amp; {curly} ${HOME} %s {0}",
    '{"json": [1, 2.50, null]}',
    "null",
    "0012",
]
LONG_TEXT = "x" * 5_000
ODD_TEXTS = [
    "NUL \x00 inside",
    "a lone \ud800 surrogate",
    "\N{RIGHT-TO-LEFT OVERRIDE}txet",
    "\x1b[31m",
]
FLAT: dict[str, Any] = {
    "text": "plain é 🎉",
    "yes": True,
    "no": False,
    "integer": 7,
    "big": 2**60 + 1,
    "float": 2.5,
    "negative": -0.125,
    "with space": 1,
}
NESTED: dict[str, Any] = {  # which a store of flat metadata may refuse
    "none": None,
    "list": [1, "two", None, [3.5]],
    "deep": {"er": {"est": ["end"]}},
    "empty": {},
    "": "no name",
}
# Characters, within and beyond common pages and buffers.
LARGE = [(4_200, 8_000), (16_400, 20_000), (65_600, 100_000)]
Metadata = method("remember", "metadata")


@check(
    "FID32",
    "Facts with quotes, line breaks, accents, other scripts or code in them come back unchanged.",
    incident="langgraph-checkpoint 4.3.1 replaced a lone surrogate with '?', and SQLite documents "
    "that functions which take text for a C string cut it at NUL.",
    about="facts",
    needs=[trait("verbatim_facts")],
)
async def a_fact_says_exactly_what_was_told(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    await facts.tell(user, *TEXTS)
    if memory.target.holds("large_contents"):
        await facts.tell(user, LONG_TEXT)
    for text in ODD_TEXTS:
        if await offer(memory.client, user, text) is None:
            facts.note(user, text)
    await facts.expect(user)


@check(
    "FID33",
    "The metadata of a fact comes back equal in value and type; nested metadata may be refused.",
    incident="deepsense-ai/ragbits pull request 184: nested metadata was flattened for Chroma and "
    "lists were turned into text, from which they could not be restored.",
    about="facts",
    needs=[Metadata, trait("fact_metadata")],
)
async def metadata_come_back_as_they_were_told(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    for key, value in FLAT.items():
        await client.call("remember", user, f"Has the field {key!r}", metadata={key: value})
    kept = dict(FLAT)
    for key, value in NESTED.items():
        if await offer(client, user, f"Has the field {key!r}", metadata={key: value}) is None:
            kept[key] = value
    await client.call("remember", user, "Has all fields", metadata=dict(kept))
    for key, value in kept.items():
        await expect_metadata(client, user, f"Has the field {key!r}", {key: value})
    await expect_metadata(client, user, "Has all fields", kept)


@check(
    "FID34",
    "Editing metadata that was passed in or returned does not change the stored fact.",
    incident="langchain-ai/langgraph issue 8835: InMemoryStore returns live references, so "
    "editing a returned value rewrites the memory.",
    about="facts",
    needs=[Metadata, trait("fact_metadata")],
)
async def nobody_edits_a_fact_through_what_was_passed(memory: Memory) -> None:
    user, client, text = memory.session("ann"), memory.client, "Ann lives in Berlin"
    given: dict[str, Any] = {"deep": {"list": [1, 2]}, "heard in": "chat"}
    if await offer(client, user, "Does it take nested values?", metadata=given) is not None:
        del given["deep"]
    wanted = copy.deepcopy(given)
    answer = await client.call("remember", user, text, metadata=given)
    edit_inside(given)
    await expect_metadata(client, user, text, wanted)
    for item in ([] if answer is None else [answer]) + await fetch_facts(client, user, [text]):
        edit_inside(read_metadata(item))
    await expect_metadata(client, user, text, wanted)
    if client.has("get_fact"):
        name = await find_id(client, user, text)
        edit_inside(read_metadata(await client.call("get_fact", user, name)))
        await expect_metadata(client, user, text, wanted)


@check(
    "FID35",
    "Metadata that cannot be kept is refused and leaves no trace, or comes back equal.",
    incident="vectorize-io/hindsight issue 272: a memory that contained a datetime was not "
    'stored, and only a log said "Object of type datetime is not JSON serializable".',
    about="facts",
    needs=[Metadata, trait("fact_metadata")],
)
async def metadata_that_cannot_be_kept_are_refused_whole(memory: Memory) -> None:
    facts, client, user = ExpectedFacts(memory), memory.client, memory.session("ann")
    await facts.tell(user, "Ann lives in Berlin")
    odd: dict[str, Any] = {
        "a complex number": 1 + 2j,
        "a set": {1, 2},
        "bytes": b"\xff",
        "a function": len,
        "a key that is no text": {1: "one"},
        "a tuple": (1, 2),
        "a circle": make_circle(),
    }
    for what, value in odd.items():
        text = f"This fact has {what}"
        if await offer(client, user, text, metadata={"odd": value}) is None:
            facts.note(user, text)
            await expect_metadata(client, user, text, {"odd": value})
        elif text in await fetch_texts(client, user, [text]):
            raise Violation(f"torn: {quote(text)} was refused, but is there")
    await facts.expect(user)


@check(
    "FID36",
    "A fact of up to 100,000 characters comes back whole, or is refused.",
    incident="MySQL documents that a TEXT column holds 65,535 bytes and that, without strict mode, "
    "a longer text is cut with a warning alone.",
    about="facts",
)
async def a_large_fact_comes_back_whole(memory: Memory) -> None:
    facts, client, user = ExpectedFacts(memory), memory.client, memory.session("ann")
    await facts.tell(user, "Ann keeps a diary")
    pace = 0.0  # seconds per character: a store that embeds every word is asked for less
    for low, high in LARGE:
        size = memory.random.randint(low, high)
        if size * pace > BUDGET:
            return
        text, began = make_large_text(size), time.perf_counter()
        refusal = await offer(client, user, text)
        pace = (time.perf_counter() - began) / size
        if refusal is None:
            facts.note(user, text)
            found = await facts.fetch(user)
            if cut := [each for each in found if text != each and text.startswith(str(each)[:40])]:
                here = len(str(cut[0]))
                raise Violation(f"corrupted: of a fact of {size} characters, {here} came back")
            facts.compare(user, found)


def make_large_text(size: int) -> str:
    """Return a text of so many characters that begins unlike any other."""
    page = "".join(f"On page {number} of {size} it rains. " for number in range(size // 20))
    return page[: size - 1] + "."


async def expect_metadata(client: Client, user: str, text: str, wanted: dict[str, Any]) -> None:
    """Raise unless the fact has exactly this metadata, also by type, or its plain form."""
    found = read_metadata(await find_fact(client, user, text))
    if not is_alike(found, wanted) and not is_plain_form(wanted, found):
        raise Violation(f"corrupted: metadata {quote(wanted)} came back as {quote(found)}")


def is_alike(found: Any, wanted: Any) -> bool:
    """Return True if the values are equal and have the same types inside."""
    try:
        return bool(found == wanted) and repr(describe_types(found)) == repr(describe_types(wanted))
    except RecursionError:  # both hold themselves
        return True


def describe_types(value: Any) -> Any:
    """Return the types inside a value, sorted by key: True equals 1, but is another type."""
    if isinstance(value, dict):
        return {key: describe_types(value[key]) for key in sorted(value, key=str)}
    if isinstance(value, list):
        return [describe_types(each) for each in value]
    return type(value).__name__


def make_circle() -> list[Any]:
    """Return a list that holds itself."""
    circle: list[Any] = []
    circle.append(circle)
    return circle

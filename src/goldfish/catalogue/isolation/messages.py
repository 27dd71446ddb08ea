"""ISO: messages stay in their session, whatever the ids look like."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from goldfish.catalogue.registry import Reopening, TextIds, check, method
from goldfish.catalogue.support.lookalikes import (
    BY_CASE,
    BY_FORM,
    BY_SPACE,
    CONTAINED,
    ESCAPED,
    LIKE_ODD_CHARACTERS,
    NUMBERS,
    ODD_BY_FORM,
    ODD_BY_SPACE,
    ODD_CHARACTERS,
    ODD_NUMBERS,
    ODD_PATHS,
    OWN_NAMES,
    PATHS,
    PATTERNS,
    QUOTED,
    SAME_DIGEST,
    SEPARATED,
    WILDCARDS,
    WORDS,
)
from goldfish.catalogue.support.refusals import may_refuse_id
from goldfish.catalogue.support.together import finish_all
from goldfish.findings.comparison import expect_contents
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of


@check(
    "ISO01",
    "Two sessions that are written by turns each return their own messages and no others.",
    incident="embedchain, now mem0, mixed the chat histories of all sessions until each call "
    "named its session (mem0ai/mem0 pull request 1084).",
    suite="smoke",
    basic=True,
)
async def sessions_that_take_turns_never_share_a_message(memory: Memory) -> None:
    talk = Talk(memory)
    ann, bob = memory.session("ann"), memory.session("bob")
    for speaker in (ann, bob, bob, ann, ann, bob):
        await talk.say(speaker)
        await talk.expect(ann, bob)


@check(
    "ISO02",
    "Ids that are the beginning, the end or the middle of another id are different sessions.",
    incident="langgraph-checkpoint-sqlite 3.1.0: a search for user 'al' returned the facts of "
    "'alice'; 3.1.1 compares whole names.",
    needs=[TextIds],
)
async def ids_that_contain_each_other_stay_apart(memory: Memory) -> None:
    # 'user-1' + '12' must not be 'user-11' + '2'
    await expect_apart(memory, CONTAINED, turns=2, count=6)


@check(
    "ISO03",
    "Ids that differ only in case, in any script, are different sessions.",
    incident="sahasrahbot issue 53: users were looked up with a MySQL collation that ignores "
    "case, and the column had to become utf8mb4_bin; SQLite's LIKE ignores the case of ASCII, "
    "too.",
    needs=[TextIds],
)
async def ids_that_differ_by_case_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, BY_CASE)


@check(
    "ISO04",
    "Ids that differ only in white space are different sessions, or are refused.",
    incident="MySQL documents that its PAD SPACE collations ignore trailing spaces, so that 'ann' "
    "and 'ann ' are one key; layers that call strip() have the same effect.",
    needs=[TextIds],
)
async def ids_that_differ_by_spaces_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, BY_SPACE, odd=ODD_BY_SPACE)


@check(
    "ISO05",
    "Ids that look alike but are different Unicode text are different sessions.",
    incident="MySQL's utf8 holds three bytes per character, and its general_ci collations take "
    "'é' for 'e' and one emoji for another: the documented reason for utf8mb4 and binary "
    "collations.",
    needs=[TextIds],
)
async def ids_that_differ_by_unicode_form_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, BY_FORM, odd=ODD_BY_FORM)


@check(
    "ISO06",
    "Ids with the wildcards of LIKE, glob or regular expressions match only themselves.",
    incident="langgraph-checkpoint-sqlite 3.1.0 looked users up by LIKE: 'john_doe' was given the "
    "facts of 'john-doe'. Redis documents that KEYS and SCAN read * ? [ ] as a glob.",
    needs=[TextIds],
)
async def ids_are_never_taken_for_patterns(memory: Memory) -> None:
    talk = await expect_apart(memory, PATTERNS)
    await talk.expect(*WILDCARDS)


@check(
    "ISO07",
    "Ids with the separators of compound keys clash neither with each other nor with such keys.",
    incident="HKUDS/nanobot issue 4057: 'telegram:a_b' and 'telegram:a:b' were one session file, "
    "because unsafe characters became '_'.",
    needs=[TextIds],
)
async def ids_with_separators_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, SEPARATED)


@check(
    "ISO08",
    "Ids that look like paths or file names are plain names of different sessions.",
    incident="sipeed/picoclaw pull request 1330: the Slack thread id 'C01234/1234.56' became a "
    "missing directory, and no message could be added to it; langchain-core pull request 36891: "
    "'../..' and '/etc' led out of the folder of FileChatMessageHistory.",
    needs=[TextIds],
)
async def ids_with_path_characters_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, PATHS, odd=ODD_PATHS)


@check(
    "ISO09",
    "Ids with quotes, SQL, shell or template syntax are stored and found as they are.",
    incident="langgraph-checkpoint-sqlite up to 2.0.10 built SQL from the keys of a filter "
    '(CVE-2025-8709); the same habit makes an id like "o\'brien" an error.',
    needs=[TextIds],
)
async def ids_with_quotes_and_code_are_only_names(memory: Memory) -> None:
    await expect_apart(memory, QUOTED)


@check(
    "ISO10",
    "An id and its percent, HTML, backslash or base64 form are different sessions.",
    incident="Python documents that unquote_plus() turns both '+' and '%20' into a space; a store "
    "that decodes ids once too often gives 'a+b', 'a%20b' and 'a b' one history.",
    needs=[TextIds],
)
async def ids_that_are_escapes_of_each_other_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, ESCAPED)


@check(
    "ISO11",
    "Ids that a parser reads as the same number, date or UUID are different sessions.",
    incident="SQLite documents that a column of NUMERIC or INTEGER affinity turns the texts '01', "
    "' 1' and '1.0' into the integer 1: three users, one history.",
    needs=[TextIds],
)
async def ids_that_are_equal_as_numbers_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, NUMBERS, odd=ODD_NUMBERS)


@check(
    "ISO12",
    "Ids such as 'null', 'None', 'true', 'default' or 'messages' are sessions like any other.",
    incident="dtzp555-max/ocp pull request 86: all callers who sent the id 'default' shared one "
    "conversation; YAML 1.1 reads yes, on and true as one value.",
    needs=[TextIds],
)
async def ids_that_are_words_of_a_parser_stay_apart(memory: Memory) -> None:
    await expect_apart(memory, WORDS + OWN_NAMES, odd=[""])


@check(
    "ISO13",
    "Long ids that differ in one character are different sessions, or are refused.",
    incident="google-gemini/gemini-cli pull request 28653: files named by the first eight "
    "characters of the session id made one conversation delete another (issue 27368).",
    needs=[TextIds],
)
async def long_ids_are_told_apart_or_refused(memory: Memory) -> None:
    beside = [4, 8, 16, 31, 32, 64, 100, 127, 255, 511, 1023, 2047]
    pairs = {length: [f"{'x' * length}{each}{'x' * length}" for each in "12"] for length in beside}
    short = [name for length in beside if length < 32 for name in pairs[length]]
    long = [name for length in beside if length >= 32 for name in pairs[length]]
    await expect_apart(memory, short, odd=long)


@check(
    "ISO14",
    "Ids that are empty or hold NUL, control characters or surrogates are exact or refused.",
    incident="C strings end at NUL, so a layer in C reads 'a\\0b' as 'a'; langgraph-checkpoint "
    "4.3.1 replaced a lone surrogate by '?', which is another valid name.",
    needs=[TextIds],
)
async def odd_ids_are_told_apart_or_refused(memory: Memory) -> None:
    await expect_apart(memory, LIKE_ODD_CHARACTERS, odd=ODD_CHARACTERS)


@check(
    "ISO15",
    "Hundreds of sessions keep their messages, and none returns a message of another.",
    incident="philoserf/claude-code-config issue 259: session ids were cut to four hex digits, so "
    "two of three hundred sessions are likely to share one.",
    basic=True,
)
async def hundreds_of_sessions_stay_apart(memory: Memory) -> None:
    names = [f"user-{number}" for number in range(130)]
    names += [f"{memory.random.getrandbits(128):032x}" for _ in range(130)]
    await expect_apart(memory, names)


@check(
    "ISO16",
    "Ids that share a checksum or the beginning of a digest are different sessions.",
    incident="KanishJebaMathewM/Truxify issue 8237: rows were found by eight hex digits of a key, "
    "so one account could be given what belonged to another.",
    needs=[TextIds],
)
async def ids_with_the_same_short_digest_stay_apart(memory: Memory) -> None:
    await expect_apart(
        memory, dict.fromkeys(name for pair in SAME_DIGEST.values() for name in pair)
    )


@check(
    "ISO17",
    "A session that was never written to is empty, and reading it does not create it.",
    incident="Python documents that a defaultdict inserts a key that is only looked up, and that a "
    "mutable default is shared by all calls: a read creates a session, and two empty "
    "sessions are one list.",
)
async def an_unknown_session_is_empty(memory: Memory) -> None:
    talk, client = Talk(memory), memory.client
    hints = ("unknown", "edited", "other", "ann")
    unknown, edited, other, ann = (memory.session(hint) for hint in hints)
    await talk.expect(unknown)
    await talk.say(ann)
    given = await client.call("get_history", edited)
    if isinstance(given, list):
        # If all sessions shared one empty list, it would now be full; FID25 is about the rest.
        given.append(memory.message())
    await talk.expect(unknown, other, ann)
    if unknown in await _list_sessions(memory):
        raise Violation(f"phantom: {unknown!r} was only read, but is now listed as a session")
    await talk.say(unknown)
    await talk.expect(unknown, other, ann)


@check(
    "ISO18",
    "Equal messages that several sessions were given are kept in each of them.",
    incident="microsoft/agent-framework issue 4682: messages were identified by a hash of role and "
    "content, so the second 'yes' was dropped.",
)
async def equal_messages_belong_to_each_session_that_said_them(memory: Memory) -> None:
    sessions = [memory.session() for _ in range(3)]
    batch = memory.messages(2)
    for session in sessions:
        again = [memory.message(each.content, created_at=each.created_at) for each in batch]
        await memory.client.add(session, again)
    for session in sessions:
        await memory.client.expect(session, contents_of(batch))


@check(
    "ISO19",
    "A message id that another session already has is new here: both messages are kept.",
    incident="vastsa/PI-Desktop pull request 560: ids like 'call_421522' were unique in the whole "
    "table; when a second session had the same one, its later turns were never stored.",
)
async def a_message_id_belongs_to_one_session_only(memory: Memory) -> None:
    talk = Talk(memory)
    ann, bob = memory.session("ann"), memory.session("bob")
    await talk.say(ann, bob, id="call_1")
    for sign in (":", "-", "_", "/", "|", ".", "#", "::", ""):
        await talk.say(f"{ann}{sign}b", id="c")
        await talk.say(ann, id=f"b{sign}c")
    await talk.expect(*talk.said)


@check(
    "ISO20",
    "Batches that one client adds to several sessions at once each reach their own session.",
    incident="mem0ai/mem0 issue 4359: all agents that ran at once shared one variable for the "
    "current session, so memories were written to, and recalled from, another agent's session.",
    basic=True,
)
async def sessions_that_write_at_once_stay_apart(memory: Memory) -> None:
    talk, sessions = Talk(memory), [memory.session() for _ in range(8)]
    await talk.say(memory.session("first"))  # CON08 is about first writes at once
    await finish_all(*(talk.say(session, count=3) for session in sessions))
    histories = await finish_all(*(talk.read(session) for session in sessions))
    for session, found in zip(sessions, histories, strict=True):
        talk.blame(session, found)
    await talk.expect(*sessions)


@check(
    "ISO21",
    "Reading the last messages of a session never returns a message of another.",
    incident="AgentiveAU/MyAgentive issue 123: the limited read was a query of its own, in two "
    "places, and wrong in both; a second query can forget any condition, even the session.",
    needs=[method("get_history", "last")],
    basic=True,
)
async def the_newest_messages_are_those_of_the_session_that_asks(memory: Memory) -> None:
    talk, client = Talk(memory), memory.client
    ann, bob, unknown = (memory.session(hint) for hint in ("ann", "bob", "unknown"))
    await talk.say(ann, bob, ann, bob, bob)
    for session in (ann, bob, unknown):
        for last in (1, 2, 100):
            talk.blame(session, await client.contents(session, last=last))


@check(
    "ISO22",
    "Sessions that were kept apart in writing are still apart after reopening.",
    incident="xDarkicex/openclaw-memory-libravdb issue 310: 'session/a' and 'session_a' shared one "
    "file, so loading one could return the other.",
    needs=[Reopening],
)
async def sessions_stay_apart_after_reopening(memory: Memory) -> None:
    talk = Talk(memory)
    names = [*CONTAINED, *BY_CASE, *BY_SPACE, *BY_FORM[:4], *SEPARATED, *PATHS, *NUMBERS[:9]]
    await talk.say(*dict.fromkeys(names))
    client = await memory.reopen()
    for name in talk.said:
        talk.blame(name, await client.contents(name))


class Talk:
    """What was written to which session, by the newest client of a memory.

    A store may refuse messages for an odd id, if loudly.
    """

    def __init__(self, memory: Memory, odd: Iterable[str] = ()) -> None:
        self.memory = memory
        self.client = memory.client
        self.odd = set(odd)
        self.refused: set[str] = set()
        self.said: dict[str, list[Any]] = {}
        self.owner: dict[str, str] = {}

    async def say(self, *sessions: str, count: int = 1, **fields: Any) -> None:
        """Add that many messages to each session, one session after the other."""
        for session in sessions:
            if session in self.refused:
                continue
            batch = self.memory.messages(count, **fields)
            self.owner |= {repr(each.content): session for each in batch}
            refusal = await self.client.offer(session, batch)
            if refusal is None:
                self.said.setdefault(session, []).extend(contents_of(batch))
            elif session in self.odd or may_refuse_id(self.memory, session, refusal):
                self.refused.add(session)
            else:
                raise Violation(f"refused: the session id {quote_id(session)}: {refusal}")

    async def expect(self, *sessions: str) -> None:
        """Raise if a session does not have exactly what was written to it, in order."""
        histories = {session: await self.read(session) for session in sessions}
        for session, found in histories.items():
            self.blame(session, found)  # first of all: what one has lost, another may have
        for session, found in histories.items():
            self.compare(session, found)

    async def read(self, session: str) -> list[Any]:
        """Return the contents of a session; one that refuses writes may refuse reads, too."""
        try:
            return await self.client.contents(session)
        except StoreError as error:
            is_rule = session in self.refused or may_refuse_id(self.memory, session, error)
            if is_rule and session not in self.said:
                return []
            raise Violation(f"refused: the session id {quote_id(session)}: {error}") from error

    def blame(self, session: str, found: Iterable[Any]) -> None:
        """Raise if one of these contents was written to another session."""
        for content in found:
            owner = self.owner.get(repr(content), session)
            if owner != session:
                raise Violation(
                    f"leaked: a message of session {quote_id(owner)} was returned by session "
                    f"{quote_id(session)}",
                    f"the message is {content!r}",
                )

    def compare(self, session: str, found: list[Any]) -> None:
        """Raise if these are not the contents of the session."""
        said = self.said.get(session, [])
        if session in self.refused and found and not said:
            raise Violation(
                f"torn: {quote_id(session)} refused a message, but a read returns {found[0]!r}"
            )
        try:
            expect_contents(said, found, session=session)
        except Violation as violation:
            if session in self.odd and violation.finding == "lost":
                raise Violation(f"swallowed: {violation.summary}", *violation.evidence) from None
            raise


async def expect_apart(
    memory: Memory,
    names: Iterable[str],
    *,
    odd: Iterable[str] = (),
    turns: int = 1,
    count: int = 1,
) -> Talk:
    """Write to all sessions by turns, then read each."""
    sessions, talk = [*names, *odd], Talk(memory, odd)
    for _ in range(turns):
        await talk.say(*sessions, count=count)
    await talk.expect(*sessions)
    return talk


async def _list_sessions(memory: Memory) -> list[Any]:
    """Return the sessions that the store lists, if it can."""
    if memory.client.has("list_sessions"):
        with suppress(StoreError, TypeError):  # CLR is about whether it lists them well
            return list(await memory.client.call("list_sessions"))
    return []


def quote_id(session: str) -> str:
    """Return an id as evidence: every character visible, the middle of a long one left out."""
    text = ascii(session)
    if len(text) <= 60:
        return text
    return f"{text[:24]}…{text[-12:]} ({len(session):,} characters)"

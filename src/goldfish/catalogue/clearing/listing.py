"""CLR: lists of sessions are exact."""

import time
from collections.abc import Iterable
from typing import Any

from goldfish.catalogue.registry import TextIds, check, method, spelled, trait
from goldfish.catalogue.support.neighbours import make_look_alikes, write_look_alikes
from goldfish.catalogue.support.sessions import list_sessions, write_session
from goldfish.catalogue.support.sizes import draw_calls
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory, contents_of

# Sessions of which a pattern finds others than a prefix does.
PREFIXED = [
    *("user_1", "userX1", "user-1", "USER_1", "100%a", "1000a", "a*b", "axb", "a?d", "abd"),
    *("a.e", "aXe", "[ab]c", "ac", "bc"),
]


def expect_listed(expected: Iterable[str], found: list[Any], gone: Iterable[str] = ()) -> None:
    """Raise unless the list has exactly these sessions, each once, in any order."""
    wanted = set(expected)
    evidence = f"listed {quote_list(found)}"
    strangers = [name for name in found if name not in wanted]
    missing = sorted(wanted.difference(found))
    if missing and len(missing) == len(strangers):
        raise Violation(
            f"corrupted: list_sessions has {quote(strangers[0])} instead of {quote(missing[0])}",
            evidence,
        )
    if missing:
        raise Violation(
            f"lost: {quote(missing[0])} has messages, but list_sessions does not return it "
            f"({len(missing)} of {len(wanted)} missing)",
            evidence,
        )
    if back := [name for name in strangers if name in set(gone)]:
        raise Violation(f"resurrected: {quote(back[0])} is empty, but still listed", evidence)
    if strangers:
        raise Violation(
            f"phantom: list_sessions returns {quote(strangers[0])}, which nobody wrote to", evidence
        )
    if len(found) > len(wanted):
        twice = next(name for name in found if found.count(name) > 1)
        raise Violation(
            f"duplicated: list_sessions returns {quote(twice)} more than once", evidence
        )


@check(
    "CLR17",
    "Every session that has messages is listed once, under exactly the id it was given.",
    incident="Redis documents that SCAN may return an element several times; Codex returned at "
    "most 100 threads, however many were asked for (paseo pull request 5074).",
    needs=[method("list_sessions")],
)
async def sessions_are_listed_once_each(memory: Memory) -> None:
    expect_listed([], await list_sessions(memory.client))
    await memory.client.contents(memory.session("only-read"))
    expect_listed([], await list_sessions(memory.client))
    base = memory.session("Listed")
    began = time.perf_counter()
    there = await write_look_alikes(memory, base)
    confused = set(make_look_alikes(base)) - set(there)
    pace = (time.perf_counter() - began) / len(make_look_alikes(base))
    for at in range(draw_calls(memory, 130, 1_100, pace=pace) - len(there)):
        session, batch = await write_session(memory, 2, f"number-{at}")
        there[session] = contents_of(batch)
    expect_listed(
        there, [name for name in await list_sessions(memory.client) if name not in confused]
    )


@check(
    "CLR18",
    "A cleared session is not listed until something is added to it.",
    incident="signalbox issue 78: clearing a session did not remove it from the list that users "
    "jump to sessions from.",
    needs=[method("list_sessions"), method("clear"), trait("unlisted_empties")],
)
async def cleared_sessions_are_not_listed(memory: Memory) -> None:
    sessions = [memory.session(f"number-{at}") for at in range(4)]
    for session in sessions:
        await memory.client.add(session, memory.messages(2))
    await memory.client.call("clear", memory.session("never-written"))
    for at, session in enumerate(sessions):
        expect_listed(sessions[at:], await list_sessions(memory.client), gone=sessions[:at])
        await memory.client.call("clear", session)
    expect_listed([], await list_sessions(memory.client), gone=sessions)
    await memory.client.add(sessions[1], memory.messages(1))
    expect_listed(sessions[1:2], await list_sessions(memory.client), gone=sessions)
    if memory.client.has("clear_all"):
        await memory.client.call("clear_all")
        expect_listed([], await list_sessions(memory.client), gone=sessions)


@check(
    "CLR19",
    "list_sessions(prefix=…) lists the sessions that begin with exactly this text, and no others.",
    incident="langgraph-checkpoint-sqlite 3.1.0 looked up names by LIKE: 'john_doe' also matched "
    "'john-doe', because _ stands for any character, and case was ignored.",
    needs=[TextIds, spelled("list_sessions", "prefix")],
)
async def a_prefix_is_compared_as_text(memory: Memory) -> None:
    tag, there = memory.session(), list[str]()
    for each in PREFIXED:
        if await memory.client.offer(f"{tag}{each}", memory.messages(1)) is None:
            there.append(f"{tag}{each}")
    if set(there) - set(await list_sessions(memory.client)):
        return  # CLR17 has more to say
    for beginning in ("", "user", "user_", "100%", "a*", "a?", "a.", "[ab]", "U", "no-such"):
        prefix = f"{tag}{beginning}"
        found = await list_sessions(memory.client, prefix=prefix)
        wanted = [name for name in there if name.startswith(prefix)]
        if strangers := [name for name in found if name not in wanted]:
            raise Violation(
                f"leaked: list_sessions(prefix={quote(prefix)}) returns {quote(strangers[0])}",
                f"listed {quote_list(found)}",
            )
        expect_listed(wanted, found)

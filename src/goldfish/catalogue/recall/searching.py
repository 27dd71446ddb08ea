"""REC: a search of what was said finds it, in the sessions that are named, while it is there."""

from typing import Any

from goldfish.catalogue.registry import check, method
from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field

Search = method("search_history")
LONG = (
    "On Tuesday the espresso machine in the kitchen began to leak, so a plumber was asked to come"
)


async def search(client: Client, sessions: list[str], query: str, **options: Any) -> list[Any]:
    """Return the contents of the messages that a search finds."""
    if client.has("search_history", "session_id"):
        found = [await client.call("search_history", each, query, **options) for each in sessions]
        items = [item for answer in found for item in answer]
    else:
        items = list(await client.call("search_history", sessions, query, **options))
    return contents_of([_unwrap(item) for item in items])


def _unwrap(item: Any) -> Any:
    """Return the message in an item: the item, or the message of a result or of a scored pair."""
    if isinstance(item, list | tuple) and item:
        item = item[0]
    inner = field(item, "message")
    return item if inner is MISSING else inner


@check(
    "REC60",
    "A search of one session finds its message, even if many others match the query better.",
    incident="TencentCloud/TencentDB-Agent-Memory pull request 613: the session was looked at "
    "after the nearest messages of all sessions had been chosen, three times the limit of them.",
    needs=[Search],
)
async def a_search_looks_only_where_it_is_told_to(memory: Memory) -> None:
    client, mine = memory.client, memory.session()
    own = memory.message(LONG)
    for number in range(30):
        if number == 15:
            await client.add(mine, [own])
        crowd = [memory.message(f"the espresso machine {number}.{place}") for place in range(4)]
        await client.add(memory.session(), crowd)
    found = await search(client, [mine], "the espresso machine")
    if LONG not in found:
        raise Violation(
            f"lost: a search of session {quote(mine)} does not find {quote(LONG)}",
            f"found {quote_list(found)}",
        )
    if len(found) > 1:
        raise Violation(
            f"leaked: session {quote(mine)} has one message, and a search of it finds "
            f"{quote_list(found)}"
        )


@check(
    "REC61",
    "What was cleared, deleted or trimmed is not found by a search any more.",
    incident="telegramdesktop/tdesktop issue 2098: a search still found what had been cleared; "
    "xmreur/prysm pull request 138: three ways to delete a message left it in the index.",
    needs=[Search],
)
async def what_is_gone_is_not_found(memory: Memory) -> None:
    client = memory.client
    deeds = ["clear"] if client.has("clear") else []
    if client.has("delete_messages") and "id" in memory.target.carries:
        deeds.append("delete_messages")
    if client.has("trim", "keep_last"):
        deeds.append("trim")
    if not deeds:
        raise UnsupportedError(Reason.stated("nothing can be removed from it"))
    for deed in deeds:
        session, batch = memory.session(), memory.messages(6)
        await client.add(session, batch)
        doomed, kept = contents_of(batch[:3]), contents_of(batch[3:])
        if deed == "clear":
            await client.call("clear", session)
            await client.add(session, batch := memory.messages(2))
            kept = contents_of(batch)
        elif deed == "trim":
            await client.call("trim", session, keep_last=3)
        else:
            await client.call("delete_messages", session, [each.id for each in batch[:3]])
        await client.expect(session, kept, gone=doomed)
        for query in (doomed[0], "hello"):
            for text in await search(client, [session], query):
                if text in doomed:
                    raise Violation(
                        f"resurrected: {quote(text)} was removed by {deed}, but a search finds it",
                        f"get_history returns {quote_list(kept)}",
                        f"search_history for {quote(query)} finds {quote(text)}",
                        session=session,
                        about=(text,),
                    )


@check(
    "REC62",
    "A search finds the messages of the sessions that are named, and no more than its limit.",
    incident="MemMachine/MemMachine issue 407: two memories of different sessions were both found "
    "by a search of one.",
    needs=[method("search_history", "limit")],
)
async def a_search_finds_what_was_said_there(memory: Memory) -> None:
    client, sessions = memory.client, [memory.session() for _ in range(3)]
    said = {each: [memory.text(f"saffron rice {place}") for place in range(4)] for each in sessions}
    for session, texts in said.items():
        await client.add(session, [memory.message(text) for text in texts])
    for session, texts in said.items():
        found = await search(client, [session], "saffron rice", limit=10)
        for other in sessions:
            if other != session and (strange := [each for each in found if each in said[other]]):
                raise Violation(
                    f"leaked: a search of session {quote(session)} finds {quote(strange[0])}, "
                    f"which was said in {quote(other)}"
                )
        if missing := [text for text in texts if text not in found]:
            raise Violation(
                f"lost: a search of session {quote(session)} does not find {quote(missing[0])}",
                f"found {quote_list(found)}",
            )
        if len(found := await search(client, [session], "saffron rice", limit=2)) > 2:
            raise Violation(f"wrong: limit=2 finds {len(found)} messages", quote_list(found))

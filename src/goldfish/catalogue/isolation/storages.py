"""ISO: storages of one process are apart, and no session id is one of the store's own names."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from goldfish.catalogue.registry import check
from goldfish.catalogue.support.comparison import label_findings
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.world.stored_names import find_stored_names

CROSSES = "state crosses sandboxes"
MOST = 24  # ids that are made of the store's names


@check(
    "ISO38",
    "Two storages that one process has open are apart, even if both have a session of one id.",
    incident="talmolab/sleap-nn issue 574: a dict was an attribute of the class, so all instances "
    "in a process shared it, and what one video was given showed up in another.",
)
async def storages_in_one_process_are_apart(memory: Memory) -> None:
    session, mine, theirs = memory.session(), memory.messages(3), memory.messages(2)
    here = memory.client
    await here.add(session, mine)
    async with memory.afresh() as other:
        there = await other.open()
        await _expect_own(there, session, [], mine)
        await there.add(session, theirs)
        await _expect_own(there, session, theirs, mine)
        await _expect_own(here, session, mine, theirs)
        if there.has("clear"):
            await there.call("clear", session)
            await _expect_own(here, session, mine, theirs)
    later = memory.messages(1)
    await here.add(session, later)
    await _expect_own(here, session, [*mine, *later], theirs)


async def _expect_own(
    client: Client, session: str, own: Sequence[Any], foreign: Sequence[Any]
) -> None:
    """Raise, as a leak, whatever another storage in this process has done to a session."""
    found = await client.contents(session)
    if found == contents_of(own):
        return
    if any(each in contents_of(foreign) for each in found):
        raise Violation(
            f"leaked: {CROSSES}: {quote(found[0])} was written to another storage, but session "
            f"{quote(session)} of this one returns it",
            f"expected {quote_list(contents_of(own))}",
            f"read back {quote_list(found)}",
            session=session,
        )
    with label_findings(CROSSES):
        expect_contents(contents_of(own), found, session=session)


@check(
    "ISO39",
    "Session ids that contain the store's own keys, as it really wrote them, clash with nothing.",
    incident="MitulShah1/openai-agents-go issue 115: keys are the prefix and the session id, which "
    "is not validated, so an id that a user chooses can be the key of something else.",
)
async def ids_made_of_the_stores_own_names_are_apart(memory: Memory) -> None:
    client, victim, batch = memory.client, memory.session("learnt"), memory.messages(2)
    await client.add(victim, batch)
    await _use_everything(client, victim)
    names = find_stored_names(memory.sandbox, memory.target.services)
    if not names:
        raise UnsupportedError(Reason.stated("it keeps nothing under names that can be seen"))
    for session in list(make_clashing_ids(victim, names))[:MOST]:
        with label_findings(f"session id {quote(session)}"):
            await _expect_no_clash(memory, victim, session, contents_of(batch))


async def _use_everything(client: Client, session: str) -> None:
    """Let the store make all the names that an ordinary session has."""
    calls: dict[str, tuple[Any, ...]] = {
        "set_ttl": (session, 3600),
        "save_snapshot": (session,),
        "set_state": (session, {"mood": "good"}),
    }
    for method, arguments in calls.items():
        if client.has(method):
            await client.call(method, *arguments)


def make_clashing_ids(session: str, names: Iterable[str]) -> Iterator[str]:
    """Yield ids whose names would be names that are taken, judged by those of a session.

    A name that contains the session's id is what comes before it, the id, and what comes after. An
    id that makes another name of the store, put into that place, clashes with it.
    """
    known, seen = list(names), {session}
    parts = [name.split(session, 1) for name in known if session in name]
    shapes = [(before, after) for before, after in parts]
    whole = (
        name[len(before) : len(name) - len(after)]
        for before, after in shapes
        for name in known
        if name.startswith(before) and name.endswith(after) and len(before) + len(after) < len(name)
    )
    around = (
        each
        for before, after in shapes
        for each in (session + after, before + session, before + session + after)
    )
    for each in (*whole, *around, *(name for name in known if session not in name)):
        if each not in seen and each.isprintable():
            seen.add(each)
            yield each


async def _expect_no_clash(memory: Memory, victim: str, session: str, given: Sequence[Any]) -> None:
    """Raise if a session with this id and the victim have anything to do with each other."""
    client, batch = memory.client, memory.messages(2)
    try:
        before = await client.contents(session)
        if before:
            await client.explain(session, [], before)
        refusal = await client.offer(session, batch)
    except StoreError as error:
        refusal = error
    if refusal is not None:
        stranger = session.replace(victim, memory.session("stranger"))
        if stranger == session or await client.offer(stranger, memory.messages(1)) is not None:
            return  # such ids are refused, whatever is there
        told = f"refused: {refusal}, because session {quote(victim)} is there"
        raise Violation(told) from refusal
    await client.expect(victim, given, foreign=contents_of(batch))
    await client.expect(session, contents_of(batch), foreign=given)
    if client.has("clear"):
        await client.call("clear", session)
        await client.expect(victim, given, foreign=contents_of(batch))

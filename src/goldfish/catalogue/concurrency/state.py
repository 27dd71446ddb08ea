"""CON, continued: values that are set at one moment do each other no harm, and are never torn."""

import asyncio
from itertools import cycle

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.freshness import require_several_writers
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, fetch, put
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory

NAMES = 8  # that each process sets
TOGETHER = [f"part {number}" for number in range(4)]


@check(
    "CON40",
    "Three processes that set names of their own in one session at once leave all of them there.",
    incident=(
        "omnigent-ai/omnigent issue 3402: the state of a session was read, changed and written "
        "back outside a transaction, and of two at once one was lost, without an error."
    ),
    about="state",
    needs=[OtherProcess],
)
async def processes_that_set_different_names_lose_none(memory: Memory) -> None:
    owner = Owner(memory.session())
    await _set_at_once(memory, [owner] * 3)


@check(
    "CON41",
    "Twelve names that one process sets in one session at the same moment are all there.",
    incident=(
        "openclaw/openclaw pull request 15882: what to write was worked out from a copy before the "
        "lock was taken, and the last of two agents overwrote the other."
    ),
    about="state",
)
async def names_that_one_process_sets_at_once_are_all_kept(memory: Memory) -> None:
    stated, owner = ExpectedState(memory), Owner(memory.session())
    texts = {f"name {number}": memory.text() for number in range(12)}
    pairs = zip(cycle(await memory.callers(4)), texts.items(), strict=False)
    await asyncio.gather(
        *(caller.call("set_state", owner.session, {name: text}) for caller, (name, text) in pairs)
    )
    stated.note(owner, texts)
    await stated.expect(owner)


@check(
    "CON42",
    "Three processes, each in a session of its own, that set names of one user lose none of them.",
    incident=(
        "google/adk-python pull request 6236: the values of a session were protected by a marker "
        "of that session, and each write was a union made in Python of what had been read."
    ),
    about="state",
    needs=[OtherProcess, *UserState],
)
async def sessions_of_one_user_at_once_lose_no_value(memory: Memory) -> None:
    ann = memory.session("ann")
    await _set_at_once(memory, [Owner(memory.session(), ann) for _ in range(3)])


@check(
    "CON43",
    "While a process sets several names with each call, no reader sees some of a call's values.",
    incident=(
        "multica-ai/multica pull request 7657: a row and the fields that belong to it were written "
        "one after the other without a transaction, and a whole map of values over another."
    ),
    about="state",
    needs=[OtherProcess],
)
async def values_that_are_set_together_are_seen_together(memory: Memory) -> None:
    require_several_writers(memory)
    owner, here, other = Owner(memory.session()), memory.client, await memory.elsewhere()
    await put(other, owner, dict.fromkeys(TOGETHER, "turn 0"))
    setting = asyncio.create_task(_set_together(other, owner))
    try:
        while not setting.done():
            await _expect_whole(here, owner)
            await asyncio.sleep(0)
    finally:
        await setting
    await _expect_whole(here, owner)


async def _set_at_once(memory: Memory, owners: list[Owner]) -> None:
    """Let as many processes set names of their own, and raise what is lost."""
    require_several_writers(memory)
    stated = ExpectedState(memory)
    clients = [await memory.elsewhere() for _ in owners]
    for owner, client in zip(owners, clients, strict=True):  # what is lazy is done in peace
        await stated.put(owner, {"begun": memory.text()}, client=client)

    async def work(place: int, owner: Owner, client: Client) -> None:
        for number in range(NAMES):
            await stated.put(owner, {f"{place} {number}": memory.text()}, client=client)

    await asyncio.gather(
        *(work(place, *each) for place, each in enumerate(zip(owners, clients, strict=True)))
    )
    for owner in owners:
        await stated.expect(owner)


async def _set_together(client: Client, owner: Owner) -> None:
    for turn in range(1, 20):
        await put(client, owner, dict.fromkeys(TOGETHER, f"turn {turn}"))


async def _expect_whole(client: Client, owner: Owner) -> None:
    found = await fetch(client, owner)
    seen = {str(found.get(name)) for name in TOGETHER}
    if len(seen) > 1:
        raise Violation(
            f"torn: of values that were set together, {owner} shows those of {len(seen)} calls",
            f"found {quote(found, 300)}",
        )

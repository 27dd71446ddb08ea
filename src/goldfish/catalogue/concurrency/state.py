"""CON: values that are set at the same time do not harm each other, and are never torn."""

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.openings import call_at_once, read_during, require_several_writers
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, fetch, put
from goldfish.catalogue.support.together import finish_all
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory

NAMES = 8  # for each process to set
TOGETHER = [f"part {number}" for number in range(4)]


@check(
    "CON40",
    "Names that three processes set in one session at once are all there.",
    incident="omnigent-ai/omnigent issue 3402: the state of a session was read, changed and "
    "written back outside a transaction; of two changes at once, one was lost without an error.",
    about="state",
    needs=[OtherProcess],
)
async def processes_that_set_different_names_lose_none(memory: Memory) -> None:
    owner = Owner(memory.session())
    await _set_at_once(memory, [owner] * 3)


@check(
    "CON41",
    "Twelve names that one process sets in one session at once are all there.",
    incident="openclaw/openclaw pull request 15882: the values to write were computed from a copy "
    "made before the lock was taken, and the last of two agents overwrote the other.",
    about="state",
)
async def names_that_one_process_sets_at_once_are_all_kept(memory: Memory) -> None:
    expected, owner = ExpectedState(memory), Owner(memory.session())
    texts = {f"name {number}": memory.text() for number in range(12)}
    calls = [("set_state", owner.session, {name: text}) for name, text in texts.items()]
    await call_at_once(memory, calls)
    expected.note(owner, texts)
    await expected.expect(owner)


@check(
    "CON42",
    "Names that three processes set for one user at once, each in its session, are all there.",
    incident="google/adk-python pull request 6236: a marker of each session protected its own "
    "values, but each write merged, in Python, what had been read of its user.",
    about="state",
    needs=[OtherProcess, *UserState],
)
async def sessions_of_one_user_at_once_lose_no_value(memory: Memory) -> None:
    ann = memory.session("ann")
    await _set_at_once(memory, [Owner(memory.session(), ann) for _ in range(3)])


@check(
    "CON43",
    "While one process sets several names by each call, no read returns a part of a call.",
    incident="multica-ai/multica pull request 7657: a row and its fields were written one after "
    "the other without a transaction, and one whole map of values over another.",
    about="state",
    needs=[OtherProcess],
)
async def values_that_are_set_together_are_seen_together(memory: Memory) -> None:
    require_several_writers(memory)
    owner, here, other = Owner(memory.session()), memory.client, await memory.elsewhere()
    await put(other, owner, dict.fromkeys(TOGETHER, "turn 0"))
    await read_during(_set_together(other, owner), lambda: _expect_whole(here, owner))
    await _expect_whole(here, owner)


async def _set_at_once(memory: Memory, owners: list[Owner]) -> None:
    """Let one process for each owner set names of its own; raise if one is lost."""
    require_several_writers(memory)
    expected = ExpectedState(memory)
    # One is of another program: what is forked from one hashes alike, as two replicas do not.
    clients = [await memory.anew(), *[await memory.elsewhere() for _ in owners[1:]]]
    for owner, client in zip(owners, clients, strict=True):  # so that lazy set-up is done
        await expected.put(owner, {"begun": memory.text()}, client=client)

    async def work(place: int, owner: Owner, client: Client) -> None:
        for number in range(NAMES):
            await expected.put(owner, {f"{place} {number}": memory.text()}, client=client)

    await finish_all(
        *(work(place, *each) for place, each in enumerate(zip(owners, clients, strict=True)))
    )
    for owner in owners:
        await expected.expect(owner)


async def _set_together(client: Client, owner: Owner) -> None:
    for turn in range(1, 20):
        await put(client, owner, dict.fromkeys(TOGETHER, f"turn {turn}"))


async def _expect_whole(client: Client, owner: Owner) -> None:
    found = await fetch(client, owner)
    seen = {str(found.get(name)) for name in TOGETHER}
    if len(seen) > 1:
        raise Violation(
            f"torn: values were set together, but {owner} has those of {len(seen)} calls",
            f"found {quote(found, 300)}",
        )

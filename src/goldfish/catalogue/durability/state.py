"""DUR, continued: a value that was set outlives its process, and every process sees it."""

from goldfish.catalogue.registry import OtherProcess, Reopening, Server, check
from goldfish.catalogue.support.freshness import choose_writers
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.catalogue.support.state import ExpectedState, Owner
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory


@check(
    "DUR40",
    "Values of sessions and users are there after the store is closed and opened again.",
    incident=(
        "google/adk-python issue 508: a tool put the id of a customer into the state, and it was "
        "not in the database."
    ),
    about="state",
    needs=[Reopening],
    suite="smoke",
)
async def values_survive_reopening(memory: Memory) -> None:
    stated = ExpectedState(memory)
    for turn in range(3):
        for owner in owners(memory, stated):
            await stated.put(owner, {"turn": f"number {turn}", f"name {turn}": memory.text()})
        await memory.reopen()
        await stated.expect(client=memory.client)


@check(
    "DUR41",
    "What one process sets, the next call of another that was open gives, and the other way round.",
    incident=(
        "BrainDAO/adk-ts issue 637: after an event had changed the state in the database, the "
        "session that was open still gave the values of before."
    ),
    about="state",
    needs=[OtherProcess],
    suite="smoke",
)
async def another_process_sees_a_value_at_once(memory: Memory) -> None:
    stated, here, other = ExpectedState(memory), memory.client, await memory.elsewhere()
    for turn in range(4):
        for owner in owners(memory, stated):
            for client in (here, other):  # so that what they keep in memory is from before
                await stated.expect(owner, client=client)
            values = {"turn": f"number {turn}", f"name {turn}": memory.text()}
            await stated.put(owner, values, client=choose_writers(memory, here, other)[turn % 2])
            for client in (here, other):
                await _expect_fresh(memory, stated, owner, client)


@check(
    "DUR42",
    "What a process set is there after kill -9, and more can be set.",
    incident=(
        "agno-agi/agno issue 7317: a session was kept in memory until its run was complete; what "
        "happened before that was in no database."
    ),
    about="state",
    needs=[OtherProcess],
)
async def values_survive_a_kill(memory: Memory) -> None:
    stated = ExpectedState(memory)
    await memory.close()  # so that one that allows one opening at a time can be asked, too
    for turn in range(2):
        victim = await memory.elsewhere()
        for owner in owners(memory, stated, victim):
            await stated.put(owner, {f"name {turn}": memory.text()}, client=victim)
        memory.kill(victim)
        client = await memory.open()
        await stated.expect(client=client)
        await client.close()


@check(
    "DUR43",
    "After kill -9 of the server and a restart on its data, all values are there.",
    incident=(
        "the Redis documentation on persistence: without an append-only file, what was written "
        "since the last snapshot is lost with the server."
    ),
    about="state",
    needs=[Server],
    own_servers=True,
)
async def a_killed_server_still_has_the_values(memory: Memory) -> None:
    stated = ExpectedState(memory)
    server = memory.sandbox.faults.server(memory.target.services[0])
    for turn in range(3):
        for owner in owners(memory, stated):
            await stated.put(owner, {f"name {turn}": memory.text()})
        with server.kill():
            pass
        client = await memory.open()
        with blame_forgetful_server(memory):
            await stated.expect(client=client)


def owners(memory: Memory, stated: ExpectedState, client: Client | None = None) -> list[Owner]:
    """A session and, if the store has values of users, a user: the same ones each time."""
    if not stated.values:
        session = memory.session()
        stated.note(Owner(session), {})
        asked = client or memory.client
        if all(asked.has(name, "user_id") for name in ("set_state", "get_state")):
            stated.note(Owner(session, memory.session("ann")), {})
    return list(stated.owners.values())


async def _expect_fresh(
    memory: Memory, stated: ExpectedState, owner: Owner, client: Client
) -> None:
    """Raise if the client does not give these values; as stale, if a new process does."""
    try:
        await stated.expect(owner, client=client)
    except Violation as violation:
        if violation.finding not in {"lost", "corrupted"}:
            raise
        newcomer = await memory.elsewhere()
        await stated.expect(owner, client=newcomer)
        raise Violation(
            f"stale: {violation.summary}; a new process finds it", *violation.evidence
        ) from violation

"""SNP: a rollback restores the values of its session, and those of nobody else."""

from goldfish.catalogue.registry import check, trait
from goldfish.catalogue.snapshots.sessions import REPEATING, RESTORING
from goldfish.catalogue.support.snapshots import roll_back, save
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, fetch
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory


@check(
    "SNP40",
    "A rollback restores the values of the session: it reverts changes and removes additions.",
    incident="google/adk-python issue 4839: rewinding a session set values to None that it had "
    "from the beginning.",
    about="state",
    needs=[*REPEATING, trait("snapshot_state")],
    suite="smoke",
)
async def rolling_back_restores_the_values(memory: Memory) -> None:
    state, client, owner = ExpectedState(memory), memory.client, Owner(memory.session())
    await _add_message(memory, owner)
    nothing = await save(client, owner.session)
    first = {"kept": memory.text(), "changed": {"a": memory.text()}, "none": None}
    await state.put(owner, first)
    await _add_message(memory, owner)
    saved = await save(client, owner.session)
    for _ in range(2):
        await state.put(owner, {"changed": memory.text(), "added": memory.text()})
        await roll_back(client, owner.session, saved)
        state.restore(owner, first)
        await state.expect(owner)
    await roll_back(client, owner.session, nothing)
    if left := await fetch(client, owner):
        raise Violation(
            f"stale: {owner} still has values that were set after the snapshot", str(left)
        )
    await roll_back(client, owner.session, saved)
    state.restore(owner, first)
    await state.expect(owner)


@check(
    "SNP41",
    "A rollback of one session changes no values of another session or of a user.",
    incident="google/adk-python issue 4933: rewinding one session reached for every value that it "
    "saw; those of the user and of the app had to be excluded by name.",
    about="state",
    needs=[*RESTORING, *UserState, trait("snapshot_state")],
)
async def rolling_back_leaves_the_values_of_others(memory: Memory) -> None:
    state, client, ann = ExpectedState(memory), memory.client, memory.session("ann")
    one, two = Owner(memory.session()), Owner(memory.session())
    user = Owner(one.session, ann)
    for owner in (one, two):
        await _add_message(memory, owner)
    for owner in (one, two, user):
        await state.put(owner, {"note": memory.text()})
    first = dict(state.values[one])
    saved = await save(client, one.session)
    for owner in (one, two, user):
        await state.put(owner, {"note": memory.text(), "later": memory.text()})
    await roll_back(client, one.session, saved)
    state.restore(one, first)
    await state.expect()


async def _add_message(memory: Memory, owner: Owner) -> None:
    """Add a message, because some stores save only sessions that have messages."""
    if memory.client.has("add_messages"):
        await memory.client.add(owner.session, memory.messages(1))

"""CLR and SNP, continued: what is removed or rolled back takes the right values with it."""

from goldfish.catalogue.registry import check, method
from goldfish.catalogue.support.neighbours import make_look_alikes
from goldfish.catalogue.support.snapshots import roll_back, save
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, fetch, offer
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Memory

Snapshots = (method("save_snapshot"), method("rollback_to_snapshot"))


@check(
    "CLR40",
    "Clearing a session removes no values of another session, however similar, or of a user.",
    incident=(
        "mem0ai/mem0 issue 3928: delete_all for one user reset the whole store, with everything "
        "known about the others."
    ),
    about="state",
    needs=[method("clear")],
    suite="smoke",
)
async def clearing_a_session_leaves_the_values_of_others(memory: Memory) -> None:
    stated, client, session = ExpectedState(memory), memory.client, memory.session()
    await _settle(stated, session)
    users = all(client.has(name, "user_id") for name in ("set_state", "get_state"))
    for user in (session, memory.session("ann")) if users else ():
        await stated.put(Owner(session, user), {"note": memory.text()})
    await stated.expect()
    for owner in [each for each in stated.values if each.user is None]:
        await client.call("clear", owner.session)
        stated.forget(owner)
        await stated.expect()


@check(
    "CLR41",
    "Trimming or deleting messages, down to the last one, removes no values.",
    incident=(
        "openclaw/openclaw issue 120663: when messages were compacted away, the summary kept "
        "beside them was replaced with an empty one, in 77 of 164 cases."
    ),
    about="state",
    needs=[method("add_messages"), method("get_history")],
)
async def removing_messages_leaves_the_values(memory: Memory) -> None:
    client = memory.client
    if not client.has("trim", "keep_last") and not client.has("delete_messages"):
        raise UnsupportedError(Reason.of(Why.LACKS_METHODS, "trim", "delete_messages"))
    stated, owner = ExpectedState(memory), Owner(memory.session())
    batch = memory.messages(4)
    await client.add(owner.session, batch)
    await stated.put(owner, {"note": memory.text(), "deep": {"a": [1]}})
    if client.has("delete_messages"):
        await client.call("delete_messages", owner.session, [batch[0].id])
        await stated.expect(owner)
    if client.has("trim", "keep_last"):
        for keep in (2, 0):
            await client.call("trim", owner.session, keep_last=keep)
            await stated.expect(owner)


@check(
    "SNP40",
    "A rollback restores the values of the session: it reverts changes and removes additions.",
    incident=(
        "google/adk-python issue 4839: rewinding a session set values to None that it had from the "
        "beginning."
    ),
    about="state",
    needs=Snapshots,
    suite="smoke",
)
async def rolling_back_restores_the_values(memory: Memory) -> None:
    stated, client, owner = ExpectedState(memory), memory.client, Owner(memory.session())
    await _say(memory, owner)
    nothing = await save(client, owner.session)
    first = {"kept": memory.text(), "changed": {"a": memory.text()}, "none": None}
    await stated.put(owner, first)
    await _say(memory, owner)
    saved = await save(client, owner.session)
    for _ in range(2):
        await stated.put(owner, {"changed": memory.text(), "added": memory.text()})
        await roll_back(client, owner.session, saved)
        stated.restore(owner, first)
        await stated.expect(owner)
    await roll_back(client, owner.session, nothing)
    if left := await fetch(client, owner):
        raise Violation(f"stale: {owner} has values from after the snapshot", str(left))
    await roll_back(client, owner.session, saved)
    stated.restore(owner, first)
    await stated.expect(owner)


@check(
    "SNP41",
    "A rollback of one session changes no values of another session or of a user.",
    incident=(
        "google/adk-python issue 4933: rewinding one session reached for every value that it saw; "
        "those of the user and of the app had to be excluded by name."
    ),
    about="state",
    needs=[*Snapshots, *UserState],
)
async def rolling_back_leaves_the_values_of_others(memory: Memory) -> None:
    stated, client, ann = ExpectedState(memory), memory.client, memory.session("ann")
    one, two = Owner(memory.session()), Owner(memory.session())
    user = Owner(one.session, ann)
    for owner in (one, two):
        await _say(memory, owner)
    for owner in (one, two, user):
        await stated.put(owner, {"note": memory.text()})
    first = dict(stated.values[one])
    saved = await save(client, one.session)
    for owner in (one, two, user):
        await stated.put(owner, {"note": memory.text(), "later": memory.text()})
    await roll_back(client, one.session, saved)
    stated.restore(one, first)
    await stated.expect()


async def _settle(stated: ExpectedState, session: str) -> None:
    """Set values in look-alikes of the session; those that the store confuses are left out."""
    client, memory = stated.memory.client, stated.memory
    for name in make_look_alikes(session):
        values = {"note": memory.text()}
        if await offer(client, Owner(name), values) is None:
            stated.note(Owner(name), values)
    for owner, values in list(stated.values.items()):
        if (await fetch(client, owner)).get("note") != values["note"]:
            stated.forget(owner)


async def _say(memory: Memory, owner: Owner) -> None:
    """Some save only what has messages."""
    if memory.client.has("add_messages"):
        await memory.client.add(owner.session, memory.messages(1))

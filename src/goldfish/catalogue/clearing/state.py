"""CLR: removing messages removes no values, neither of the session nor of others."""

from goldfish.catalogue.registry import check, method, trait
from goldfish.catalogue.support.neighbours import make_look_alikes
from goldfish.catalogue.support.state import ExpectedState, Owner, fetch, has_user_state, offer
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError
from goldfish.harness.memory import Memory


@check(
    "CLR40",
    "Clearing a session removes no values of another session, however similar, or of a user.",
    incident="mem0ai/mem0 issue 3928: delete_all for one user reset the whole store, with "
    "everything known about the others.",
    about="state",
    needs=[method("clear"), trait("cleared_state")],
    suite="smoke",
)
async def clearing_a_session_leaves_the_values_of_others(memory: Memory) -> None:
    state, client, session = ExpectedState(memory), memory.client, memory.session()
    await _set_look_alikes(state, session)
    for user in (session, memory.session("ann")) if has_user_state(client) else ():
        await state.put(Owner(session, user), {"note": memory.text()})
    await state.expect()
    for owner in [each for each in state.values if each.user is None]:
        await client.call("clear", owner.session)
        state.forget(owner)
        await state.expect()


@check(
    "CLR41",
    "Trimming or deleting messages, down to the last one, removes no values.",
    incident="openclaw/openclaw issue 120663: when messages were compacted away, the summary kept "
    "beside them was replaced with an empty one, in 77 of 164 cases.",
    about="state",
    needs=[method("add_messages"), method("get_history")],
)
async def removing_messages_leaves_the_values(memory: Memory) -> None:
    client = memory.client
    if not client.has("trim", "keep_last") and not client.has("delete_messages"):
        raise UnsupportedError(Reason.of(Why.LACKS_METHODS, "trim", "delete_messages"))
    state, owner = ExpectedState(memory), Owner(memory.session())
    batch = memory.messages(4)
    await client.add(owner.session, batch)
    await state.put(owner, {"note": memory.text(), "deep": {"a": [1]}})
    if client.has("delete_messages"):
        await client.call("delete_messages", owner.session, [batch[0].id])
        await state.expect(owner)
    if client.has("trim", "keep_last"):
        for keep in (2, 0):
            await client.call("trim", owner.session, keep_last=keep)
            await state.expect(owner)


async def _set_look_alikes(state: ExpectedState, session: str) -> None:
    """Set values in look-alikes of the session, except those that the store confuses."""
    client, memory = state.memory.client, state.memory
    for name in make_look_alikes(session):
        values = {"note": memory.text()}
        if await offer(client, Owner(name), values) is None:
            state.note(Owner(name), values)
    for owner, values in list(state.values.items()):
        if (await fetch(client, owner)).get("note") != values["note"]:
            state.forget(owner)

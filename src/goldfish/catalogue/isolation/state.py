"""ISO: named values stay with their session or user, whatever the ids look like."""

from collections.abc import Iterable
from functools import partial

from goldfish.catalogue.registry import TextIds, check, method
from goldfish.catalogue.support.lookalikes import BY_CASE, ODD_CHARACTERS, SEPARATED, USERS
from goldfish.catalogue.support.refusals import may_refuse_id
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, offer
from goldfish.harness.memory import Memory, contents_of

SESSIONS = dict.fromkeys([*USERS, *BY_CASE[:6], *SEPARATED[:12]])


@check(
    "ISO40",
    "Sessions whose ids are prefixes, patterns or odd text each have their own values.",
    incident="google/adk-python issue 3513: a session returned outputs that belonged to another "
    "session of the same user.",
    about="state",
    suite="smoke",
    needs=[TextIds],
)
async def sessions_whose_ids_look_alike_have_their_own_values(memory: Memory) -> None:
    await _expect_apart(memory, map(Owner, SESSIONS), map(Owner, ODD_CHARACTERS))


@check(
    "ISO41",
    "Users whose ids are prefixes, patterns or odd text each have their own values.",
    incident="agno-agi/agno pull request 4608: two users who sent the same session id shared their "
    "memories.",
    about="state",
    needs=[TextIds, *UserState],
    suite="smoke",
)
async def users_whose_ids_look_alike_have_their_own_values(memory: Memory) -> None:
    own = partial(Owner, memory.session())
    await _expect_apart(memory, map(own, USERS), map(own, ODD_CHARACTERS))


async def _expect_apart(memory: Memory, owners: Iterable[Owner], odd: Iterable[Owner]) -> None:
    """Set values of each owner, then get them; odd owners may be refused."""
    expected = ExpectedState(memory)
    for number, owner in enumerate(owners):
        values = {"note": memory.text(), f"only {number % 7}": "yes"}
        refusal = await offer(memory.client, owner, values)
        if refusal is None:
            expected.note(owner, values)
        elif not may_refuse_id(memory, owner.name, refusal):
            raise refusal
    for owner in odd:
        values = {"note": memory.text("odd")}
        if await offer(memory.client, owner, values) is None:
            expected.note(owner, values)
    await expected.expect()


@check(
    "ISO42",
    "A user's values are the same from every session, and apart from any session's values.",
    incident="google/adk-go issue 1344: a session kept the copy of its user's values that it had "
    "made when it was created, and returned it after others had changed them.",
    about="state",
    needs=UserState,
)
async def values_of_a_user_are_the_same_from_every_session(memory: Memory) -> None:
    expected, ann = ExpectedState(memory), memory.session("ann")
    one, two = memory.session("one"), memory.session("two")
    for turn, session in enumerate((one, two, one)):
        await expected.put(Owner(session), {"theme": memory.text("of a session")})
        await expected.put(
            Owner(session, ann), {"theme": memory.text("of a user"), f"n{turn}": "yes"}
        )
        for each in (one, two, memory.session("new")):
            await expected.expect(Owner(each, ann))
    await expected.put(Owner(ann), {"theme": memory.text("of a session that is called so")})
    await expected.expect(Owner(ann), Owner(one), Owner(two), Owner(one, ann), Owner(two, ann))


@check(
    "ISO43",
    "Setting values adds no message, and adding messages changes no value.",
    incident="google/adk-python pull request 6236: the only way to set a value was to append an "
    "event to the conversation.",
    about="state",
    needs=[method("add_messages"), method("get_history")],
)
async def values_are_no_messages(memory: Memory) -> None:
    expected, client, owner = ExpectedState(memory), memory.client, Owner(memory.session())
    said = list[object]()
    for turn in range(3):
        await expected.put(owner, {"turn": f"number {turn}", f"name {turn}": memory.text()})
        batch = memory.messages(2)
        await client.add(owner.session, batch)
        said += contents_of(batch)
        await expected.put(owner, {"last": memory.text()})
        if not memory.target.answers:
            await client.expect(owner.session, said)
        await expected.expect(owner)
    if client.has("get_history", "last") and not memory.target.answers:
        await client.expect(owner.session, said[-3:], last=3)

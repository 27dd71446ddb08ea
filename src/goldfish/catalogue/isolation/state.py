"""ISO, continued: the named values of one session or user are nobody else's."""

from goldfish.catalogue.isolation.facts import USERS
from goldfish.catalogue.registry import check, method
from goldfish.catalogue.support.lookalikes import BY_CASE, ODD_CHARACTERS, SEPARATED
from goldfish.catalogue.support.state import ExpectedState, Owner, UserState, offer
from goldfish.harness.memory import Memory, contents_of

SESSIONS = [*USERS, *BY_CASE[:6], *SEPARATED[:12]]


@check(
    "ISO40",
    "Sessions whose ids are prefixes, patterns or odd have each their own values.",
    incident=(
        "google/adk-python issue 3513: a session showed the outputs that belonged to another of "
        "the same user."
    ),
    about="state",
    suite="smoke",
)
async def sessions_whose_ids_look_alike_have_their_own_values(memory: Memory) -> None:
    stated = ExpectedState(memory)
    sessions = [Owner(name) for name in dict.fromkeys(SESSIONS)]
    for owner in sessions:
        await stated.put(owner, {"note": memory.text(), f"only {len(owner.session)}": "yes"})
    for name in ODD_CHARACTERS:
        values = {"note": memory.text("odd")}
        if await offer(memory.client, Owner(name), values) is None:
            stated.note(Owner(name), values)
            sessions.append(Owner(name))
    await stated.expect(*sessions)


@check(
    "ISO41",
    "Users whose ids are prefixes, patterns or odd have each their own values, in one session too.",
    incident=(
        "agno-agi/agno pull request 4608: two users who gave the same session id shared what was "
        "remembered."
    ),
    about="state",
    needs=UserState,
    suite="smoke",
)
async def users_whose_ids_look_alike_have_their_own_values(memory: Memory) -> None:
    stated, session = ExpectedState(memory), memory.session()
    users = [Owner(session, name) for name in USERS]
    for owner in users:
        await stated.put(owner, {"note": memory.text()})
    for name in ODD_CHARACTERS:
        values = {"note": memory.text("odd")}
        if await offer(memory.client, Owner(session, name), values) is None:
            stated.note(Owner(session, name), values)
            users.append(Owner(session, name))
    await stated.expect(*users)


@check(
    "ISO42",
    "A user's values are seen from each session, and mix with no session's, of whatever name.",
    incident=(
        "google/adk-go issue 1344: a session kept what it had copied of the values of its user "
        "when it was created, and showed them after others had changed them."
    ),
    about="state",
    needs=UserState,
)
async def values_of_a_user_are_the_same_from_every_session(memory: Memory) -> None:
    stated, ann = ExpectedState(memory), memory.session("ann")
    one, two = memory.session("one"), memory.session("two")
    for turn, session in enumerate((one, two, one)):
        await stated.put(Owner(session), {"theme": memory.text("of a session")})
        await stated.put(
            Owner(session, ann), {"theme": memory.text("of a user"), f"n{turn}": "yes"}
        )
        for each in (one, two, memory.session("new")):
            await stated.expect(Owner(each, ann))
    await stated.put(Owner(ann), {"theme": memory.text("of a session that is called so")})
    await stated.expect(Owner(ann), Owner(one), Owner(two), Owner(one, ann), Owner(two, ann))


@check(
    "ISO43",
    "Setting values adds nothing to the history, and what is said changes no value.",
    incident=(
        "google/adk-python pull request 6236: the only way to set a value was to append an event "
        "to the conversation."
    ),
    about="state",
    needs=[method("add_messages"), method("get_history")],
)
async def values_are_no_messages(memory: Memory) -> None:
    stated, client, owner = ExpectedState(memory), memory.client, Owner(memory.session())
    said = list[object]()
    for turn in range(3):
        await stated.put(owner, {"turn": f"number {turn}", f"name {turn}": memory.text()})
        batch = memory.messages(2)
        await client.add(owner.session, batch)
        said += contents_of(batch)
        await stated.put(owner, {"last": memory.text()})
        if not memory.target.answers:
            await client.expect(owner.session, said)
        await stated.expect(owner)
    if client.has("get_history", "last") and not memory.target.answers:
        await client.expect(owner.session, said[-3:], last=3)

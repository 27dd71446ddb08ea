"""CTX: what one user says is in no prompt of another, whatever the ids look like."""

from goldfish.agents.agent import Agent
from goldfish.agents.conversation import Conversation
from goldfish.agents.expectations import expect_foreign_absent, expect_present, expect_remembered
from goldfish.agents.together import meet, say_at_once
from goldfish.catalogue.context.requirements import Users, UsersRemembered, check_agent


@check_agent(
    "CTX24",
    "Nothing of another user is in a prompt.",
    incident="google/adk-python issue 1019: memories were searched without the user's id, and what "
    "one user had said was recalled for another.",
    needs=[Users],
    suite="smoke",
)
async def nothing_of_another_user_is_in_a_prompt(agent: Agent) -> None:
    users = agent.draw_id("anna"), agent.draw_id("boris")
    talks = [agent.talk(user=user) for user in users for _ in range(2)]
    for _ in range(2):
        for talk in talks:
            await talk.say()
    for talk in talks:
        expect_foreign_absent(talk, [each for each in talks if each.user != talk.user])


@check_agent(
    "CTX25",
    "Two users who name the same session id do not read each other's words.",
    incident="agno-agi/agno pull request 4608: users with the same session id shared one memory.",
    needs=[Users],
)
async def a_session_id_of_two_users_is_two_sessions(agent: Agent) -> None:
    session, users = agent.draw_id("main"), (agent.draw_id("anna"), agent.draw_id("boris"))
    # What is known of each from a session of her own must not reach the other either.
    known = [agent.talk(user=user) for user in users]
    for talk in known:
        await talk.say()
    await _take_turns([*known, *(agent.talk(session=session, user=user) for user in users)])


@check_agent(
    "CTX26",
    "Sessions and users whose ids look alike are kept apart.",
    incident="NousResearch/hermes-agent issue 84686: parts of a session's key were joined by a "
    "colon, so that two conversations had the same key and shared one history.",
)
async def ids_that_look_alike_are_kept_apart(agent: Agent) -> None:
    a, s = agent.draw_id("a"), agent.draw_id("s")
    pairs = [(s, a), (s.upper(), a), (s.replace("-", "_"), a), (f"{s}1", a), (f"{a}:{s}", a)]
    if "users" in (await agent.worker()).powers:
        pairs += [("c", f"{a}:b"), ("b:c", a), ("d", f"{a}/b"), ("b/d", a), (s, a.upper())]
    await _take_turns([agent.talk(session=session, user=user) for session, user in pairs])


@check_agent(
    "CTX27",
    "One process that serves two users at the same moment keeps them apart.",
    incident="mem0ai/mem0 issue 4359: the id of the current session was a variable of the module, "
    "and sessions at the same moment read and wrote each other's memories.",
)
async def two_users_at_once_are_kept_apart(agent: Agent) -> None:
    talks = [agent.talk(), agent.talk()]
    for _ in range(3):
        await say_at_once(agent, talks, direct=meet(agent))
    for talk in talks:
        await talk.say(worker=0)
        expect_foreign_absent(talk, [each for each in talks if each is not talk])
    for talk in talks:
        expect_remembered(talk)


@check_agent(
    "CTX28",
    "What a user said in one session is in a prompt of her next one, if that is declared.",
    incident="nlweb-ai/NLWeb issue 470: what a user asked to be remembered was noticed and never "
    "stored, so later queries did not have it.",
    needs=[Users, UsersRemembered],
)
async def a_user_is_remembered_in_her_next_session(agent: Agent) -> None:
    user = agent.draw_id("anna")
    first = agent.talk(user=user)
    said = await first.say("My order number is {}, please note it.")
    await first.say("That was all, {}.")
    turn = await agent.talk(user=user).say("What is my order number, please? {}")
    expect_present(first, turn, [said.mark])


async def _take_turns(talks: list[Conversation]) -> None:
    """Say two things in each conversation in turn; expect each to have its own words alone."""
    for _ in range(2):
        for talk in talks:
            await talk.say()
    for talk in talks:
        # Facts of a user may be recalled in her other sessions, where that is declared.
        shares = talk.target.agent is not None and talk.target.agent.remembers == "users"
        others = [each for each in talks if each is not talk]
        expect_foreign_absent(
            talk, [each for each in others if not (shares and each.user == talk.user)]
        )
    for talk in talks:
        expect_remembered(talk)

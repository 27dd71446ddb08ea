"""CTX: what was forgotten is in no prompt, and nothing else is gone with it."""

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import expect_forgotten, expect_remembered
from goldfish.catalogue.context.requirements import Forgetting, ForgettingUsers, Users, check_agent
from goldfish.catalogue.registry import OtherProcess, Reopening, Summaries


@check_agent(
    "CTX49",
    "After forget, nothing that was said or answered in the session is in a prompt.",
    incident="aws-samples/sample-aws-genai-ops-demos issue 182: after the conversation was cleared "
    "the assistant still recited what was said before.",
    needs=[Forgetting],
)
async def what_was_forgotten_is_in_no_prompt(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(3)
    await talk.forget()
    await talk.say_all(2)
    expect_forgotten(talk, 3)


@check_agent(
    "CTX50",
    "After forget, no other worker and no later process shows the model the session.",
    incident="agent-of-empires/agent-of-empires issue 3080: after a restart of the worker the "
    "conversation that had been cleared was there again.",
    needs=[Forgetting, OtherProcess, Reopening],
)
async def what_was_forgotten_is_forgotten_everywhere(agent: Agent) -> None:
    talk = agent.talk()
    for number in range(4):
        await talk.say(worker=number % 2)
    await talk.forget(worker=0)
    await talk.say(worker=1)
    await agent.restart(0)
    await talk.say(worker=0)
    expect_forgotten(talk, 4)


@check_agent(
    "CTX51",
    "After forget_user, nothing that the user said in any session is in a prompt.",
    incident="metadist/synaplan issue 513: deleting a user left her memories in the vector store.",
    needs=[ForgettingUsers, Users],
)
async def a_user_who_was_forgotten_is_in_no_prompt(agent: Agent) -> None:
    user = agent.draw_id("anna")
    talks = [agent.talk(user=user), agent.talk(user=user)]
    other = agent.talk(user=agent.draw_id("boris"))
    for _ in range(2):
        for talk in (*talks, other):
            await talk.say()
    await talks[0].forget_user()
    for talk in (*talks, other, fresh := agent.talk(user=user)):
        await talk.say()
    for talk in (*talks, fresh):
        expect_forgotten(talk, 2, talks)
    expect_remembered(other)


@check_agent(
    "CTX52",
    "After forget, the summary of the session is forgotten too.",
    incident="web-infra-dev/midscene pull request 1953: resetting a conversation removed its "
    "messages and left its memories.",
    needs=[Forgetting, Summaries],
)
async def a_summary_is_forgotten_with_its_session(agent: Agent) -> None:
    talk = agent.talk()
    said = len(await talk.overflow())
    await talk.forget()
    await talk.say_all(2)
    expect_forgotten(talk, said)


@check_agent(
    "CTX53",
    "Forgetting one session leaves the others as they are.",
    incident="mem0ai/mem0 issue 3746: deleting the memories of one user reset the whole store.",
    needs=[Forgetting],
)
async def forgetting_one_session_leaves_the_others(agent: Agent) -> None:
    talks = [agent.talk(), agent.talk()]
    for talk in talks:
        await talk.say_all(2)
    await talks[0].forget()
    await talks[1].say()
    expect_remembered(talks[1])

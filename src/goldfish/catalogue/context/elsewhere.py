"""CTX: another worker, and a process that was started again, show the model the same."""

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import expect_once, expect_remembered
from goldfish.catalogue.context.requirements import check_agent
from goldfish.catalogue.registry import OtherProcess, Reopening


@check_agent(
    "CTX08",
    "Another worker shows the model what was said to the first one.",
    incident="grapeot/web_agentic_ai issue 18: with --workers above 1 each process had its own "
    "dictionary of conversations, and follow-ups found none.",
    needs=[OtherProcess],
    suite="smoke",
)
async def another_worker_knows_what_was_said(agent: Agent) -> None:
    talk = agent.talk()
    for number in range(6):
        turn = await talk.say(worker=number % 2)
        expect_remembered(talk, turn)
        expect_once(talk, turn)


@check_agent(
    "CTX09",
    "A process that was started again shows the model what was said before.",
    incident="OpenHands/software-agent-sdk issue 4192: after a quick restart of the agent server "
    "all conversations from before were gone.",
    needs=[Reopening],
)
async def a_restarted_process_knows_what_was_said(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(3)
    await agent.restart()
    await talk.say()
    expect_remembered(talk)
    expect_once(talk)

"""CTX: kill -9 in the middle of a turn costs that turn at most, and never half of it."""

from typing import Any

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import expect_remembered
from goldfish.agents.recovery import expect_recovered
from goldfish.agents.together import kill_during
from goldfish.agents.tool_calls import has_called, has_result, measure_tools, offers
from goldfish.catalogue.context.requirements import Streams, Tools, check_agent
from goldfish.catalogue.registry import OtherProcess, Reopening
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError

FOREVER = 30  # seconds that the model takes, if nobody kills the agent
UNMEASURED = 0.2  # seconds that a tool takes whose result the model is not shown
LONG = 1.0  # seconds; a tool that takes less is killed at several moments of it
MIDDLE, PARTS, FEW = (0.5,), (0.1, 0.3, 0.5, 0.7, 0.9), (0.1, 0.5, 0.9)


@check_agent(
    "CTX32",
    "A process that is killed while the model thinks leaves a session that goes on.",
    incident="openclaw/openclaw issue 70004: the lock of a session stayed after SIGKILL, and "
    "every later run of the agent failed.",
    needs=[Reopening],
)
async def a_kill_while_the_model_thinks_costs_one_turn(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    cut = await kill_during(
        agent, talk, lambda each: True, direct=lambda model: model.slow(FOREVER)
    )
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX33",
    "A process that is killed while a tool runs leaves a session that goes on.",
    incident="google/adk-python issue 3970: a restart during a tool left a call without a result, "
    "and the provider refused every later turn of the session.",
    needs=[Reopening, Tools],
)
async def a_kill_while_a_tool_runs_costs_one_turn(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)

    def call_and_wait(model: Any) -> None:
        model.call_tool(tool, when=offers(tool))
        model.slow(FOREVER, when=offers(tool))

    whole = await agent.talk().attempt(
        direct=lambda model: model.call_tool(tool, when=offers(tool))
    )
    takes = measure_tools(whole) or UNMEASURED
    # What an agent writes in the background is there at one moment and not at another.
    short = FEW if agent.stage.is_service else PARTS  # a service takes long to start again
    parts = MIDDLE if takes > LONG else short
    for reached, later in (*((has_called, part * takes) for part in parts), (has_result, 0.0)):
        cut = await kill_during(agent, talk, reached, direct=call_and_wait, later=later)
        await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX34",
    "A process that is killed while its reply streams leaves a session that goes on.",
    incident="anthropics/claude-code issue 19559: after a crash in a conversation hours of it were "
    "gone, and not only the last message.",
    needs=[Reopening, Streams],
)
async def a_kill_while_the_reply_streams_costs_one_turn(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(2)
    if not any(each.is_streamed for turn in turns for each in turn.exchanges):
        raise UnsupportedError(Reason.stated("it takes the model's reply in one piece"))
    cut = await kill_during(
        agent,
        talk,
        lambda each: each.pieces,
        direct=lambda model: model.slow(0, between=FOREVER / 10),
    )
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX35",
    "What a killed process had answered, another one shows the model.",
    incident="nomic-ai/gpt4all issue 2810: conversations were written when the program ended, so a "
    "crash took all of them.",
    needs=[OtherProcess],
    suite="smoke",
)
async def what_a_killed_process_answered_is_known_elsewhere(agent: Agent) -> None:
    talk = agent.talk()
    await agent.worker(1)
    await talk.say_all(3, worker=0)
    await agent.kill(0)
    await talk.say(worker=1)
    expect_remembered(talk)

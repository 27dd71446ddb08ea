"""CTX: tool calls and their results reach the model together, and no turn is half."""

from collections.abc import Mapping
from typing import Any

from goldfish.agents.agent import Agent
from goldfish.agents.conversation import Conversation, Direct
from goldfish.agents.evidence import describe_turn
from goldfish.agents.expectations import expect_remembered, expect_well_formed
from goldfish.agents.recovery import expect_recovered
from goldfish.agents.together import kill_during
from goldfish.agents.tool_calls import (
    expect_results,
    has_result,
    list_calls,
    offers,
    shows_results,
)
from goldfish.agents.turns import Turn
from goldfish.catalogue.context.requirements import Resuming, Tools, check_agent
from goldfish.findings.result import Violation

Call = str | tuple[str, Mapping[str, Any] | None]
AT_ONCE = 5  # calls; so many hardly ever end in their order by chance
TRIES = 8  # quick tools that are started one after the other often end so too


async def say_with_tools(agent: Agent, talk: Conversation, *calls: Call) -> Turn:
    """Say something that the model answers after it called tools; expect whole prompts."""
    turn = await talk.attempt(direct=_call(*calls) if calls else None)
    expect_well_formed(talk, turn)
    if not turn.is_acknowledged:
        raise agent.blame_silence(talk, turn)
    return turn


@check_agent(
    "CTX40",
    "The result of a tool reaches the model with its call, directly after it.",
    incident="ag2ai/ag2 pull request 2798: results were assembled without the call that they "
    "belong to, and the provider refused the prompt.",
    needs=[Tools],
)
async def a_result_reaches_the_model_with_its_call(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)
    expect_results(talk, await say_with_tools(agent, talk, tool))
    expect_results(talk, await say_with_tools(agent, talk, tool))
    await say_with_tools(agent, talk)
    expect_remembered(talk)


@check_agent(
    "CTX41",
    "Several tools called at once all answer, in the order of the calls.",
    incident="anthropics/claude-code issue 21906: results went back in the order in which the "
    "tools were done, and the provider refused them with a 400.",
    needs=[Tools],
)
async def several_tools_at_once_all_answer(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)
    for _ in range(TRIES):
        expect_results(talk, await say_with_tools(agent, talk, *[tool] * AT_ONCE))
    await say_with_tools(agent, talk)


@check_agent(
    "CTX42",
    "After a tool that fails, the turns after it are answered.",
    incident="aws-samples/sample-multi-agent-orchestration-chat-on-agentcore issue 15: a failed "
    "tool left a result that the provider refuses, with every later request of the session.",
    needs=[Tools],
)
async def a_tool_that_fails_does_not_end_the_session(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)
    # Arguments that no tool takes: most raise.
    wrong = {"unexpected": [agent.mirror.draw_mark("t")]}
    cut = await talk.attempt(direct=_call((tool, wrong)))
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX43",
    "A tool that ran before its turn was killed is not run again when the turn is resumed.",
    incident="GEMISIS/leviath issue 96: after a crash the whole batch of tools was run again, and "
    "its effects happened twice.",
    needs=[Tools, Resuming],
)
async def a_resumed_turn_does_not_repeat_its_tools(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)

    def call_and_wait(model: Any) -> None:
        model.call_tool(tool, when=offers(tool))
        model.slow(30, when=offers(tool))

    # The request with the tool's result shows that the tool ran.
    cut = await kill_during(agent, talk, has_result, direct=call_and_wait)
    turn = await talk.say()
    if not any(shows_results(prompt, list_calls(cut)) for prompt in turn.prompts):
        what = f"the tool {tool} ran in turn {cut.number}, which was killed"
        text = f"lost: {what}, but no prompt of the resumed turn shows its result"
        raise Violation(text, *describe_turn(turn), session=talk.session)


def _call(*calls: Call) -> Direct:
    """Let the model call tools at once, in the first request that offers them."""
    first = calls[0] if isinstance(calls[0], str) else calls[0][0]
    return lambda model: model.call_tools(*calls, when=offers(first))

"""CTX: when the model fails, the caller sees it, and the conversation is as it was."""

from typing import Any

from goldfish.agents.agent import Agent
from goldfish.agents.conversation import Direct
from goldfish.agents.expectations import expect_remembered
from goldfish.agents.recovery import (
    expect_answer,
    expect_no_half,
    expect_recovered,
    expect_seen,
    expect_whole,
)
from goldfish.agents.tool_calls import offers
from goldfish.catalogue.context.requirements import Tools, check_agent
from goldfish.catalogue.registry import Summaries
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError

STATUSES = (429, 500)
FAILURES = ((500, 1), (500, 2), (500, None), (429, None))  # so often; None is until the turn ends
OPENING = 60  # characters by which system prompts are told apart
PAGE = "<html><body>502 Bad Gateway</body></html>"


@check_agent(
    "CTX36",
    "A model that fails is an error that the caller sees.",
    incident="cognizant-ai-lab/neuro-san issue 1362: errors of the model's API came back as an "
    "ordinary answer, and a load test in which every request failed was reported as passed.",
    suite="smoke",
)
async def a_model_that_fails_is_seen_by_the_caller(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say()
    for status in STATUSES:
        expect_seen(await talk.attempt(direct=_fail(status)))


@check_agent(
    "CTX37",
    "After a model that failed, nothing is lost and the next turn is answered.",
    incident="memodb-io/memobase issue 77: a call of the model that failed took the conversation "
    "that it was about with it.",
    suite="smoke",
)
async def after_a_model_that_failed_nothing_is_lost(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    for status in STATUSES:
        cut = await talk.attempt(direct=_fail(status))
        turn = await expect_answer(agent, talk)
        expect_remembered(talk, turn)
        expect_whole(talk, cut, turn)


@check_agent(
    "CTX38",
    "An agent's own retry does not say the message twice.",
    incident="HKUDS/nanobot issue 4079: a retry within one request saved the user's message a "
    "second time.",
)
async def a_retry_does_not_say_the_message_twice(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say()
    for status, failures in FAILURES:
        tried = await talk.attempt(direct=_fail(status, failures))
        await expect_recovered(agent, talk, tried)


@check_agent(
    "CTX39",
    "After a model that hung, nothing is lost and the next turn is answered.",
    incident="HKUDS/nanobot pull request 3428: a request that hung kept the lock of its session, "
    "and every later message of it waited.",
)
async def after_a_model_that_hung_the_next_turn_is_answered(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    cut = await talk.attempt(direct=lambda model: model.hang(1.0))
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX44",
    "A reply that breaks off is an error that the caller sees, and no half of it stays.",
    incident="AceDataCloud/Nexior pull request 1706: a stream that ended without its last mark was "
    "taken for a whole answer.",
)
async def a_reply_that_breaks_off_is_seen_by_the_caller(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    cut = await talk.attempt(direct=lambda model: model.hang_up(after=1, times=None))
    expect_seen(cut)
    expect_no_half(talk, cut, await expect_recovered(agent, talk, cut))
    # Some clients take this for an answer, so only what comes after it counts.
    cut = await talk.attempt(direct=lambda model: model.hang_up(after=1, clean=True))
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX45",
    "A model's answer that is no JSON is an error, and the next turn is answered.",
    incident="Zero6992/chatGPT-discord-bot issue 25: after an answer that was no JSON each message "
    "failed until the conversation was reset.",
)
async def an_answer_that_is_no_json_is_an_error(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    cut = await talk.attempt(direct=lambda model: model.fail(200, body=PAGE, times=None))
    # A client that reads a stream skips what is no event, and sees an empty one.
    if not any(each.is_streamed for each in cut.exchanges):
        expect_seen(cut)
    await expect_recovered(agent, talk, cut)


@check_agent(
    "CTX46",
    "A summary that fails costs nothing of the conversation.",
    incident="XiaomiMiMo/MiMo-Code pull request 2148: the boundary of a compaction was written "
    "before its summary, which failed, and everything before it was gone.",
    needs=[Summaries],
)
async def a_summary_that_fails_costs_nothing(agent: Agent) -> None:
    talk = agent.talk()
    opening = (await talk.say()).prompt.system[:OPENING]

    def is_summary(prompt: Any) -> bool:
        return talk.turns[-1].mark not in prompt.said or prompt.system[:OPENING] != opening

    turns = await talk.overflow(direct=lambda model: model.fail(500, when=is_summary, times=None))
    if not any(each.ended == "failed" for turn in turns for each in turn.exchanges):
        raise UnsupportedError(Reason.stated(f"it made no summary in {len(talk.turns)} turns"))
    expect_remembered(talk, await expect_answer(agent, talk))


@check_agent(
    "CTX47",
    "A model that fails after a tool ran leaves a session that goes on.",
    incident="sterlp/eclipse-peon-ai issue 87: a rate limit between a tool's result and the answer "
    "made the provider refuse the message after it.",
    needs=[Tools],
)
async def a_model_that_fails_after_a_tool_costs_one_turn(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)

    def call_and_fail(model: Any) -> None:
        model.call_tool(tool, when=offers(tool))
        model.fail(500, when=offers(tool), times=None)

    await expect_recovered(agent, talk, await talk.attempt(direct=call_and_fail))


def _fail(status: int, times: int | None = None) -> Direct:
    """Let the model fail so many times, or until the turn ends."""
    return lambda model: model.fail(status, times=times)

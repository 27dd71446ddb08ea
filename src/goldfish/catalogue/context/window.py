"""CTX: a window is as large as it was declared, and what leaves it leaves whole."""

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import (
    expect_newest_last,
    expect_newest_whole,
    expect_remembered,
    expect_within,
)
from goldfish.agents.turns import Turn
from goldfish.catalogue.context.requirements import TokenWindow, Tools, check_agent
from goldfish.catalogue.context.tools import say_with_tools
from goldfish.catalogue.registry import Summaries, Window
from goldfish.findings.result import Violation

UNDECLARED = 50  # messages of a window that nobody declares
MOST_TURNS = 60


@check_agent(
    "CTX17",
    "A declared window is full: no message is missing that it has room for.",
    incident="securo-finance/securo issue 967: the history was ordered from the oldest and then "
    "limited, so that the window held the first messages and not the newest.",
    needs=[Window],
)
async def a_window_is_full(agent: Agent) -> None:
    talk = agent.talk()
    for _ in range(agent.turns_to_overflow):
        expect_remembered(talk, await talk.say())


@check_agent(
    "CTX18",
    "A declared window holds no more messages than it says.",
    incident="zhayujie/CowAgent pull request 3199: the cap on turns was enforced only where a "
    "second limit was passed too, so many short turns were never capped.",
    needs=[Window],
)
async def a_window_holds_no_more_than_it_says(agent: Agent) -> None:
    talk = agent.talk()
    window = agent.target.window or 0
    if agent.target.summarises:
        # What stays after a summary may be a third of what there was before it. The summary may be
        # a message of its own, and may be asked for and given.
        window = 3 * window + 2
        await talk.say_all(min(window // 2 + 3, MOST_TURNS))
    else:
        await talk.overflow()
    for turn in talk.turns:
        expect_within(talk, turn, window)


@check_agent(
    "CTX19",
    "Trimming never parts a tool call from its result.",
    incident="KryptSec/oasis issue 69: a sliding window of 40 messages cut between a call and its "
    "result, and OpenAI refused the run with a 400.",
    needs=[Tools],
)
async def trimming_keeps_calls_and_results_together(agent: Agent) -> None:
    talk = agent.talk()
    tool = await agent.find_tool(talk)
    for number in range(_count_turns(agent.target.window or UNDECLARED)):
        await say_with_tools(agent, talk, *[tool] * _choose_calls(number))


@check_agent(
    "CTX20",
    "A prompt stays within the tokens that were declared.",
    incident="odysseus-dev/odysseus issue 2947: what the trimmer could not shrink stayed, and the "
    "provider refused the prompt that was still over the budget.",
    needs=[TokenWindow],
)
async def a_prompt_stays_within_its_tokens(agent: Agent) -> None:
    talk = agent.talk()
    budget = agent.traits.window_tokens or 0
    words = "and so on " * max(1, min(budget, 4000) // 8)  # a few such messages fill it
    first = await talk.say("It is about {}, " + words)
    for _ in range(9):
        _expect_tokens(first, await talk.say("It is about {}, " + words), budget)


@check_agent(
    "CTX21",
    "What left the window is in the summary.",
    incident="letta-ai/letta issue 2601: summarising threw out all messages of the context, also "
    "those that the summary did not cover.",
    needs=[Summaries],
)
async def what_left_the_window_is_in_the_summary(agent: Agent) -> None:
    talk = agent.talk()
    for turn in await talk.overflow():
        expect_remembered(talk, turn)


@check_agent(
    "CTX22",
    "A summary never takes the newest message with it.",
    incident="camel-ai/camel issue 3371: the summary covered the whole context with the message "
    "that was to be answered; letta-ai/letta issue 2512: the agent no longer knew the question.",
    needs=[Summaries],
)
async def the_newest_message_survives_a_compaction(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.overflow()
    for turn in turns:
        expect_newest_last(talk, turn)
    expect_newest_whole(talk, turns)


@check_agent(
    "CTX23",
    "A later summary keeps what an earlier one had.",
    incident="DEEIX-AI/DEEIX-Chat pull request 333: each new summary covered only the messages "
    "since the last one, and replaced it.",
    needs=[Summaries],
)
async def a_later_summary_keeps_the_earlier_one(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2 * len(await talk.overflow()))
    expect_remembered(talk)


def _choose_calls(number: int) -> int:
    """Return how many tools are called at once in a turn: none, one or two.

    Turns of two, four and five messages without a rhythm: in a regular order there are windows
    whose edge never falls between a call and its result.
    """
    return number**3 // 7 % 3


def _count_turns(window: int) -> int:
    """Return after how many turns the edge of a window surely fell between a call and a result.

    Tried for all windows up to 64 messages, with the newest turn counted and without it.
    """
    return min(window * 2 // 5 + 13, MOST_TURNS)


def _expect_tokens(first: Turn, turn: Turn, budget: int) -> None:
    """Expect a prompt that is within a budget, even if its tokens are counted as few.

    Instructions and the newest message may come on top of it: the first prompt had both.
    """
    least = (len(turn.prompt.text) - len(first.prompt.text)) // 6
    if least > budget:
        what = f"the history in the prompt of turn {turn.number} has at least {least} tokens"
        raise Violation(f"wrong: {what}, and window_tokens is {budget}", session=turn.session)

"""CTX: turns at the same moment are all remembered, whole."""

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import expect_foreign_absent, expect_once, expect_remembered
from goldfish.agents.recovery import expect_answer
from goldfish.agents.together import meet, say_at_once
from goldfish.agents.turns import Turn
from goldfish.catalogue.context.requirements import check_agent
from goldfish.catalogue.registry import OtherProcess
from goldfish.findings.result import UnprovenError

ROUNDS = 2
CROWD = 50


@check_agent(
    "CTX29",
    "Two turns of one session at the same moment are both in a later prompt.",
    incident="lucianfialho/effect-gates issue 64: each request read the history, and wrote all of "
    "it back when it was done, so the other's messages were lost for good.",
)
async def two_turns_at_once_are_both_remembered(agent: Agent) -> None:
    await _say_twice_at_once(agent, [0])


@check_agent(
    "CTX30",
    "Two turns of one session at the same moment, in two workers, are both in a later prompt.",
    incident="nexu-io/open-design issue 5490: two runs of one conversation read the same state, "
    "and the one that was done last won.",
    needs=[OtherProcess],
)
async def two_turns_at_once_in_two_workers_are_both_remembered(agent: Agent) -> None:
    await _say_twice_at_once(agent, [0, 1])


@check_agent(
    "CTX31",
    "Of fifty sessions at the same moment, each prompt is its own.",
    incident="agno-agi/agno issue 3937: the session was an attribute of the one agent that served "
    "all requests.",
)
async def fifty_sessions_at_once_are_kept_apart(agent: Agent) -> None:
    talks = [agent.talk() for _ in range(CROWD)]
    turns = await say_at_once(agent, talks)
    again = await say_at_once(agent, talks)
    for turn, talk in zip([*turns, *again], [*talks, *talks], strict=True):
        if turn.outcome == "failed" and _is_own_failure(turn):
            raise agent.blame_silence(talk, turn)
    known = [talk for talk in talks if all(turn.is_acknowledged for turn in talk.turns)]
    if not known:
        raise UnprovenError("no session of the fifty was answered twice")
    for talk in known:
        expect_foreign_absent(talk, [each for each in talks if each is not talk])
    # What is in another session is missing in its own: the leak says more.
    for talk in known:
        expect_remembered(talk)


async def _say_twice_at_once(agent: Agent, places: list[int]) -> None:
    for place in places:
        await agent.worker(place)
    talk = agent.talk()
    await talk.say(worker=places[0])
    for _ in range(ROUNDS):
        turns = await say_at_once(agent, [talk, talk], places=places, direct=meet(agent))
        if not any(turn.is_acknowledged for turn in turns):
            raise agent.blame_silence(talk, turns[0])
        turn = await expect_answer(agent, talk, worker=places[-1])
        expect_remembered(talk, turn)
        expect_once(talk, turn)


def _is_own_failure(turn: Turn) -> bool:
    """Return True if the model had answered: a client may give up on a busy machine."""
    return turn.main is None or turn.main.ended == "answered"

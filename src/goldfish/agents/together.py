"""Turns at the same moment, and turns in whose middle a worker is killed."""

import asyncio
from collections.abc import Callable, Sequence

from goldfish.agents.agent import Agent
from goldfish.agents.conversation import Conversation, Direct
from goldfish.agents.turns import Turn
from goldfish.findings.result import UnprovenError
from goldfish.mirror import Exchange

POLL = 0.003  # seconds between two looks at the mirror
MEETS_WITHIN = 1.5  # seconds; an agent that answers one after the other has to wait so long
Reached = Callable[[Exchange], object]


async def say_at_once(
    agent: Agent,
    talks: Sequence[Conversation],
    *,
    places: Sequence[int] = (0,),
    direct: Direct | None = None,
) -> list[Turn]:
    """Say one thing in each conversation at the same moment; the same one may be there twice.

    ``places`` are the workers that are asked in turn.
    """
    for place in places:
        await agent.worker(place)
    return await asyncio.gather(
        *(
            talk.attempt(worker=places[number % len(places)], direct=direct, lane=number)
            for number, talk in enumerate(talks)
        )
    )


def meet(agent: Agent) -> Direct:
    """Return a direction: the model answers no turn before it was asked in all that are under way.

    So the agent has read what it shows of each before it can write what came of any, and luck does
    not decide whether they cross. An agent may also begin one turn when the other is done.
    """
    seen = len(agent.mirror.exchanges)

    def have_met() -> bool:
        asked = [each.prompt.said for each in agent.mirror.exchanges[seen:]]
        return all(any(turn.mark in said for said in asked) for turn in list(agent.underway))

    return lambda model: model.slow(MEETS_WITHIN, until=have_met)


async def kill_during(
    agent: Agent,
    talk: Conversation,
    reached: Reached,
    *,
    direct: Direct,
    place: int = 0,
    later: float = 0.0,
) -> Turn:
    """Say something, SIGKILL the worker once a request is as wanted.

    ``later`` seconds pass between the two, in which the agent works on the answer.

    Return the turn that was cut; it is unproven if the turn ended before.
    """
    seen = len(agent.mirror.exchanges)
    task = asyncio.create_task(talk.attempt(worker=place, direct=direct))
    while not task.done():
        if any(reached(each) for each in agent.mirror.exchanges[seen:]):
            break
        await asyncio.sleep(POLL)
    await asyncio.wait({task}, timeout=later)
    if task.done():
        await task
        raise UnprovenError("the turn ended before the worker could be killed in it")
    await agent.kill(place)
    return await task

"""CTX: a caller who goes away in the middle of a reply leaves a session that goes on."""

from goldfish.agents.agent import Agent
from goldfish.agents.recovery import expect_recovered
from goldfish.catalogue.context.requirements import Streams, check_agent


@check_agent(
    "CTX48",
    "After a caller who went away in the middle of a reply, the next turn is answered.",
    incident="ThalesGroup/fred issue 2603: a turn was written after its stream, so a browser that "
    "was reloaded took the question and the answer with it.",
    needs=[Streams],
)
async def a_caller_who_leaves_costs_one_turn(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(2)
    for _ in range(2):
        left = await talk.attempt(leaves=True)
        await expect_recovered(agent, talk, left)

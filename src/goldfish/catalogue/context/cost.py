"""CTX: what a conversation costs: how its prompts grow."""

from goldfish.agents.agent import Agent
from goldfish.agents.evidence import describe_turn
from goldfish.catalogue.context.requirements import check_agent
from goldfish.findings.result import Violation

TURNS = 12
SPARE = 60  # characters per turn: sentences are not equally long


@check_agent(
    "CTX54",
    "A prompt grows no faster than its conversation.",
    incident="bojieli/ai-agent-book issue 240: each message was saved with the whole history in "
    "it, so the prompt of turn N had about N * N / 2 copies of turns.",
)
async def a_prompt_grows_no_faster_than_its_conversation(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(TURNS)
    sizes = [len(turn.prompt.text) for turn in turns]
    said = sum(len(turn.text) + len(turn.reply) for turn in turns) / TURNS
    early, late = (sizes[5] - sizes[1]) / 4, (sizes[-1] - sizes[-5]) / 4
    if late > 1.5 * max(early, said) + SPARE:
        what = f"the prompt grows by {early:.0f} characters per turn at first, and by {late:.0f}"
        shown = ", ".join(map(str, sizes))
        raise Violation(
            f"wrong: {what} per turn later",
            f"the sizes of the prompts: {shown}",
            *describe_turn(talk.turns[-1]),
            session=talk.session,
        )

"""CTX: the system prompt stays in every prompt, in long conversations and after changes too."""

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import expect_frame
from goldfish.catalogue.context.requirements import check_agent
from goldfish.catalogue.registry import Reopening, Summaries

LONG = 50  # turns


@check_agent(
    "CTX14",
    "After fifty turns the system prompt is in the prompt, once and first.",
    incident="sbenodiz/ai_agent_ha pull request 53: the history is cut to its newest fifty "
    "entries, among which the system prompt at index 0 must be kept by hand.",
)
async def the_system_prompt_is_there_after_fifty_turns(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(LONG)
    expect_frame(talk, await agent.learn_system(turns[0]))


@check_agent(
    "CTX15",
    "After a compaction the system prompt is in the prompt, once and first.",
    incident="open-webui/open-webui issue 26710: automatic compaction folded the system prompt "
    "into the summary, and later prompts had the summary in its place.",
    needs=[Summaries],
)
async def the_system_prompt_is_there_after_a_compaction(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.overflow()
    expect_frame(talk, await agent.learn_system(turns[0]))


@check_agent(
    "CTX16",
    "After a restart the system prompt is in the prompt, once and first.",
    incident="SamSaffron/term-llm pull request 250: the system prompt was saved with the history "
    "again and again, and polluted the history that was restored.",
    needs=[Reopening],
)
async def the_system_prompt_is_there_once_after_a_restart(agent: Agent) -> None:
    talk = agent.talk()
    first = await talk.say()
    await talk.say()
    frame = await agent.learn_system(first)
    for _ in range(2):
        await agent.restart()
        await talk.say()
    expect_frame(talk, frame)

"""CTX: what was said is in later prompts: all of it, once, in order, and nobody else's."""

from typing import Any

from goldfish.agents.agent import Agent
from goldfish.agents.expectations import (
    expect_foreign_absent,
    expect_frame,
    expect_in_order,
    expect_long_whole,
    expect_newest_last,
    expect_nothing_piled_up,
    expect_nothing_repeated,
    expect_once,
    expect_present,
    expect_remembered,
    expect_said_as_often,
    list_due,
)
from goldfish.agents.prompts import is_alike
from goldfish.catalogue.context.requirements import (
    NoWindow,
    Streams,
    WholeHistory,
    check_agent,
)

TURNS = 7  # six are remembered in the last one
PASTED = 4000  # characters of a long message: an e-mail, the end of a log
LONG = 27  # more than a window of fifty messages holds; many agents begin with twenty


@check_agent(
    "CTX01",
    "What the user said earlier in a session is in a later prompt.",
    incident="open-jarvis/OpenJarvis issue 159: the channel handler loaded the history of a "
    "session and never passed it on, so the agent treated each message as the first.",
    suite="smoke",
)
async def what_was_said_is_in_a_later_prompt(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(TURNS)
    said = {each.mark for each in turns}
    expect_present(talk, turns[-1], [mark for mark in list_due(talk, turns[-1]) if mark in said])


@check_agent(
    "CTX02",
    "What the agent answered earlier in a session is in a later prompt.",
    incident="HKUDS/nanobot issue 1236: the assistant's replies were not appended to the messages "
    "of later requests, so the model read a wall of questions without answers.",
    suite="smoke",
)
async def what_was_answered_is_in_a_later_prompt(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(TURNS)
    answers = {each.answer for each in turns}
    due = [mark for mark in list_due(talk, turns[-1]) if mark in answers]
    expect_present(talk, turns[-1], due)


@check_agent(
    "CTX03",
    "Each message is in a prompt once.",
    incident="cloudflare/agents issue 2078: the message was saved before the history was read and "
    "then appended, so that every user turn reached the model twice.",
    suite="smoke",
)
async def each_message_is_in_the_prompt_once(agent: Agent) -> None:
    talk = agent.talk()
    for turn in await talk.say_all(TURNS):
        expect_once(talk, turn)


@check_agent(
    "CTX04",
    "Messages are in a prompt in the order in which they were said.",
    incident="langflow-ai/langflow issue 7607: the newest messages of the history were given to "
    "the model from the newest to the oldest.",
)
async def messages_are_in_the_order_in_which_they_were_said(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(TURNS)
    expect_newest_last(talk)
    expect_in_order(talk)


@check_agent(
    "CTX05",
    "The newest message of the user is in the prompt that answers it, as the last one of hers.",
    incident="i-dot-ai/redbox pull request 1354: messages reached the model in another order, so "
    "that the last message was not the one that was answered.",
    suite="smoke",
)
async def the_newest_message_is_the_last_one_of_the_user(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(3)
    for turn in turns:
        expect_newest_last(talk, turn)
    # An agent may refuse a long message, but not cut it.
    budget = agent.traits.window_tokens or PASTED
    filler = "and so on, " * (min(PASTED, budget // 2) // 11)
    turn = await talk.attempt(f"This is about {{}}, {filler}and that was all about {{}}.")
    if turn.is_acknowledged:
        expect_newest_last(talk, turn)
        expect_long_whole(talk, [*turns, turn])


@check_agent(
    "CTX06",
    "The system prompt is in every prompt of a session, once and first.",
    incident="tbxark/ChatGPT-Telegram-Workers issue 71: once the history was trimmed, the system "
    "prompt that the operator had set was gone, and the default one stood in its place.",
    suite="smoke",
)
async def the_system_prompt_is_in_every_prompt(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(TURNS + 2)
    expect_frame(talk, await agent.learn_system(turns[0]))


@check_agent(
    "CTX07",
    "Nothing that was said in one session is in a prompt of another.",
    incident="anthropics/claude-plugins-official issue 1053: all iMessage conversations were fed "
    "into one session, and replies told one chat what was said in another.",
    suite="smoke",
)
async def nothing_of_another_session_is_in_a_prompt(agent: Agent) -> None:
    talks = [agent.talk(), agent.talk()]
    for _ in range(3):
        for talk in talks:
            await talk.say()
    for talk in talks:
        expect_foreign_absent(talk, [other for other in talks if other is not talk])


@check_agent(
    "CTX10",
    "The same words said twice, and answered by the same words, are in a later prompt twice.",
    incident="666ghj/MiroFish pull request 598: a filter by content dropped the first 'tell me "
    "more' when it was said again, so the model read two answers in a row.",
    needs=[WholeHistory],
)
async def the_same_words_twice_are_there_twice(agent: Agent) -> None:
    talk = agent.talk()
    main = (await talk.say()).prompt
    said, answered = agent.mirror.draw_mark(), agent.mirror.draw_mark("r")

    def answer(model: Any) -> None:
        model.reply(f"Noted: {answered}.", when=lambda it: said in it.said and is_alike(main, it))

    # An agent that wants JSON, or a call, of the model does not take these words for an answer.
    is_text = main.output is None and main.forced is None
    for _ in range(2):
        await talk.say(f"Yes, {said} is right.", direct=answer if is_text else None)
    turn = await talk.say()
    for mark in (said, answered) if is_text else (said,):
        expect_said_as_often(talk, turn, mark, 2)


@check_agent(
    "CTX11",
    "Instructions, summaries and recalled facts are in a prompt once, however long it is.",
    incident="RedWoodOG/Hermes-Desktop pull request 5: every turn inserted the relevant memories "
    "into the stored messages again, and none was ever removed.",
)
async def what_is_injected_is_there_once(agent: Agent) -> None:
    user = agent.draw_id("anna")
    if agent.traits.remembers == "users":
        await agent.talk(user=user).say_all(2)
    talk = agent.talk(user=user)
    turns = await talk.say_all(TURNS)
    for turn in turns:
        expect_nothing_repeated(talk, turn)
    expect_nothing_piled_up(talk, turns)


@check_agent(
    "CTX12",
    "Without a declared window, what was said 26 turns ago is in the prompt.",
    incident="Tracer-Cloud/opensre issue 4085: a hard cap of 24 messages dropped older turns long "
    "before the compaction that should have summarised them.",
    needs=[NoWindow],
)
async def without_a_window_long_conversations_are_remembered(agent: Agent) -> None:
    talk = agent.talk()
    await talk.say_all(LONG)
    expect_remembered(talk)


@check_agent(
    "CTX13",
    "A reply that was streamed is in later prompts as a whole.",
    incident="langflow-ai/langflow issue 5914: with streaming switched on, the replies were shown "
    "to the user and never saved in the chat memory.",
    needs=[Streams],
)
async def a_streamed_reply_is_remembered(agent: Agent) -> None:
    talk = agent.talk()
    turns = await talk.say_all(3)
    expect_present(talk, turns[-1], [each.answer for each in turns[:-1] if each.answer])

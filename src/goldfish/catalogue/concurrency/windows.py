"""CON and LIV of memories with a window: it keeps the newest messages, and a summary the rest."""

import asyncio
import time
from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.concurrency.messages import cleared_after
from goldfish.catalogue.registry import Summaries, Window, check, method
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.messages import ChatMessage

CROWD = 6


def _window(memory: Memory) -> int:
    assert memory.target.window is not None  # it is needed
    return memory.target.window


async def _say(memory: Memory, session: str, count: int) -> list[Any]:
    """Say so many messages one after the other; return their contents."""
    said = memory.messages(count)
    for message in said:
        await memory.client.add(session, [message])
    return contents_of(said)


async def _say_at_once(
    callers: Sequence[Client], session: str, said: Sequence[ChatMessage]
) -> None:
    pairs = zip(callers, said, strict=False)  # a small window has fewer messages than callers
    await asyncio.gather(*(caller.add(session, [message]) for caller, message in pairs))


async def _texts(memory: Memory, session: str) -> list[str]:
    """The contents of all that the memory gives, also of what the check did not say itself."""
    with memory.hearing.everything():
        return [str(each) for each in await memory.client.contents(session)]


async def _expect_told(memory: Memory, session: str, said: Sequence[Any]) -> None:
    """Raise if something that was said is neither a message any more nor in a summary."""
    texts = await _texts(memory, session)
    untold = [each for each in said if not any(each in text for text in texts)]
    if untold:
        raise Violation(
            f"lost: {quote(untold[0])} left the window and is in no summary "
            f"({len(untold)} of {len(said)} are gone)",
            f"said {quote_list(said)}",
            f"given {quote_list(texts)}",
        )


@check(
    "CON60",
    "Messages that arrive at once when the window is full are there, for they are the newest.",
    incident=(
        "biorouter issue 51: the history was read, shortened by a model that took its time, and "
        "written back; 229 of 231 messages that had arrived meanwhile were destroyed."
    ),
    needs=[Window],
)
async def what_arrives_while_a_full_window_moves_is_kept(memory: Memory) -> None:
    callers = await memory.callers(CROWD)
    for _ in range(max(1, round(4 * memory.effort))):
        session = memory.session()
        await _say(memory, session, _window(memory))
        arrived = memory.messages(min(CROWD, _window(memory)))
        await _say_at_once(callers, session, arrived)
        found = await memory.client.contents(session)
        if missing := [each for each in contents_of(arrived) if each not in found]:
            raise Violation(
                f"lost: {len(missing)} of {len(arrived)} messages that arrived at once at a full "
                "window are gone",
                f"arrived {quote_list(contents_of(arrived))}",
                f"read back {quote_list(found)}",
            )


@check(
    "CON61",
    "What leaves the window in several turns at once is told in the summary, all of it.",
    incident=(
        "thane-ai-agent issue 1168: nothing kept the turns that came during a summary from "
        "starting one of their own over the same history, and the conversation fell apart."
    ),
    needs=[Window, Summaries],
)
async def summaries_made_at_once_undo_none_of_each_other(memory: Memory) -> None:
    callers = await memory.callers(CROWD)
    for _ in range(max(1, round(4 * memory.effort))):
        session = memory.session()
        old = await _say(memory, session, _window(memory))
        arrived = memory.messages(CROWD)
        await _say_at_once(callers, session, arrived)
        await _expect_told(memory, session, [*old, *contents_of(arrived)])


@check(
    "CON62",
    "A clear while a summary is made leaves nothing of what was there, in the summary neither.",
    incident=(
        "langchain-classic 1.0.8 ConversationSummaryBufferMemory sets its summary when the model "
        "has answered: a conversation that was cleared meanwhile stood in it again."
    ),
    needs=[Window, Summaries, method("clear")],
)
async def a_session_cleared_during_a_summary_is_not_in_it(memory: Memory) -> None:
    writer, clearer = await memory.callers(2)
    for _ in range(max(1, round(12 * memory.effort))):
        session = memory.session()
        old = await _say(memory, session, _window(memory))
        began = time.perf_counter()
        old += await _say(memory, session, 1)
        within = time.perf_counter() - began
        await asyncio.gather(
            writer.add(session, memory.messages(1)),
            cleared_after(clearer, session, memory.random.uniform(0, within)),
        )
        texts = await _texts(memory, session)
        if back := [each for each in old if any(each in text for text in texts)]:
            raise Violation(
                f"resurrected: {quote(back[0])} was cleared and is told again",
                f"given {quote_list(texts)}",
            )


@check(
    "LIV60",
    "After many more messages than the window holds, it holds the newest ones, and only them.",
    incident=(
        "langchain issue 10078: over a history in a database the messages were taken out of a "
        "copy, the limit was never kept, and the whole conversation went to the model."
    ),
    needs=[Window],
)
async def a_window_holds_the_newest_messages_and_no_others(memory: Memory) -> None:
    session, window = memory.session(), _window(memory)
    said = await _say(memory, session, 2 * window + 1)
    found, newest = await memory.client.contents(session), said[-window:]
    if missing := [each for each in newest if each not in found]:
        raise Violation(
            f"lost: {len(missing)} of the {window} newest messages are not in the window",
            f"read back {quote_list(found)}",
        )
    if len(found) > window:
        raise Violation(
            f"stale: {len(found)} messages are given where the window holds {window}",
            f"read back {quote_list(found)}",
        )
    expect_contents(newest, found, session=session)


@check(
    "LIV61",
    "Each message that has left the window is in the summary, also those that left it long ago.",
    incident=(
        "vektori pull request 54: each summary was made of the messages that left last, and took "
        "the place of the one before, so that what had left earlier was forgotten."
    ),
    needs=[Window, Summaries],
)
async def what_has_left_the_window_is_told_in_the_summary(memory: Memory) -> None:
    session = memory.session()
    await _expect_told(memory, session, await _say(memory, session, 2 * _window(memory) + 1))

"""CON and LIV: a window keeps the newest messages, and a summary what has left it."""

import time
from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.concurrency.messages import clear_after, expect_arrived
from goldfish.catalogue.registry import Summaries, Window, check, method
from goldfish.catalogue.support.sizes import draw_size
from goldfish.catalogue.support.together import finish_all
from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory, contents_of
from goldfish.messages import ChatMessage

CROWD = 6


def _get_window(memory: Memory) -> int:
    assert memory.target.window is not None  # the checks need it
    return memory.target.window


async def _say(memory: Memory, session: str, count: int) -> list[Any]:
    """Add that many messages one after the other; return their contents."""
    said = memory.messages(count)
    for message in said:
        await memory.client.add(session, [message])
    return contents_of(said)


async def _say_at_once(
    callers: Sequence[Client], session: str, said: Sequence[ChatMessage]
) -> None:
    pairs = zip(callers, said, strict=False)  # a small window has fewer messages than callers
    await finish_all(*(caller.add(session, [message]) for caller, message in pairs))


async def _read_texts(memory: Memory, session: str) -> list[str]:
    """Return all contents that the memory has, including what the check did not write."""
    with memory.transcript.with_replies():
        return [str(each) for each in await memory.client.contents(session)]


async def _expect_in_summary(memory: Memory, session: str, said: Sequence[Any]) -> None:
    """Raise if one of these contents is neither in the window nor in a summary."""
    texts = await _read_texts(memory, session)
    untold = [each for each in said if not any(each in text for text in texts)]
    if untold:
        raise Violation(
            f"lost: {quote(untold[0])} left the window, but is not in the summary "
            f"({len(untold)} of {len(said)} missing)",
            f"said {quote_list(said)}",
            f"given {quote_list(texts)}",
        )


@check(
    "CON60",
    "Messages that arrive at once at a full window are kept, because they are the newest.",
    incident="biorouter issue 51: the history was read, shortened by a model that took its time, "
    "and written back; 229 of 231 messages that had arrived meanwhile were destroyed.",
    needs=[Window],
)
async def what_arrives_while_a_full_window_moves_is_kept(memory: Memory) -> None:
    callers = await memory.callers(CROWD)
    for _ in range(max(1, round(4 * memory.effort))):
        session = memory.session()
        await _say(memory, session, _get_window(memory))
        arrived = memory.messages(min(CROWD, _get_window(memory)))
        await _say_at_once(callers, session, arrived)
        found = await memory.client.contents(session)
        expect_arrived(contents_of(arrived), found, "at a full window")


@check(
    "CON61",
    "Everything that leaves the window in several turns at once is in the summary.",
    incident="thane-ai-agent issue 1168: turns that came during a summary could start another one "
    "of the same history, and the conversation fell apart.",
    needs=[Window, Summaries],
)
async def summaries_made_at_once_undo_none_of_each_other(memory: Memory) -> None:
    callers = await memory.callers(CROWD)
    for _ in range(max(1, round(4 * memory.effort))):
        session = memory.session()
        old = await _say(memory, session, _get_window(memory))
        arrived = memory.messages(CROWD)
        await _say_at_once(callers, session, arrived)
        await _expect_in_summary(memory, session, [*old, *contents_of(arrived)])


@check(
    "CON62",
    "A clear while a summary is made leaves nothing of the session, not even in the summary.",
    incident="langchain-classic 1.0.8 ConversationSummaryBufferMemory sets its summary when the "
    "model has answered: a conversation that was cleared meanwhile was in it again.",
    needs=[Window, Summaries, method("clear")],
)
async def a_session_cleared_during_a_summary_is_not_in_it(memory: Memory) -> None:
    writer, clearer = await memory.callers(2)
    for _ in range(max(1, round(12 * memory.effort))):
        session = memory.session()
        old = await _say(memory, session, _get_window(memory))
        began = time.perf_counter()
        old += await _say(memory, session, 1)
        within = time.perf_counter() - began
        await finish_all(
            writer.add(session, memory.messages(1)),
            clear_after(memory.random.uniform(0, within), clearer, session),
        )
        texts = await _read_texts(memory, session)
        if back := [each for each in old if any(each in text for text in texts)]:
            raise Violation(
                f"resurrected: {quote(back[0])} was cleared, but is in a summary again",
                f"given {quote_list(texts)}",
            )


@check(
    "LIV60",
    "After more messages than the window holds, it holds exactly the newest ones.",
    incident="langchain issue 10078: with a history in a database, messages were removed from a "
    "copy, so the limit had no effect and the whole conversation went to the model.",
    needs=[Window],
    basic=True,
)
async def a_window_holds_the_newest_messages_and_no_others(memory: Memory) -> None:
    session, window = memory.session(), _get_window(memory)
    said = await _say(memory, session, 2 * window + 1)
    found, newest = await memory.client.contents(session), said[-window:]
    if missing := [each for each in newest if each not in found]:
        raise Violation(
            f"lost: {len(missing)} of the {window} newest messages are not in the window",
            f"read back {quote_list(found)}",
        )
    if len(found) > window:
        raise Violation(
            f"stale: the window holds {window} messages, but a read returns {len(found)}",
            f"read back {quote_list(found)}",
        )
    expect_contents(newest, found, session=session)


@check(
    "LIV61",
    "Every message that has left the window is in the summary, however long ago it left.",
    incident="vektori pull request 54: each summary was made of the messages that left last, and "
    "replaced the one before, so what had left earlier was forgotten.",
    needs=[Window, Summaries],
    basic=True,
)
async def what_has_left_the_window_is_told_in_the_summary(memory: Memory) -> None:
    session, window = memory.session(), _get_window(memory)
    await _expect_in_summary(memory, session, await _say(memory, session, 2 * window + 1))
    # At once, and more than a summary may take at a time.
    session, many = memory.session("many"), memory.messages(window + draw_size(memory, 45, 150))
    await memory.client.add(session, many)
    await _expect_in_summary(memory, session, contents_of(many))

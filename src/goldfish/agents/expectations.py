"""What a prompt must show of its conversation; each function raises the violation it finds."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from goldfish.agents.conversation import Conversation
from goldfish.agents.dialogue import Question, draw_dialogue
from goldfish.agents.evidence import describe_loss, describe_turn
from goldfish.agents.prompts import (
    count_copies,
    count_injected,
    count_quotes,
    count_turns_shown,
    find_disorder,
    find_half,
    find_missing,
    find_repeated,
)
from goldfish.agents.turns import Turn
from goldfish.findings.result import Violation
from goldfish.mirror import find_marks

ENVELOPE = 50  # tokens: some agents count the JSON of a message, with its ids and types
PILE = 4  # messages: so many are no summary beside recalled facts


def list_due(talk: Conversation, turn: Turn) -> list[str]:
    """Return the marks that the prompt of a turn must show: of all earlier turns that count.

    What left a declared window is due only where a summary is declared; a window that holds one
    turn fewer than it says is full.
    """
    earlier = talk.list_earlier(turn)
    marks = [mark for each in earlier for mark in each.marks]
    window, agent = talk.target.window, talk.target.agent
    if talk.target.summarises:
        return marks
    before = talk.list_before(turn)
    if agent and agent.window_tokens:
        room = agent.window_tokens - _count_most(turn.prompt.system) - _count_most(turn.text)
        fitting = {mark for each in _fit(before, room) for mark in each.marks}
        marks = [mark for mark in marks if mark in fitting]
    if window is None:
        return marks
    held = set(_list_held(before, window - 2))
    return [mark for mark in marks if mark in held]


def _list_held(turns: Sequence[Turn], room: int) -> Iterator[str]:
    """Yield the marks that a window of so many messages surely holds.

    Calls of tools and their results count too, and whatever a turn that failed may have left.
    A window that begins with a question drops an answer whose question it has no room for.
    """
    for turn in reversed(turns):
        room -= turn.most_messages
        if turn.answer and room >= -1:
            yield turn.answer
        if room < 0:
            break
        yield turn.mark


def _fit(turns: Sequence[Turn], room: int) -> list[Turn]:
    """Return the newest turns that surely fit into so many tokens, however they are counted."""
    fitting: list[Turn] = []
    for turn in reversed(turns):
        sizes = [len(each.prompt.text) for each in turn.exchanges]
        called = max(sizes) - sizes[0] if turn.most_messages > 2 else 0  # calls and results
        room -= _count_most(turn.text) + _count_most(turn.reply) + called
        if room < 0:
            break
        fitting.insert(0, turn)
    return fitting


def _count_most(text: str) -> int:
    """Return more tokens than any tokenizer finds in an ordinary text, with its envelope."""
    return len(text) // 2 + ENVELOPE


def expect_remembered(talk: Conversation, turn: Turn | None = None) -> None:
    """Expect what was said and answered earlier in the prompt of a turn, by default the last."""
    turn = turn or talk.turns[-1]
    missing = find_missing(turn.prompt, list_due(talk, turn))
    if missing:
        raise blame_loss(talk, turn, missing)


def expect_present(talk: Conversation, turn: Turn, marks: Sequence[str]) -> None:
    """Expect these marks in the prompt of a turn."""
    if missing := find_missing(turn.prompt, marks):
        raise blame_loss(talk, turn, missing)


def expect_once(talk: Conversation, turn: Turn | None = None) -> None:
    """Expect no message more than once in the prompt of a turn."""
    turn = turn or talk.turns[-1]
    own = [mark for each in talk.list_earlier(turn) for mark in each.marks]
    for mark in (*own, turn.mark):
        if (copies := count_copies(turn.prompt, mark)) > 1:
            what = _name(talk, mark)
            raise _violation(
                talk, turn, "duplicated", f"{what} is in the prompt {copies} times", [mark]
            )


def expect_in_order(talk: Conversation, turn: Turn | None = None) -> None:
    """Expect the messages of a prompt in the order in which they were said."""
    turn = turn or talk.turns[-1]
    said = [mark for each in talk.list_earlier(turn) for mark in each.marks]
    if found := find_disorder(turn.prompt, [*said, turn.mark]):
        before, after = (_name(talk, mark) for mark in found)
        raise _violation(
            talk, turn, "reordered", f"{after} comes before {before} in the prompt", found
        )


def expect_newest_last(talk: Conversation, turn: Turn | None = None) -> None:
    """Expect the newest message of the user in the prompt, as the last one of hers."""
    turn = turn or talk.turns[-1]
    if turn.mark not in turn.prompt.text:
        what = f"the message of turn {turn.number} is not in the prompt that answers it"
        raise _violation(talk, turn, "lost", what, [turn.mark])
    if turn.mark not in turn.prompt.said:
        what = f"the message of turn {turn.number} is not the last one of the user in the prompt"
        raise _violation(talk, turn, "reordered", what, [turn.mark])


def expect_newest_whole(talk: Conversation, turns: Sequence[Turn]) -> None:
    """Expect the newest message of each turn as it was said, if the second turn shows it so.

    A summary that takes the question with it may still name it. The second turn tells which agents
    put questions into other words anyhow: the first one has nothing that they could refer to.
    """
    for turn in turns if _shows_whole(turns[1]) else ():
        if not _shows_whole(turn):
            what = f"the message of turn {turn.number} is not in the prompt that answers it as it"
            text = f"{what} was said, but only in a summary"
            raise _violation(talk, turn, "lost", text, [turn.mark])


def expect_long_whole(talk: Conversation, turns: Sequence[Turn]) -> None:
    """Expect all of a long message in its prompt, if the second turn shows a short one as it is."""
    turn = turns[-1]
    if _shows_whole(turns[1]) and not _shows_whole(turn):
        what = f"the message of turn {turn.number} has {len(turn.text):,} characters, and the"
        text = f"{what} prompt that answers it does not have all of them"
        raise _violation(talk, turn, "corrupted", text, [turn.mark])


def _shows_whole(turn: Turn) -> bool:
    """Return True if the newest message in a prompt has all words of the turn."""
    return " ".join(turn.text.split()) in " ".join(turn.prompt.said.split())


def expect_frame(talk: Conversation, frame: str, turns: Sequence[Turn] | None = None) -> None:
    """Expect the constant part of the system prompt in every prompt, once and first."""
    for turn in talk.turns if turns is None else turns:
        copies = turn.prompt.text.count(frame)
        what = f"the prompt of turn {turn.number}"
        if not copies:
            raise _violation(talk, turn, "lost", f"{what} does not have {frame[:60]!r}", [frame])
        if copies > 1:
            text = f"{what} has the system prompt {copies} times"
            raise _violation(talk, turn, "duplicated", text, [frame])
        if frame not in str(turn.prompt.messages[0]):
            raise _violation(talk, turn, "reordered", f"{what} begins with something else", [])


def expect_said_as_often(talk: Conversation, turn: Turn, mark: str, times: int) -> None:
    """Expect a mark that was said so many times in the prompt of a turn as often."""
    if (copies := turn.prompt.text.count(mark)) < times:
        what = f"{mark!r} was said {times} times; the prompt of turn {turn.number} has it"
        how_often = {0: "never", 1: "once"}.get(copies, f"{copies} times")
        raise _violation(talk, turn, "lost", f"{what} {how_often}", [mark])


def expect_nothing_repeated(talk: Conversation, turn: Turn) -> None:
    """Expect no instruction, summary or recalled fact more than once in the prompt of a turn."""
    if message := find_repeated(turn.prompt):
        text = " ".join(message.text.split())[:60]
        what = f"the {message.role} message {text!r} is in the prompt of turn {turn.number} again"
        raise _violation(talk, turn, "duplicated", f"{what} and again", [])


def expect_nothing_piled_up(talk: Conversation, turns: Sequence[Turn]) -> None:
    """Expect that instructions, summaries and recalled facts do not grow more with every turn."""
    last = turns[-1]
    counts = [count_injected(each.prompt) for each in turns[-PILE:]]
    where = f"the prompt of turn {last.number}"
    if all(more > fewer for fewer, more in pairwise(counts)):
        what = f"{where} has {counts[-1]} messages that nobody said, more with every turn"
        raise _violation(talk, last, "duplicated", what, [])
    for mark in find_marks(last.prompt.text):
        if (quotes := count_quotes(last.prompt, mark)) >= PILE:
            what = f"{_name(talk, mark)} is recalled in {quotes} messages of {where}"
            raise _violation(talk, last, "duplicated", what, [mark])


def expect_within(talk: Conversation, turn: Turn, window: int) -> None:
    """Expect no more messages in the prompt of a turn than the window that was declared."""
    if (shown := count_turns_shown(turn.prompt)) > window:
        what = f"the prompt of turn {turn.number} has {shown} messages before the newest one"
        raise _violation(talk, turn, "wrong", f"{what}, and the window is {window}", [])


def expect_well_formed(talk: Conversation, turn: Turn) -> None:
    """Expect every tool call with its result in all prompts of a turn."""
    for exchange in turn.exchanges:
        if half := find_half(exchange.prompt):
            what = f"a prompt of turn {turn.number} has {half}"
            raise _violation(talk, turn, "torn", what, [])


def expect_foreign_absent(talk: Conversation, others: Sequence[Conversation]) -> None:
    """Expect nothing of other conversations in any prompt of this one."""
    foreign = {mark: other for other in others for each in other.turns for mark in each.marks_seen}
    for turn in talk.turns:
        for exchange in turn.exchanges:
            for mark, other in foreign.items():
                if mark in exchange.prompt.text:
                    what = f"{_name(other, mark)} in {other.session!r} by {other.user!r},"
                    where = f"is in a prompt of {talk.session!r} ({talk.user!r})"
                    raise _violation(talk, turn, "leaked", f"{what} {where}", [mark])


def expect_forgotten(talk: Conversation, before: int, others: Sequence[Conversation] = ()) -> None:
    """Expect nothing of the first turns, before all was forgotten, in any prompt after them.

    ``others`` are conversations that were forgotten at the same time; their turns count too.
    """
    forgotten = [(each, talked) for talked in others or [talk] for each in talked.turns[:before]]
    later = talk.turns if others and talk not in others else talk.turns[before:]
    for turn in later:
        for exchange in turn.exchanges:
            for old, talked in forgotten:
                for mark in old.marks_seen:
                    if mark in exchange.prompt.text:
                        what = f"{_name(talked, mark)} was forgotten, but is in a prompt of turn"
                        text = f"{what} {turn.number}"
                        raise _violation(talk, turn, "resurrected", text, [mark])


def blame_loss(talk: Conversation, turn: Turn, missing: Sequence[str]) -> Violation:
    """Return the violation of a prompt that lacks what was said earlier."""
    first = _name(talk, missing[0])
    more = len(missing) - 1
    subject = f"{first} and {more} more were" if more else f"{first} was"
    it = "them" if more else "it"
    is_own = turn.session == talk.session
    where = f"turn {turn.number}" if is_own else f"turn {turn.number} in {turn.session!r}"
    what = f"{subject} acknowledged, but the prompt of {where} does not have {it}"
    loss = describe_loss(talk.turns, turn, missing[0]) if is_own else []
    return _violation(talk, turn, "lost", what, missing, *loss)


def _violation(
    talk: Conversation, turn: Turn, finding: str, text: str, marks: Sequence[str], *more: str
) -> Violation:
    about = tuple(each.text for each in talk.turns if set(each.marks_seen) & set(marks))
    certain = [NOT_CERTAIN] if turn.reply and not turn.is_certain else []
    evidence = (*more, *describe_turn(turn, marks), *certain)
    dialogue = draw_dialogue(talk, Question(finding, turn, marks))
    return Violation(
        f"{finding}: {text}", *evidence, session=talk.session, about=about, dialogue=dialogue
    )


NOT_CERTAIN = "the reply has no mark of the model: this is the last request of the turn"


def _name(talk: Conversation, mark: str) -> str:
    """Return a mark with what it stands for."""
    for turn in talk.turns:
        if mark == turn.mark:
            return f"{mark!r}, said in turn {turn.number},"
        if mark == turn.answer:
            return f"{mark!r}, the answer of turn {turn.number},"
    return repr(mark)

"""What a prompt shows of a conversation: pure functions over its messages and marks."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from goldfish.history.dialogue import NO_CALL, NO_RESULT
from goldfish.mirror import Message, Prompt, find_marks
from goldfish.mirror.answers import Fingerprint

ROLES = {"m": "user", "r": "assistant"}  # who says a mark, by its first letter
INJECTED = ("system", "developer", "user")  # as whom agents speak to the model
SENTENCE = re.compile(r".+?(?:[.!?]\s+|\n+|\Z)", re.DOTALL)
CUT_WORD, DIGIT = re.compile(r"\S+\Z"), re.compile(r"\d")


def find_missing(prompt: Prompt, marks: Iterable[str]) -> list[str]:
    """Return the marks that are nowhere in the prompt."""
    return [each for each in marks if each not in prompt.text]


def count_copies(prompt: Prompt, mark: str) -> int:
    """Return how many messages of the prompt say this, and not only quote it.

    A message says the last of its marks: what stands before it was recalled. A prompt that is one
    text says each mark as often as it stands there.
    """
    if is_transcript(prompt):
        return sum(each.text.count(mark) for each in prompt.messages if each.role == "user")
    return sum(find_own_mark(each) == mark for each in prompt.messages)


def list_said(prompt: Prompt) -> list[str]:
    """Return the marks that the messages of a prompt say, in their order, copies included."""
    if is_transcript(prompt):
        return find_marks(prompt.said)
    return [mark for each in prompt.messages if (mark := find_own_mark(each))]


def find_disorder(prompt: Prompt, marks: Sequence[str]) -> tuple[str, str] | None:
    """Return two marks that the prompt has in the other order than they were said, or None."""
    places = {mark: place for place, mark in reversed(list(enumerate(list_said(prompt))))}
    there = [mark for mark in marks if mark in places]
    for before, after in pairwise(there):
        if places[before] > places[after]:
            return before, after
    return None


def is_transcript(prompt: Prompt) -> bool:
    """Return True if the whole conversation stands in one message of the user."""
    talk = [each for each in prompt.messages if each.role != "system"]
    return len(talk) == 1 and len(find_marks(talk[0].text)) > 1


def find_half(prompt: Prompt) -> str | None:
    """Return what is half in a prompt: a call without its result, or a result without its call.

    Providers that know no ids of calls are read by the order alone.
    """
    waiting: list[str] = []
    for message in prompt.messages:
        if message.role == "tool":
            if message.call_id and message.call_id not in waiting:
                return f"a result without its call: {message.text[:60]!r}"
            answered = message.call_id or next(iter(waiting), None)
            waiting = [each for each in waiting if each != answered]
        elif waiting:
            return f"a call without its result: {waiting[0]}"
        waiting = [*waiting, *(each.id for each in message.calls if each.id)]
    return f"a call without its result: {waiting[0]}" if waiting else None


def find_unpaired(prompt: Prompt) -> dict[int, str]:
    """Return the places of tool calls without a result, and of results without a call."""
    called = {call.id for each in prompt.messages for call in each.calls if call.id}
    answered = {each.call_id for each in prompt.messages if each.role == "tool"}
    found = {}
    for place, message in enumerate(prompt.messages):
        if any(call.id and call.id not in answered for call in message.calls):
            found[place] = NO_RESULT
        elif message.role == "tool" and message.call_id and message.call_id not in called:
            found[place] = NO_CALL
    return found


def find_repeated(prompt: Prompt) -> Message | None:
    """Return a message that nobody said and that is in the prompt more than once, or None.

    It has no mark of its own: instructions, recalled facts, a summary.
    """
    seen: set[tuple[str, str]] = set()
    for message in prompt.messages:
        is_said = message.role == "tool" or message.calls or find_own_mark(message)
        if is_said or not message.text.strip():
            continue
        if (message.role, message.text) in seen:
            return message
        seen.add((message.role, message.text))
    return None


def count_injected(prompt: Prompt) -> int:
    """Return how many messages of a prompt the agent put there without anybody having said them."""
    return sum(
        each.role in INJECTED and find_own_mark(each) is None and bool(each.text.strip())
        for each in prompt.messages
    )


def count_quotes(prompt: Prompt, mark: str) -> int:
    """Return how many messages of a prompt recall this, and do not say it."""
    return sum(
        each.role in INJECTED and mark in each.text and find_own_mark(each) != mark
        for each in prompt.messages
    )


def is_alike(main: Prompt, prompt: Prompt) -> bool:
    """Return True if a prompt is of the same kind as a main one: not a summary, not a router."""
    return Fingerprint.of("", main).covers(Fingerprint.of("", prompt))


def count_turns_shown(prompt: Prompt) -> int:
    """Return how many messages a prompt has before the newest one.

    Those of the system are not among them, and no note that nobody said: a summary, or how many
    messages were left out.
    """
    shown = [each for each in prompt.messages if each.role not in ("system", "developer")]
    notes = sum(each.role == "user" and find_own_mark(each) is None for each in shown[:-1])
    return len(shown) - 1 - notes


def find_common_start(one: str, other: str) -> str:
    """Return the beginning that two texts share."""
    length = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    return one[:length]


def find_constant_part(one: str, other: str) -> str:
    """Return the most of the beginning of two system prompts that is sure to stay as it is.

    That is whole words, in sentences without a number: a time or the number of a process may be the
    same in two prompts of one moment, and another one later.
    """
    start = find_common_start(one, other)
    if one != other:
        start = CUT_WORD.sub("", start)
    parts = [""]
    for sentence in SENTENCE.findall(start):
        if DIGIT.search(sentence):
            parts.append("")
        else:
            parts[-1] += sentence
    return max(parts, key=len).strip()


def find_own_mark(message: Message) -> str | None:
    """Return the mark that a message says, as opposed to those that it quotes."""
    marks = [each for each in find_marks(message.text) if ROLES.get(each[0]) == message.role]
    return marks[-1] if marks else None

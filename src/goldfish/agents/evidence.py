"""Prompts as evidence: the lines of a report that show what a model was shown."""

from collections.abc import Collection, Sequence

from goldfish.agents.turns import Turn
from goldfish.errors import mask
from goldfish.mirror import Message, Prompt

LONGEST = 100  # characters of one message
MOST = 16  # messages of one prompt


def describe_turn(turn: Turn, marks: Collection[str] = ()) -> list[str]:
    """Return the prompt of a turn as lines, the messages with these marks among them."""
    if turn.main is None:
        return [f"turn {turn.number} ({turn.worker}): no request reached the model"]
    messages = turn.main.prompt.messages
    head = f"the prompt of turn {turn.number} ({turn.worker}), {len(messages)} messages:"
    return [head, *(f"  {line}" for line in describe_prompt(turn.main.prompt, marks))]


def describe_prompt(prompt: Prompt, marks: Collection[str] = ()) -> list[str]:
    """Return the messages of a prompt, one line each; of many, some."""
    lines: list[str] = []
    messages = prompt.messages
    skipped = 0
    for place, message in enumerate(messages):
        near = len(messages) <= MOST or place < MOST // 4 or place >= len(messages) - MOST // 2
        if near or any(mark in str(message) for mark in marks):
            if skipped:
                lines.append(f"… {skipped} more")
            skipped = 0
            lines.append(describe_message(message, marks))
        else:
            skipped += 1
    return lines


def describe_message(message: Message, marks: Collection[str] = ()) -> str:
    """Return a message as one line, cut around the marks."""
    text = " ".join(str(message).split())
    place = min((at for mark in marks if (at := text.find(mark)) >= 0), default=0)
    begin = max(0, place - LONGEST // 2)
    cut = text[begin : begin + LONGEST]
    before, after = "…" if begin else "", "…" if begin + LONGEST < len(text) else ""
    return mask(f"{message.role}: {before}{cut}{after}")


def describe_loss(turns: Sequence[Turn], turn: Turn, mark: str) -> list[str]:
    """Return which call lost a mark: the last turn whose prompt had it, and the next one."""
    later = [each for each in turns if each.number <= turn.number and each.main is not None]
    having = [each for each in later if each.main and mark in each.main.prompt.text]
    if not having:
        return [f"{mark} is in no prompt of this conversation"]
    last = having[-1]
    after = [each for each in later if each.number > last.number]
    if not after:
        return [f"{mark} is in the prompt of turn {last.number}"]
    where = f" ({after[0].worker})" if after[0].worker != last.worker else ""
    return [
        f"{mark} was last in the prompt of turn {last.number} ({last.worker})",
        f"turn {after[0].number}{where} is the first without it",
    ]

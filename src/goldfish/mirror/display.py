"""A prompt as people read it in a failed test or a report: shortened around what matters."""

from goldfish.mirror.record import Message, Prompt

WIDTH = 200  # characters of a message that are shown
MOST = 12  # messages that are shown: the first ones and the last ones
AROUND = 60  # characters on each side of what is searched


def explain_membership(text: str, prompt: Prompt, *, expected: bool) -> list[str]:
    """Return why a text is, or is not, in a prompt: which messages it has, and where it was."""
    if not expected:
        return [f"{shorten(text)!r} is in the prompt", "", *describe(prompt, around=text)]
    where = _find_last_prompt(text, prompt)
    return [f"{shorten(text)!r} is not in the prompt", *where, "", *describe(prompt)]


def describe(prompt: Prompt, around: str = "") -> list[str]:
    """Return a line for each message of a prompt; those in the middle of a long one are counted."""
    lines = [_describe_message(each, around) for each in prompt.messages]
    if len(lines) > MOST:
        half = MOST // 2
        omitted = f"  … {len(lines) - MOST} more messages …"
        lines = [*lines[:half], omitted, *lines[-half:]]
    count = len(prompt.messages)
    messages = "1 message" if count == 1 else f"{count} messages"
    head = f"The model was shown {messages}, {len(prompt.text)} characters:"
    return [head, *lines]


def shorten(text: str, width: int = WIDTH, around: str = "") -> str:
    """Return a text in one line; of a long one its two ends, or what is around a word in it."""
    at = text.find(around) if around else -1
    if at >= 0 and len(text) > width:
        begin, end = max(0, at - AROUND), at + len(around) + AROUND
        inside = text[begin:end]
        text = ("…" if begin else "") + inside + ("…" if end < len(text) else "")
    elif len(text) > width:
        half = width // 2
        text = f"{text[:half]} … {len(text) - width} characters … {text[-half:]}"
    return " ".join(text.split())


def _describe_message(message: Message, around: str) -> str:
    return f"  {message.role}: {shorten(str(message), around=around)}"


def _find_last_prompt(text: str, prompt: Prompt) -> list[str]:
    older = prompt.before()
    found = [number for number, each in enumerate(older, 1) if text in each]
    if not older:
        return []
    if not found:
        return [f"(and in none of the {len(older)} prompts before it)"]
    which = next(each for each in reversed(older[found[-1] - 1].messages) if text in str(each))
    return [
        f"It was in prompt {found[-1]} of {len(older) + 1}, as {which.role}: "
        f"{shorten(str(which), around=text)!r}"
    ]

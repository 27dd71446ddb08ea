"""Steps of a sequence: plain calls, written as they can be pasted into a program."""

import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from goldfish.findings.comparison import quote
from goldfish.messages import ChatMessage

HERE, THERE = "memory", "other"  # the opening in this process, and the one in another
WIDTH = 72  # columns that a terminal of 80 leaves to evidence
TOLD = ("role", "content", "name", "tool_calls", "tool_call_id", "metadata")


@dataclass(frozen=True)
class Variable:
    """What an earlier step returned, by name."""

    name: str


@dataclass(frozen=True)
class Step:
    """One call; ``makes`` names the variable for what it returns."""

    method: str
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    makes: str = ""
    who: str = HERE

    @property
    def owner(self) -> str:
        """The session or the user that it is about; empty if it is about none or several."""
        return self.arguments[0] if self.arguments and isinstance(self.arguments[0], str) else ""


def show_script(steps: Sequence[Step]) -> list[str]:
    """Return the calls as Python, each in as many lines as fit a terminal."""
    counted = Counter(each for step in steps for each in _list_ids(step))
    often = [each for each, count in counted.items() if count > 1]
    names = {each: f"m{number}" for number, each in enumerate(often, 1)}
    return [line for step in steps for line in wrap_code(_show_step(step, names))]


def wrap_code(line: str, width: int = WIDTH) -> list[str]:
    """Return a call as lines of this width, broken after commas, where Python goes on reading."""
    tokens = tokenize.generate_tokens(io.StringIO(line).readline)
    commas = [token.end[1] for token in tokens if token.string == ","]
    lines = [""]
    for start, end in pairwise([0, *commas, len(line)]):
        piece = line[start:end]
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append(f"    {piece.lstrip()}")
        else:
            lines[-1] += piece
    return lines


def _list_ids(step: Step) -> Iterator[str]:
    """Yield the ids of messages that a step names."""
    for value in step.arguments[1:]:
        for each in value if isinstance(value, list) else ():
            yield each.id if isinstance(each, ChatMessage) else each


def _show_step(step: Step, names: Mapping[str, str]) -> str:
    if step.method == "reopen":
        return f"{HERE} = await reopen()"
    if step.method == "wait":
        return f"await asyncio.sleep({step.arguments[0]:g})"
    arguments = [_show(each, names) for each in step.arguments]
    arguments += [f"{name}={_show(each, names)}" for name, each in step.options.items()]
    call = f"await {step.who}.{step.method}({', '.join(arguments)})"
    if step.method == "remember":
        return f"{step.makes} = ({call}).id"
    return f"{step.makes} = {call}" if step.makes else call


def _show(value: Any, names: Mapping[str, str]) -> str:
    """Return a value as Python; an id only if it occurs more than once."""
    match value:
        case Variable():
            return value.name
        case ChatMessage():
            told = {name: getattr(value, name) for name in TOLD}
            told = {name: each for name, each in told.items() if each not in (None, [], {})}
            told |= {"id": names[value.id]} if value.id in names else {}
            return f"ChatMessage({', '.join(f'{name}={each!r}' for name, each in told.items())})"
        case list():
            return f"[{', '.join(_show(each, names) for each in value)}]"
        case str() if value in names:
            return repr(names[value])
        case None | int() | float():
            return repr(value)
    return quote(value, 120)

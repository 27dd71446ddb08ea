"""What the mirror answers by itself: a mark, or all marks that an auxiliary request was shown."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from goldfish.mirror.example import answer_by_example
from goldfish.mirror.marks import ARGUMENT, REPLY, SAID, Marks, find_marks
from goldfish.mirror.record import Prompt, Tool, ToolCall
from goldfish.mirror.schema import make_instance

CHARACTERS_PER_TOKEN = 4
OPENING = 60  # characters by which system prompts are told apart: memories follow further down


@dataclass(frozen=True)
class Answer:
    """What a model says: a text, or tool calls."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    mark: str | None = None


@dataclass(frozen=True)
class Fingerprint:
    """What the main requests of an agent have in common."""

    provider: str
    opening: str
    tools: frozenset[str]
    output: str

    @classmethod
    def of(cls, provider: str, prompt: Prompt) -> "Fingerprint":
        """Return the fingerprint of a request."""
        tools = frozenset(each.name for each in prompt.tools)
        output = json.dumps(prompt.output, sort_keys=True)
        return cls(provider, prompt.system[:OPENING], tools, output)

    def covers(self, other: "Fingerprint") -> bool:
        """Return True if the other differs at most by what was put behind a short system prompt."""
        is_longer = bool(self.opening) and other.opening.startswith(self.opening)
        return self == (replace(other, opening=self.opening) if is_longer else other)


def is_auxiliary_by_marks(prompt: Prompt) -> bool:
    """Return True if the newest marks are not those of a user who waits for an answer.

    A summary of a conversation ends with a reply, or with an instruction that has no mark.
    """
    marks = [each for each in find_marks(prompt.text) if each[0] in (SAID, REPLY)]
    if not any(each[0] == SAID for each in marks):
        return False
    # The same words may be said twice, so the last place of a mark counts, not the first.
    newest = max(marks, key=prompt.text.rfind)
    return newest[0] == REPLY or not find_marks(prompt.said)


class Answers:
    """The ordinary answers of one mirror."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks
        self._calls = 0

    def answer(self, prompt: Prompt, *, is_main: bool, is_known: bool = False) -> Answer:
        """Return the answer to a prompt that the script has nothing for.

        ``is_known`` says that earlier replies to such requests were given to the user: what has a
        schema is no extraction then, and quotes nothing.
        """
        mark = self._marks.draw(REPLY)
        if prompt.forced is not None and prompt.tools:
            names = [each.name for each in prompt.tools]
            name = prompt.forced if prompt.forced in names else names[0]
            shown = [] if is_known else find_marks(prompt.text)
            called = self.call(prompt, ((name, None),), shown=[*shown, mark])
            return replace(called, mark=mark)
        if prompt.output is not None:
            shown = [] if is_known else self._fitting(prompt)
            quoted = [mark] if is_known else shown
            value = None if prompt.output else answer_by_example(prompt, quoted, mark)
            if value is None:
                value = make_instance(prompt.output, " ".join([*shown, mark]))
            return Answer(json.dumps(value, ensure_ascii=False), mark=mark)
        words = ["Understood."] if is_main else self._fitting(prompt)
        return Answer(" ".join([*words, mark]), mark=mark)

    def call(
        self,
        prompt: Prompt,
        wanted: tuple[tuple[str, Mapping[str, Any] | None], ...],
        shown: list[str] | None = None,
    ) -> Answer:
        """Return an answer that calls tools, with arguments made from their schemas if need be."""
        offered = {each.name: each for each in prompt.tools}
        calls = []
        for name, arguments in wanted:
            if arguments is None:
                text = " ".join(shown) if shown else self._marks.draw(ARGUMENT)
                arguments = make_instance(offered.get(name, Tool(name)).schema, text)
            self._calls += 1
            text = json.dumps(arguments, ensure_ascii=False)
            calls.append(ToolCall(f"call_{self._calls:024d}", name, text))
        return Answer(calls=tuple(calls))

    def _fitting(self, prompt: Prompt) -> list[str]:
        """Return the marks that a prompt shows, as many of the newest as its max_tokens allow."""
        shown = find_marks(prompt.text)
        if prompt.max_tokens is None:
            return shown
        room = prompt.max_tokens * CHARACTERS_PER_TOKEN // len("r5f2c9 ") - 1
        return shown[-room:] if room > 0 else []

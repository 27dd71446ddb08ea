"""Answers of tools: structured content, JSON in text, or prose, and the facts in them.

Nothing is guessed. A path that leads nowhere, and prose that no declared pattern explains, raise an
``AnswerError``: a map that does not fit must never look like a memory that forgets.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from goldfish.mcp.templates import fill

STEP = re.compile(r"([^.\[\]]+)|\[\]|\[([^\[\]=]+)=([^\[\]]*)\]")
SHOWN = 80  # characters of an answer that an error quotes
LONE = "result"  # the name under which MCP's own servers hand out what is no object


class AnswerError(Exception):
    """An answer does not have what the map says; the message says which tool and what it has."""


class ToolError(Exception):
    """The tool itself reported an error, in its own words."""


@dataclass(frozen=True)
class Answer:
    """What a tool returned: ``value`` is structured content or parsed JSON, else the prose.

    ``is_lone`` says that it was a text alone in structured content, which a path may name or not.
    """

    tool: str
    value: Any
    prose: str
    is_lone: bool = False

    @classmethod
    def of(cls, tool: str, result: Mapping[str, Any]) -> "Answer":
        """Return the answer in a result of ``tools/call``; raise what the tool reports as error."""
        parts = result.get("content") or ()
        prose = "\n".join(str(each["text"]) for each in parts if each.get("type") == "text")
        if result.get("isError"):
            raise ToolError(" ".join(prose.split()) or f"{tool} failed without a word")
        structured = result.get("structuredContent")
        if structured is None:
            return cls(tool, parse_text(prose), prose)
        text = _find_lone_text(structured)
        if text is None:
            return cls(tool, structured, prose)
        return cls(tool, parse_text(text), prose or text, is_lone=True)

    def find(self, path: str, values: Mapping[str, Any]) -> list[Any]:
        """Return what a path leads to, which may be many things or none."""
        steps = split_path(path)
        named = self.is_lone and steps[:1] == [Step(LONE)]
        found = [{LONE: self.value} if named else self.value]
        for step in steps:
            found = [each for value in found for each in self._follow(value, step, values)]
        return [each for each in found if each is not None]

    def match(self, pattern: str, nothing: str) -> list[dict[str, str]]:
        """Return the named groups of each match of a pattern in the prose."""
        found = [each.groupdict() for each in re.finditer(pattern, self.prose, re.MULTILINE)]
        if found or not self.prose.strip():
            return found
        if nothing and re.search(nothing, self.prose):
            return []
        raise AnswerError(
            f"the answer of {self.tool} matches neither pattern= nor nothing=: {_quote(self.prose)}"
        )

    def _follow(self, value: Any, step: "Step", values: Mapping[str, Any]) -> Iterator[Any]:
        if isinstance(value, str):
            value = parse_text(value)
        if value is None:
            return
        if step.name:
            yield self._get(value, step.name)
            return
        if not isinstance(value, list):
            raise self._complain(value, "list")
        wanted = fill(step.value, values)
        for each in value:
            if not step.key or self._get(each, step.key) == wanted:
                yield each

    def _get(self, value: Any, name: str) -> Any:
        if not isinstance(value, Mapping) or name not in value:
            raise self._complain(value, repr(name))
        return value[name]

    def _complain(self, value: Any, missing: str) -> AnswerError:
        if isinstance(value, Mapping):
            has = f"it has {', '.join(map(repr, value)) or 'nothing'}"
        else:
            has = f"it is {_quote(value)}"
        return AnswerError(f"the answer of {self.tool} has no {missing} where the map looks: {has}")


@dataclass(frozen=True)
class Step:
    """One step of a path: a name, every item of a list, or the items whose key has a value."""

    name: str = ""
    key: str = ""
    value: str = ""


def split_path(path: str) -> list[Step]:
    """Return the steps of ``entities[name={user}].observations[]``; raise ValueError if wrong."""
    steps, place = [], 0
    while place < len(path):
        place += path[place] == "."
        found = STEP.match(path, place)
        if found is None:
            raise ValueError(
                f"{path!r} is not a path: write names and [], as in results[].text, or "
                "[key=value] for the items with that value"
            )
        steps.append(Step(found[1] or "", found[2] or "", found[3] or ""))
        place = found.end()
    return steps


def parse_text(text: str) -> Any:
    """Return the JSON in a text, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _find_lone_text(structured: Any) -> str | None:
    """Return the text of a tool that returns one, which a server wrapped as an object; or None."""
    if isinstance(structured, Mapping) and set(structured) == {LONE}:
        return structured[LONE] if isinstance(structured[LONE], str) else None
    return None


def _quote(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")

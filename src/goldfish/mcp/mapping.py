"""A map: which tool of a server does what a store does, with which arguments, and where facts are.

It is plain data, so that it can be written in a file, guessed, and sent to another process.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from goldfish.errors import TargetError
from goldfish.mcp.answers import split_path
from goldfish.mcp.templates import VALUES, list_placeholders

ELSEWHERE = {"path"}  # what every template may name


def _as_tool(given: Any) -> Any:
    return {"tool": given} if isinstance(given, str) else given


def _as_tools(given: Any) -> Any:
    return list(map(_as_tool, given)) if isinstance(given, list | tuple) else [_as_tool(given)]


class Reading(BaseModel):
    """Where the facts are in an answer: by paths into JSON, or by a pattern in prose.

    ``facts`` leads to each fact, ``text``, ``id`` and ``metadata`` from there to its parts;
    ``pattern`` has groups of these names, and ``nothing`` is what prose without facts says.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: str | None = None
    text: str | None = None
    id: str | None = None
    metadata: str | None = None
    pattern: str | None = None
    nothing: str | None = None

    @model_validator(mode="after")
    def _check(self) -> "Reading":
        for path in filter(None, (self.facts, self.text, self.id, self.metadata)):
            split_path(path)
        for pattern in filter(None, (self.pattern, self.nothing)):
            _check_pattern(pattern)
        if self.pattern and "(?P<text>" not in self.pattern:
            raise ValueError(f"pattern= needs a group (?P<text>…) (got {self.pattern!r})")
        return self

    def over(self, other: "Reading") -> "Reading":
        """Return this reading, with the other's where it says nothing."""
        own = self.model_dump(include=set(Reading.model_fields), exclude_none=True)
        return Reading(**{**other.model_dump(include=set(Reading.model_fields)), **own})


class Tool(Reading):
    """One call of a tool; without ``arguments`` they are made from the tool's own schema."""

    tool: str
    arguments: dict[str, Any] | None = None


OneTool = Annotated[Tool, BeforeValidator(_as_tool)]
Tools = Annotated[list[Tool], BeforeValidator(_as_tools)]


class ToolMap(Reading):
    """What a server's tools mean: the methods of a store, and how their answers are read.

    ``begin`` is called once in a new storage, by whoever opens it first. ``contains`` says that
    prose is asked only whether it contains what was told; ``error`` is a pattern of answers that
    report an error without saying so, ``absent`` one of errors that say that a fact is not there.
    """

    begin: Tools | None = None
    remember: Tools
    recall: OneTool | None = None
    list_facts: OneTool | None = None
    get_fact: OneTool | None = None
    revise: Tools | None = None
    forget: Tools | None = None
    forget_all: Tools | None = None
    contains: bool = False
    error: str | None = None
    absent: str | None = None

    @model_validator(mode="after")
    def _check_map(self) -> "ToolMap":
        if self.recall is None and self.list_facts is None:
            raise ValueError("a map needs recall= or list_facts=, by which facts are read")
        for pattern in filter(None, (self.error, self.absent)):
            _check_pattern(pattern)
        for method, tool in self.list_calls():
            unknown = set(list_placeholders(tool.arguments)) - VALUES[method] - ELSEWHERE
            if unknown:
                known = ", ".join(f"{{{each}}}" for each in sorted(VALUES[method]))
                names = ", ".join(f"{{{each}}}" for each in sorted(unknown))
                raise ValueError(f"{method}= of {tool.tool} knows {known} (got {names})")
        return self

    def list_calls(self) -> Iterator[tuple[str, Tool]]:
        """Yield every tool of the map with the method that calls it."""
        for method in VALUES:
            found = getattr(self, method)
            for each in found if isinstance(found, list) else filter(None, [found]):
                yield method, each

    def steps(self, method: str) -> list[Tool]:
        """Return the tools that a method calls, one after the other."""
        return [tool for name, tool in self.list_calls() if name == method]

    def uses(self, method: str, value: str) -> bool:
        """Return True if a call of the method passes this value on."""
        return any(value in list_placeholders(each.arguments) for each in self.steps(method))

    def replace_tools(self, tools: Mapping[str, list[Tool]]) -> "ToolMap":
        """Return the map with other calls for some methods."""
        single = {"recall", "list_facts", "get_fact"}
        changed = {name: each[0] if name in single else each for name, each in tools.items()}
        return self.model_copy(update=changed)


def make_map(given: Mapping[str, Any]) -> ToolMap:
    """Return the map that was declared; raise a TargetError that names what is wrong in it."""
    try:
        return ToolMap.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(each) for each in first["loc"] if isinstance(each, str))
        what = first["msg"].removeprefix("Value error, ")
        raise TargetError(
            f"the map of tools is wrong{f' at {where}' if where else ''}: {what}"
        ) from (None)


def _check_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from None

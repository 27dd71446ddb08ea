"""The store that the tools of a server make, by a map."""

import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from goldfish.mcp.answers import Answer, AnswerError, ToolError
from goldfish.mcp.mapping import Reading, Tool, ToolMap
from goldfish.mcp.register import Register
from goldfish.mcp.templates import VALUES, fill

EVERYTHING = 1000  # facts, where a list takes a limit
FEW = 5  # as the methods of a store say

Call = Callable[[str, str, Mapping[str, Any]], Awaitable[Answer]]  # user, tool, arguments


class McpStore:
    """Facts of users in a server; it has the methods for which its map names tools.

    Facts are dicts with a ``text``, and with an ``id`` and ``metadata`` if the map says where.
    """

    def __init__(
        self,
        tool_map: ToolMap,
        call: Call,
        close: Callable[[], Awaitable[None]],
        register: Register,
        place: Mapping[str, str],
    ) -> None:
        self._map = tool_map
        self._call = call
        self._close = close
        self._register = register
        self._place = place
        used = [method for method in VALUES if tool_map.steps(method)]
        self.lacking = {
            each: "the map names no tool" for each in VALUES if each not in (*used, "begin")
        }
        by_id = [each for each in used if tool_map.uses(each, "id")]
        # Whether the server can know whose fact an id is.
        self.scoped_ids = names_no_user(tool_map) or all(
            tool_map.uses(each, "user") for each in by_id
        )
        hidden = {"remember": "metadata", "recall": "limit", "list_facts": "limit"}
        for method, parameter in hidden.items():
            if not tool_map.uses(method, parameter):
                setattr(self, method, _without(getattr(self, method), parameter))

    async def remember(
        self, user_id: str, text: str, *, metadata: Mapping[str, Any] | None = None
    ) -> dict[str, Any] | None:
        """Tell a fact; return it with its id, if the answer shows that."""
        if self._map.contains:
            self._register.add(text)
        values = {"text": text, "metadata": dict(metadata or {}), "new": uuid4().hex}
        answer, tool = await self._run("remember", user_id, **values)
        if tool.id is None and tool.pattern is None:
            return None
        return {**self._read(answer, tool, user_id)[0], "text": text}

    async def recall(self, user_id: str, query: str, *, limit: int = FEW) -> list[dict[str, Any]]:
        """Return the facts that a search finds, best first."""
        answer, tool = await self._run("recall", user_id, query=query, limit=limit)
        return self._read(answer, tool.over(self._map), user_id)

    async def list_facts(self, user_id: str, *, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the facts of a user, in the order of the server."""
        most = EVERYTHING if limit is None else limit
        answer, tool = await self._run("list_facts", user_id, limit=most)
        return self._read(answer, tool.over(self._map), user_id)

    async def get_fact(self, user_id: str, fact_id: str) -> dict[str, Any] | None:
        """Return the fact with this id, or None."""
        with self._excusing_absence():
            answer, tool = await self._run("get_fact", user_id, id=fact_id)
            found = self._read(answer, tool.over(self._map), user_id)
            return found[0] if found else None
        return None

    async def revise(self, user_id: str, fact_id: str, text: str) -> None:
        """Give a fact another text."""
        if self._map.contains:
            self._register.add(text)
        await self._run("revise", user_id, id=fact_id, text=text)

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Remove a fact; one that is not there is left as it is."""
        with self._excusing_absence():
            await self._run("forget", user_id, id=fact_id)

    async def forget_all(self, user_id: str) -> None:
        """Remove all facts of a user."""
        with self._excusing_absence():
            await self._run("forget_all", user_id)

    async def aclose(self) -> None:
        """End the server."""
        await self._close()

    @contextmanager
    def _excusing_absence(self) -> Iterator[None]:
        """Take an error that says that a fact is not there for the answer that it is."""
        try:
            yield
        except ToolError as error:
            if not self._map.absent or not re.search(self._map.absent, str(error)):
                raise

    async def _run(self, method: str, user: str, **values: Any) -> tuple[Answer, Tool]:
        """Call the tools of a method one after the other; return the last answer, and its tool."""
        known = {**self._place, "user": self._place.get("prefix", "") + user, **values}
        for tool in self._map.steps(method):
            answer = await self._call(user, tool.tool, fill(tool.arguments or {}, known))
            if self._map.error and re.search(self._map.error, answer.prose):
                raise ToolError(answer.prose.strip().partition("\n")[0])
        return answer, tool

    def _read(self, answer: Answer, reading: Reading, user: str) -> list[dict[str, Any]]:
        """Return the facts in an answer, as the map says where they are."""
        if self._map.contains:
            return [{"text": each} for each in self._register.find_in(answer.prose)]
        if reading.pattern:
            return [dict(each) for each in answer.match(reading.pattern, reading.nothing or "")]
        values = {**self._place, "user": self._place.get("prefix", "") + user}
        items = answer.find(reading.facts or "", values)
        if any(isinstance(each, str) and each == answer.prose for each in items):
            if reading.nothing and re.search(reading.nothing, answer.prose):
                return []
            raise AnswerError(
                f"the answer of {answer.tool} is prose: declare pattern= for it, or contains=True"
            )
        return [_read_fact(answer.tool, each, reading, values) for each in items]


def names_no_user(tool_map: ToolMap) -> bool:
    """Return True if the server is never told whose facts they are: it has one user only."""
    return not any(tool_map.uses(method, "user") for method in VALUES)


def _read_fact(tool: str, item: Any, reading: Reading, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a fact with the parts for which the map has a path."""
    inside = Answer(tool, item, "")
    paths = {"text": reading.text or "", "id": reading.id, "metadata": reading.metadata}
    fact: dict[str, Any] = {}
    for part, path in paths.items():
        if path is not None:
            found = inside.find(path, values)
            fact[part] = found[0] if found else None
    return fact


def _without(method: Callable[..., Any], parameter: str) -> Callable[..., Any]:
    """Return a method whose signature does not show a parameter that the server does not take."""

    async def call(*arguments: Any, **options: Any) -> Any:
        return await method(*arguments, **options)

    signature = inspect.signature(method)
    kept: Iterable[inspect.Parameter] = (
        each for name, each in signature.parameters.items() if name != parameter
    )
    call.__signature__ = signature.replace(parameters=list(kept))  # type: ignore[attr-defined]
    return call

"""A client: the calls that a check makes through one opening of the memory, each recorded."""

import time
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from goldfish.errors import mask
from goldfish.findings.comparison import expect_contents
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.fields import contents_of, field, messages_in
from goldfish.harness.local import LocalClient, Methods
from goldfish.harness.transcript import Transcript
from goldfish.history import Call, History, Outcome
from goldfish.history.operations import METHODS
from goldfish.messages import ChatMessage


class Opened(Protocol):
    """A store that is open here or in another process."""

    methods: Methods
    lacking: dict[str, str]
    transcript: Transcript

    async def call(self, method: str, *arguments: Any, deadline: float, **options: Any) -> Any: ...

    async def close(self, *, deadline: float) -> None: ...


class Client:
    """One opening of the memory: the calls that a check makes, with their deadline."""

    def __init__(self, opened: Opened, deadline: float, name: str, history: History) -> None:
        self.opened = opened
        self.deadline = deadline
        self.closed = False
        self.name = name
        self._history = history

    def has(self, method: str, *parameters: str) -> bool:
        """Return True if the store has this method, and it takes these parameters."""
        if method not in self.opened.methods or self.counts_replies(method, *parameters):
            return False
        taken = self.opened.methods[method]
        return taken is None or set(parameters) <= set(taken)

    def spells(self, method: str, *parameters: str) -> bool:
        """Return True if the signature of this method names these parameters."""
        taken = self.opened.methods.get(method)
        return taken is not None and set(parameters) <= set(taken)

    def counts_replies(self, method: str, *parameters: str) -> bool:
        """Return True if unpredictable agent replies would change what this method counts."""
        return self.opened.transcript.answers and (method == "trim" or "last" in parameters)

    def lacking(self, method: str) -> str:
        """Return why the store says that it cannot use this method here; empty if it can."""
        return self.opened.lacking.get(method, "")

    def waiting(self, deadline: float) -> "Client":
        """Return the same opening for a caller that waits longer, or shorter."""
        return Client(self.opened, deadline, self.name, self._history)

    async def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method as it is; a StoreError says that it raised."""
        start, error, result, origin = time.perf_counter(), "", None, None
        outcome: Outcome = "unknown"
        try:
            deadline = self.deadline + more_patience(arguments)
            result = await self.opened.call(method, *arguments, deadline=deadline, **options)
            outcome = "ok"
            return result
        except StoreError as raised:
            outcome = "unknown" if isinstance(raised.error, EndedError) else "fail"
            error, origin = mask(str(raised)), raised.origin
            raise
        finally:
            what = _describe_call(method, arguments, options, result)
            times = start, time.perf_counter()
            self._history.calls.append(
                Call(self.name, *what, *times, outcome, error, self.name, origin=origin)
            )

    async def add(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Add a batch; when this returns, it is acknowledged."""
        await self.call("add_messages", session, messages)

    async def history(self, session: str, **options: Any) -> list[Any]:
        """Return the messages as the store hands them out."""
        return messages_in(await self.call("get_history", session, **options))

    async def contents(self, session: str, **options: Any) -> list[Any]:
        """Return the contents of the history, by which checks know their messages."""
        return contents_of(await self.history(session, **options))

    async def expect(
        self,
        session: str,
        expected: Iterable[Any],
        *,
        foreign: Iterable[Any] = (),
        gone: Iterable[Any] = (),
        **options: Any,
    ) -> None:
        """Raise the violation that explains why the contents are not the expected ones."""
        found = await self.contents(session, **options)
        expect_contents(list(expected), found, session=session, foreign=foreign, gone=gone)

    async def offer(self, session: str, messages: Sequence[ChatMessage]) -> StoreError | None:
        """Add a batch that the store may refuse; return the refusal, or None."""
        try:
            await self.add(session, messages)
        except StoreError as error:
            return error
        return None

    def abandon(self) -> None:
        """Leave this opening to itself: something in it may never return."""
        self.closed = True
        if isinstance(self.opened, LocalClient):
            self.opened.abandon()

    async def close(self) -> None:
        """Close this opening."""
        if not self.closed:
            self.closed = True
            await self.opened.close(deadline=self.deadline)


def more_patience(arguments: Sequence[Any]) -> float:
    """Return the seconds that a call may take beyond its deadline, for what was handed in.

    A store that writes message by message is slow with thousands of them, and still not wedged.
    """
    batches = [each for each in arguments if isinstance(each, list | tuple)]
    contents = [field(each, "content") for batch in batches for each in batch]
    characters = sum(len(each) for each in contents if isinstance(each, str))
    return 0.02 * len(contents) + characters / 1e6


def _describe_call(
    method: str, arguments: Sequence[Any], options: dict[str, Any], result: Any
) -> tuple[str, str, Any, Any]:
    """Return the session, action, value and result of a call, as a history has them."""
    session = str(arguments[0]) if arguments else ""
    if method == "add_messages" and isinstance(arguments[1], list | tuple):
        return session, METHODS[method].action, contents_of(arguments[1]), None
    if method == "get_history":
        found = contents_of(result) if isinstance(result, list | tuple) else None
        return session, METHODS[method].action, options.get("last"), found
    return session, method, next(iter([*arguments[1:], *options.values()]), None), result

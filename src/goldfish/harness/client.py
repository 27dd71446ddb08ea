"""A client: the calls that a check makes through one opening of the memory, each recorded."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from goldfish.errors import mask
from goldfish.findings.comparison import TAG, expect_contents
from goldfish.findings.result import Violation
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.fields import contents_of, field, messages_in
from goldfish.harness.local import LocalClient, Methods
from goldfish.harness.transcript import Transcript
from goldfish.history import Call, History, Outcome
from goldfish.history.operations import METHODS
from goldfish.messages import ChatMessage
from goldfish.targets.methods import Interface

LATER = (0.1, 0.4, 0.8)  # seconds to wait before each later read of what is missing


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
        return self.interface.has(method, *parameters)

    def spells(self, method: str, *parameters: str) -> bool:
        """Return True if the signature of this method names these parameters."""
        return self.interface.spells(method, *parameters)

    @property
    def interface(self) -> Interface:
        """What the opened store can be asked."""
        transcript = self.opened.transcript
        missing = transcript.dialect.unimplemented
        methods = {
            name: None if taken is None else tuple(taken)
            for name, taken in self.opened.methods.items()
            if name not in missing
        }
        why = {name: f"its {name} raises NotImplementedError" for name in missing}
        return Interface(methods, {**self.opened.lacking, **why}, transcript.answers)

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
        wanted, found = list(expected), await self.contents(session, **options)
        if found != wanted:
            await self.explain(session, wanted, found, foreign=foreign, gone=gone, **options)

    async def explain(
        self,
        session: str,
        wanted: Sequence[Any],
        found: Sequence[Any],
        *,
        foreign: Iterable[Any] = (),
        gone: Iterable[Any] = (),
        **options: Any,
    ) -> None:
        """Raise the violation that explains a read, with what is known of other sessions and later.

        What another session was given is leaked, even if the check did not expect it here. What is
        missing is stale, and not lost, if a later read returns it.
        """
        others = [*foreign, *find_foreign(self._history, session, found)]
        try:
            expect_contents(wanted, found, session=session, foreign=others, gone=gone)
        except Violation as violation:
            if violation.finding == "lost" and await self._reads_later(session, wanted, options):
                raise Violation(
                    f"stale: {violation.summary}; a later read does",
                    *violation.evidence,
                    session=violation.session,
                    about=violation.about,
                ) from violation
            raise

    async def _reads_later(
        self, session: str, wanted: Sequence[Any], options: Mapping[str, Any]
    ) -> bool:
        """Return True if all of it is read a little later, as from a replica that lags behind."""
        for pause in LATER:
            await asyncio.sleep(pause)
            try:
                found = await self.contents(session, **options)
            except (StoreError, Violation):
                continue
            if not Counter(map(repr, wanted)) - Counter(map(repr, found)):  # as often as wanted
                return True
        return False

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


def find_foreign(history: History, session: str, found: Sequence[Any]) -> list[Any]:
    """Return those of the contents that other sessions were given, and this one never was.

    Only of a text with a tag is it sure: a store may make "false" of "no" by itself.
    """
    given: dict[str, set[str]] = {}
    for call in history.calls:
        if call.action == "add" and isinstance(call.value, list | tuple):
            for content in call.value:
                given.setdefault(repr(content), set()).add(call.session)
    tagged = [each for each in found if TAG.search(str(each))]
    known = ((each, given.get(repr(each), set())) for each in tagged)
    return [each for each, sessions in known if sessions and session not in sessions]


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

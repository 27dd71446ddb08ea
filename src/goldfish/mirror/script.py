"""What the mirror answers instead of its ordinary reply, and to which requests."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from goldfish.mirror.record import Prompt

When: TypeAlias = str | Callable[[Prompt], object] | None


@dataclass(frozen=True)
class Reply:
    """Answer with this text."""

    text: str


@dataclass(frozen=True)
class CallTools:
    """Call tools; arguments that are None are made from the tool's schema."""

    calls: tuple[tuple[str, Mapping[str, Any] | None], ...]


@dataclass(frozen=True)
class Fail:
    """Answer with an error of the provider, or with a body that is no JSON."""

    status: int
    message: str | None = None
    body: str | None = None


@dataclass(frozen=True)
class Hang:
    """Answer nothing for so many seconds, then reset the connection."""

    seconds: float


@dataclass(frozen=True)
class HangUp:
    """End the answer after so many pieces: by a reset, or cleanly but without a finish reason."""

    after: int
    clean: bool


@dataclass(frozen=True)
class Slow:
    """Wait before the ordinary answer, and before each piece of a stream.

    The wait before the answer is over as soon as ``until`` is true.
    """

    seconds: float
    between: float
    until: Callable[[], object] | None = None


Action: TypeAlias = Reply | CallTools | Fail | Hang | HangUp | Slow


@dataclass
class Entry:
    """An action with the requests that it is for."""

    action: Action
    when: When
    times: int | None

    def fits(self, prompt: Prompt) -> bool:
        """Return True if the action is for this prompt."""
        if self.when is None:
            return True
        return self.when in prompt if isinstance(self.when, str) else bool(self.when(prompt))


class Script:
    """Actions that wait for their requests; the first that fits is taken."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._lock = threading.Lock()

    def add(self, entry: Entry) -> None:
        """Queue an action."""
        with self._lock:
            self._entries.append(entry)

    def take(self, prompt: Prompt) -> Action | None:
        """Return what to do with this prompt, and count it."""
        with self._lock:
            for entry in self._entries:
                if entry.fits(prompt):
                    return self._use(entry)
        return None

    def _use(self, entry: Entry) -> Action:
        if entry.times is not None:
            entry.times -= 1
            if entry.times <= 0:
                self._entries.remove(entry)
        return entry.action

    def drop(self, entries: list[Entry]) -> None:
        """Remove these actions, if they are still queued."""
        with self._lock:
            self._entries = [each for each in self._entries if each not in entries]

    def clear(self) -> None:
        """Remove all actions."""
        with self._lock:
            self._entries = []


class Scripting:
    """The verbs of a script, for whoever queues entries."""

    def _queue(self, entry: Entry) -> None:
        raise NotImplementedError

    def reply(self, text: str, *, when: When = None, times: int | None = 1) -> None:
        """Answer the next request, or one that contains ``when``, with this very text."""
        self._queue(Entry(Reply(text), when, times))

    def call_tool(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        when: When = None,
        times: int | None = 1,
    ) -> None:
        """Call a tool; without arguments they are made from its schema."""
        self._queue(Entry(CallTools(((name, arguments),)), when, times))

    def call_tools(
        self,
        *calls: str | tuple[str, Mapping[str, Any] | None],
        when: When = None,
        times: int | None = 1,
    ) -> None:
        """Call several tools in one answer: names, or pairs of a name and its arguments."""
        pairs = tuple((each, None) if isinstance(each, str) else each for each in calls)
        self._queue(Entry(CallTools(pairs), when, times))

    def fail(
        self,
        status: int = 500,
        *,
        message: str | None = None,
        body: str | None = None,
        when: When = None,
        times: int | None = 1,
    ) -> None:
        """Answer with an error; ``times=None`` until the turn ends, as clients retry by themselves.

        ``body`` is sent as it is, with any status: 200 with a body that is no JSON, for example.
        """
        self._queue(Entry(Fail(status, message, body), when, times))

    def hang(self, seconds: float = 30.0, *, when: When = None, times: int | None = 1) -> None:
        """Answer nothing for so many seconds, then reset the connection."""
        self._queue(Entry(Hang(seconds), when, times))

    def hang_up(
        self,
        after: int = 3,
        *,
        clean: bool = False,
        when: When = None,
        times: int | None = 1,
    ) -> None:
        """Break off after so many pieces: by a reset, or cleanly but without a finish reason."""
        self._queue(Entry(HangUp(after, clean), when, times))

    def slow(
        self,
        seconds: float = 1.0,
        *,
        between: float = 0.0,
        until: Callable[[], object] | None = None,
        when: When = None,
        times: int | None = 1,
    ) -> None:
        """Wait before the ordinary answer, and ``between`` the pieces of a stream.

        The answer comes sooner if ``until`` is true before the seconds are over.
        """
        self._queue(Entry(Slow(seconds, between, until), when, times))

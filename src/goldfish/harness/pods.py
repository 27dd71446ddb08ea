"""Pods: other processes that open the target and serve calls, as replicas of a service would.

They are forked from the fork server of the target, a process that has paid for the imports and has
no threads. Pods talk over a socket, never over standard output, where libraries print.
"""

import asyncio
import contextlib
import itertools
import os
import signal
from typing import Any, Self

from goldfish.findings.result import Violation
from goldfish.harness.crash import Crash
from goldfish.harness.errors import EndedError, RemoteError, StoreError
from goldfish.harness.forks import SERVE_CALLS, ForkServer
from goldfish.harness.patience import OverdueError, make_blame, wait_patiently
from goldfish.harness.replica import OPENS_WITHIN
from goldfish.harness.transcript import Transcript
from goldfish.harness.wire import pack, unpack
from goldfish.history.origin import parse_origin
from goldfish.services import cleanup

# The pod itself measures its calls, and leaves out its imports; this is for a pod that cannot.
MARGIN = 20.0


class Pod:
    """A process group that opens the target, and serves any number of calls at once.

    Calls on one *lane* come one after the other where the store is not async; each lane of a sync
    store has a thread, and an opening of its own unless the target says that threads may share.
    """

    def __init__(
        self,
        pid: int,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        imported: list[str],
        transcript: Transcript,
    ) -> None:
        self.pid = pid
        self._imported = imported  # what pods needed that their fork server did not have
        self.methods: dict[str, list[str] | None] = {}
        self.lacking: dict[str, str] = {}
        self.transcript = transcript
        self.ended = self.killed = False
        self._crash: Crash | None = None
        self._writer = writer
        self._numbers = itertools.count()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.create_task(self._listen(reader))
        cleanup.watch_process(pid)

    @classmethod
    async def fork(
        cls,
        forks: ForkServer,
        sandbox: dict[str, Any],
        options: dict[str, Any],
        transcript: Transcript,
        serve: str = SERVE_CALLS,
    ) -> Self:
        """Return a new process that is ready to open the target in that sandbox."""
        pid, connection = await forks.order_pod(sandbox, options, serve)
        return cls(pid, *connection, forks.imported, transcript)

    async def open(self, lanes: int = 1) -> Self:
        """Let the process open the target; what the factory raises comes as a StoreError."""
        try:
            answer = await wait_patiently(self._ask("open", lanes), OPENS_WITHIN + MARGIN)
            self.methods = self._unwrap("opening", answer)
        except OverdueError as overdue:
            self.kill()
            raise overdue.blame(
                f"wedged: opening did not return within {OPENS_WITHIN:g} s"
            ) from None
        except BaseException:
            self.kill()
            raise
        return self

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any:
        """Call a method in that process, and return what it returns."""

        async def ask(given: tuple[Any, ...], options: dict[str, Any]) -> Any:
            work = self._ask("call", lane, method, list(given), options, deadline)
            try:
                answer = await wait_patiently(work, deadline + MARGIN)
            except OverdueError as overdue:
                late = f"wedged: {method} did not return within {deadline:g} s"
                raise overdue.blame(late) from None
            return self._unwrap(method, answer)

        return await self.transcript.exchange(method, arguments, options, ask)

    async def close(self, *, deadline: float) -> None:
        """Close the store there, and end the process."""
        try:
            answer = await wait_patiently(self._ask("close", deadline), deadline + MARGIN)
        except OverdueError as overdue:
            raise overdue.blame(f"wedged: closing took longer than {deadline:g} s") from None
        finally:
            self.kill()
        self._unwrap("closing", answer)

    def pause(self) -> None:
        """Stop the process where it is, with SIGSTOP."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a paused process go on."""
        self._signal(signal.SIGCONT)

    def kill(self) -> None:
        """End the process with SIGKILL, in whatever it does."""
        self._signal(signal.SIGKILL)
        self.killed = True
        cleanup.forget_process(self.pid)
        self._writer.close()
        self._end()
        self._listening.cancel()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if not self.killed:  # its number may be another process's by now
                os.killpg(self.pid, number)  # with what the store has started

    def _ask(self, *request: Any) -> "asyncio.Future[Any]":
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if self.ended:
            answer.set_result(None)
        else:
            number = next(self._numbers)
            self._answers[number] = answer
            self._writer.write(pack([number, *request]))
        return answer

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                number, kind, value, imported = unpack(line)
                if number == "ended":  # the last words, which are its server's
                    self._crash = Crash(kind, value, ()) if not self.killed else None
                    break
                self._imported += imported
                self._settle(number, (kind, value))
        self._end()

    def _end(self) -> None:
        self.ended = True
        for number in list(self._answers):
            self._settle(number, None)

    def _settle(self, number: int, answer: Any) -> None:
        future = self._answers.pop(number)
        if not future.done():  # who asked may have stopped waiting
            future.set_result(answer)

    def _unwrap(self, method: str, answer: tuple[str, Any] | None) -> Any:
        if answer is None:
            if self._crash is not None and self._crash.is_own:
                raise self._crash.blame(method)
            raise StoreError(method, EndedError("the process ended"))
        kind, value = answer
        if kind == "raised":
            text, origin = value
            raise StoreError(method, RemoteError(text, origin and parse_origin(origin)))
        if kind == "late":
            raise make_blame(value, is_late=True)
        if kind == "crashed":  # the store lives in another process than the pod, and that ended
            raise Crash(*value).blame(method)
        if kind == "violation":
            raise Violation(value)
        return value

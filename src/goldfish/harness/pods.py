"""Pods: other processes that open the target and serve calls, as replicas of a service would.

They are forked from one *fork server* per target, a process that has paid for the imports and has
no threads. Pods talk over a socket, never over standard output, where libraries print.
"""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from goldfish.findings.result import Violation
from goldfish.harness.errors import EndedError, NoPodError, RemoteError, StoreError
from goldfish.harness.replica import LONGEST_LINE, READY_WITHIN
from goldfish.harness.transcript import Transcript
from goldfish.harness.wire import pack, unpack
from goldfish.history.origin import parse_origin
from goldfish.services import cleanup
from goldfish.targets.declaration import Target


class Pod:
    """A process that opens the target, and serves any number of calls at once.

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
        self._writer = writer
        self._numbers = itertools.count()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.create_task(self._listen(reader))
        cleanup.watch_process(pid)

    async def open(self, lanes: int = 1) -> Self:
        """Let the process open the target; what the factory raises comes as a StoreError."""
        try:
            answer = await asyncio.wait_for(self._ask("open", lanes), READY_WITHIN)
            self.methods = _unwrap_answer("opening", answer)
        except BaseException:
            self.kill()
            raise
        return self

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any:
        """Call a method in that process, and return what it returns."""
        self.transcript.note(method, arguments)
        work = self._ask("call", lane, method, list(arguments), options, deadline)
        try:
            answer = await asyncio.wait_for(work, deadline + 5)
        except TimeoutError:
            raise Violation(f"wedged: {method} did not return within {deadline:g} s") from None
        return self.transcript.leave_out_replies(method, _unwrap_answer(method, answer))

    async def close(self, *, deadline: float) -> None:
        """Close the store there, and end the process."""
        try:
            answer = await asyncio.wait_for(self._ask("close", deadline), deadline + 5)
        except TimeoutError:
            raise Violation(f"wedged: closing took longer than {deadline:g} s") from None
        finally:
            self.kill()
        _unwrap_answer("closing", answer)

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
                os.kill(self.pid, number)

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


def _unwrap_answer(method: str, answer: tuple[str, Any] | None) -> Any:
    if answer is None:
        raise StoreError(method, EndedError("the process ended"))
    kind, value = answer
    if kind == "raised":
        text, origin = value
        raise StoreError(method, RemoteError(text, origin and parse_origin(origin)))
    if kind == "violation":
        raise Violation(value)
    return value


class ForkServer:
    """The process that pods of one target are forked from."""

    def __init__(self, target: Target) -> None:
        if target.location is None:
            raise NoPodError(
                f"{target.name} is local to a function, where another process cannot import it: "
                "move it to the top of a module"
            )
        self._location = target.location
        self._threads = target.threads  # declared on the target, which the factory may not be
        self._directory = Path(tempfile.mkdtemp(prefix="goldfish-"))
        cleanup.watch_directory(self._directory)
        self._process: subprocess.Popen[bytes] | None = None
        self._imported: list[str] = []
        self._born: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.Queue()
        )
        self._server: asyncio.AbstractServer | None = None
        self._turn = asyncio.Lock()

    async def fork(
        self, sandbox: dict[str, Any], options: dict[str, Any], transcript: Transcript
    ) -> Pod:
        """Return a new process that is ready to open the target in that sandbox."""
        async with self._turn:
            await self._start()
            self._order([str(self._socket), sandbox, options, self._imported])
            self._imported.clear()
            reader, writer = await self._connected()
        pid = int(await asyncio.wait_for(reader.readline(), READY_WITHIN))
        return Pod(pid, reader, writer, self._imported, transcript)

    def _order(self, words: list[Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words).encode() + b"\n")
        self._process.stdin.flush()

    def close(self) -> None:
        """End the fork server; its pods end with their connections."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            cleanup.forget_process(self._process.pid)
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(FileNotFoundError):
            self._socket.unlink()
        with contextlib.suppress(OSError):
            (self._directory / "errors").unlink(missing_ok=True)
            self._directory.rmdir()
        cleanup.forget_directory(self._directory)

    @property
    def _socket(self) -> Path:
        return self._directory / "socket"

    async def _start(self) -> None:
        if self._process is not None:
            return
        self._server = await asyncio.start_unix_server(
            lambda reader, writer: self._born.put_nowait((reader, writer)),
            self._socket,
            limit=LONGEST_LINE,
        )
        with (self._directory / "errors").open("wb") as errors:
            self._process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
                [
                    sys.executable,
                    "-c",
                    "from goldfish.harness.replica import serve_forks; serve_forks()",
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        cleanup.watch_process(self._process.pid)
        self._order([asdict(self._location), self._threads])

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in range(int(READY_WITHIN / 0.25)):
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(self._born.get(), 0.25)
            if self._process is not None and self._process.poll() is not None:
                break
        said = (self._directory / "errors").read_text(errors="replace").strip().splitlines()
        why = said[-1] if said else "it said nothing"
        raise NoPodError(f"another process could not import the target: {why}")

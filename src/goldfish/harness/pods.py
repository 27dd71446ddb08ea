"""Pods: other processes that open the target and serve calls, as replicas of a service would.

They are forked from one *fork server* per target, a process that has paid for the imports and has
no threads. Pods talk over a socket, never over standard output, where libraries print.
"""

import asyncio
import contextlib
import importlib
import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

from goldfish.findings.result import Violation
from goldfish.harness.client import EndedError, LocalClient, RemoteError, StoreError, describe_error
from goldfish.harness.hearing import Hearing
from goldfish.harness.wire import packed, unpacked
from goldfish.services import cleanup
from goldfish.targets.declaration import Location, Target
from goldfish.targets.loading import load_location
from goldfish.world.sandbox import RemoteSandbox

READY_WITHIN = 30.0
LONGEST_LINE = 1 << 30


class NoPodError(Exception):
    """There can be no other process for this target; what it would have shown is unknown."""


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
    ) -> None:
        self.pid = pid
        self._imported = imported  # what pods needed that their fork server did not have
        self.methods: dict[str, list[str] | None] = {}
        self.lacking: dict[str, str] = {}
        self.hearing = Hearing()
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
            self.methods = _outcome("opening", answer)
        except BaseException:
            self.kill()
            raise
        return self

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any:
        """What the store's method returns in that process."""
        self.hearing.note(method, arguments)
        work = self._ask("call", lane, method, list(arguments), options, deadline)
        try:
            answer = await asyncio.wait_for(work, deadline + 5)
        except TimeoutError:
            raise Violation(f"wedged: {method} did not return within {deadline:g} s") from None
        return self.hearing.own(method, _outcome(method, answer))

    async def close(self, *, deadline: float) -> None:
        """Close the store there, and end the process."""
        try:
            answer = await asyncio.wait_for(self._ask("close", deadline), deadline + 5)
        except TimeoutError:
            raise Violation(f"wedged: closing took longer than {deadline:g} s") from None
        finally:
            self.kill()
        _outcome("closing", answer)

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
            self._writer.write(packed([number, *request]))
        return answer

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                number, kind, value, imported = unpacked(line)
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


def _outcome(method: str, answer: tuple[str, Any] | None) -> Any:
    if answer is None:
        raise StoreError(method, EndedError("the process ended"))
    kind, value = answer
    if kind == "raised":
        raise StoreError(method, RemoteError(value))
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

    async def pod(self, sandbox: dict[str, Any], options: dict[str, Any]) -> Pod:
        """A new process that has opened the target in that sandbox."""
        return await (await self.unopened(sandbox, options)).open()

    async def unopened(self, sandbox: dict[str, Any], options: dict[str, Any]) -> Pod:
        """A new process that is ready to open the target in that sandbox."""
        async with self._turn:
            await self._start()
            self._order([str(self._socket), sandbox, options, self._imported])
            self._imported.clear()
            reader, writer = await self._connected()
        pid = int(await asyncio.wait_for(reader.readline(), READY_WITHIN))
        return Pod(pid, reader, writer, self._imported)

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
                    "from goldfish.harness.pods import serve_forks; serve_forks()",
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


def serve_forks() -> None:
    """Import the target, then fork a pod for each order: what the fork server runs."""
    logging.getLogger("goldfish").addHandler(logging.NullHandler())  # as the command line does
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # pods are not waited for
    location, threads = json.loads(sys.stdin.buffer.readline())
    target = replace(load_location(Location(**location)), threads=threads)
    for line in sys.stdin.buffer:
        socket, sandbox, options, wanted = json.loads(line)
        _import(wanted)
        if os.fork() == 0:
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asyncio.run(_serve(target, socket, RemoteSandbox(sandbox), options))
            finally:
                os._exit(0)  # without the cleaning up that belongs to the fork server


def _import(names: Sequence[str]) -> None:
    """Pay here, once, for imports that every pod would do again when it opens the target.

    A module may have a function ``preload`` for what is as costly, and as much the same for all.
    """
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):  # then each pod meets it, and tells of it
                getattr(importlib.import_module(name), "preload", _nothing)()


def _nothing() -> None:
    """A module has nothing to load beside itself."""


async def _serve(target: Target, socket: str, sandbox: Any, options: dict[str, Any]) -> None:
    """The pod's main: open the target and answer calls until the harness hangs up."""
    reader, writer = await asyncio.open_unix_connection(socket, limit=LONGEST_LINE)
    writer.write(b"%d\n" % os.getpid())
    replica = _Replica(target, sandbox, options)
    underway: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(replica, writer, *unpacked(line)))
        underway.add(task)
        task.add_done_callback(underway.discard)


class _Replica:
    """What a pod can be asked for."""

    def __init__(self, target: Target, sandbox: Any, options: dict[str, Any]) -> None:
        self._open = partial(
            LocalClient.open, target, sandbox, deadline=READY_WITHIN - 5, **options
        )
        self._lanes: list[LocalClient] = []
        self._modules = set(sys.modules)

    def imported(self) -> list[str]:
        """The modules that were imported since this was last asked."""
        if len(sys.modules) == len(self._modules):  # it is asked with every call
            return []
        fresh = [name for name in list(sys.modules) if name not in self._modules]
        self._modules.update(fresh)
        return fresh

    async def open(self, lanes: int) -> Any:
        self._lanes = [await self._open()]
        beside = [self._lanes[0].beside(self._open) for _ in range(lanes - 1)]
        self._lanes += await asyncio.gather(*beside)
        return self._lanes[0].methods

    async def call(
        self, lane: int, method: str, arguments: Any, options: Any, deadline: float
    ) -> Any:
        client = self._lanes[lane % len(self._lanes)]
        return await client.call(method, *arguments, deadline=deadline, **options)

    async def close(self, deadline: float) -> None:
        for client in dict.fromkeys(reversed(self._lanes)):
            await client.close(deadline=deadline)


async def _answer(
    replica: _Replica, writer: asyncio.StreamWriter, number: int, verb: str, *request: Any
) -> None:
    try:
        answer = ["returned", await getattr(replica, verb)(*request)]
    except StoreError as error:
        answer = ["raised", describe_error(error.error)]
    except Violation as violation:
        answer = ["violation", str(violation)]
    writer.write(packed([number, *answer, replica.imported()]))

"""Pods: other processes that open the target and serve calls, as replicas of a service would.

They are forked from one *nursery* process per target, which has paid for the imports and has no
threads. Pods talk over a socket, never over standard output, where libraries print.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from goldfish.client import LocalClient, StoreError, describe
from goldfish.sandbox import RemoteSandbox
from goldfish.services import undertaker
from goldfish.target import Location, Target, load_location
from goldfish.verdict import Violation
from goldfish.wire import packed, unpacked

READY_WITHIN = 30.0
LONGEST_LINE = 1 << 30


class NoPodError(Exception):
    """There can be no other process for this target; what it would have shown is unknown."""


class RemoteError(Exception):
    """What the store raised in a pod, by its description."""


class Pod:
    """A process that has opened the target."""

    def __init__(
        self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, methods: Any
    ) -> None:
        self.pid = pid
        self.methods: dict[str, list[str] | None] = methods
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()
        undertaker.watch_process(pid)

    async def call(self, method: str, *arguments: Any, deadline: float, **options: Any) -> Any:
        """What the store's method returns in that process."""
        async with self._turn:
            self._writer.write(packed([method, list(arguments), options, deadline]))
            try:
                line = await asyncio.wait_for(self._reader.readline(), deadline + 5)
            except TimeoutError:
                raise Violation(f"wedged: {method} did not return within {deadline:g} s") from None
        return _outcome(method, line)

    async def close(self, *, deadline: float) -> None:
        """Close the store there, and end the process."""
        try:
            await self.call("closing", deadline=deadline)
        finally:
            self.kill()

    def kill(self) -> None:
        """End the process with SIGKILL, in whatever it does."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        undertaker.forget_process(self.pid)
        self._writer.close()


def _outcome(method: str, line: bytes) -> Any:
    if not line:
        raise StoreError(method, RemoteError("the process ended"))
    kind, value = unpacked(line)
    if kind == "raised":
        raise StoreError(method, RemoteError(value))
    if kind == "violation":
        raise Violation(value)
    return value


class Nursery:
    """The process that pods of one target are forked from."""

    def __init__(self, target: Target) -> None:
        if target.location is None:
            raise NoPodError(
                f"{target.name} is local to a function, where another process cannot import it: "
                "move it to the top of a module"
            )
        self._location = target.location
        self._directory = Path(tempfile.mkdtemp(prefix="goldfish-"))
        undertaker.watch_directory(self._directory)
        self._process: subprocess.Popen[bytes] | None = None
        self._born: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
            asyncio.Queue()
        )
        self._server: asyncio.AbstractServer | None = None
        self._turn = asyncio.Lock()

    async def pod(self, sandbox: dict[str, Any], options: dict[str, Any]) -> Pod:
        """A new process that has opened the target in that sandbox."""
        async with self._turn:
            await self._start()
            assert self._process is not None
            assert self._process.stdin is not None
            order = json.dumps([str(self._socket), sandbox, options]).encode() + b"\n"
            self._process.stdin.write(order)
            self._process.stdin.flush()
            reader, writer = await self._connected()
        line = await asyncio.wait_for(reader.readline(), READY_WITHIN)
        pid, methods = _outcome("opening", line)
        return Pod(pid, reader, writer, methods)

    def close(self) -> None:
        """End the nursery; its pods end with their connections."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            self._process.kill()
            self._process.wait()
            undertaker.forget_process(self._process.pid)
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(FileNotFoundError):
            self._socket.unlink()
        with contextlib.suppress(OSError):
            (self._directory / "errors").unlink(missing_ok=True)
            self._directory.rmdir()
        undertaker.forget_directory(self._directory)

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
                [sys.executable, "-c", "import goldfish.pods; goldfish.pods.nurse()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        undertaker.watch_process(self._process.pid)
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asdict(self._location)).encode() + b"\n")

    async def _connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in range(int(READY_WITHIN / 0.25)):
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(self._born.get(), 0.25)
            if self._process is not None and self._process.poll() is not None:
                break
        said = (self._directory / "errors").read_text(errors="replace").strip().splitlines()
        why = said[-1] if said else "it said nothing"
        raise NoPodError(f"another process could not import the target: {why}")


def nurse() -> None:
    """The nursery's main: import the target, then fork a pod for each order."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # pods are not waited for
    target = load_location(Location(**json.loads(sys.stdin.buffer.readline())))
    for line in sys.stdin.buffer:
        socket, sandbox, options = json.loads(line)
        if os.fork() == 0:
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asyncio.run(_serve(target, socket, RemoteSandbox(sandbox), options))
            finally:
                os._exit(0)  # without the cleaning up that belongs to the nursery


async def _serve(target: Target, socket: str, sandbox: Any, options: dict[str, Any]) -> None:
    """The pod's main: open the target and answer calls until the harness hangs up."""
    reader, writer = await asyncio.open_unix_connection(socket, limit=LONGEST_LINE)
    client: LocalClient | None = None

    async def opened() -> Any:
        nonlocal client
        client = await LocalClient.open(target, sandbox, deadline=READY_WITHIN - 5, **options)
        return [os.getpid(), client.methods]

    writer.write(await _answered(opened))
    while client is not None and (line := await reader.readline()):
        method, arguments, parameters, deadline = unpacked(line)
        if method == "closing":
            work = partial(client.close, deadline=deadline)
        else:
            work = partial(client.call, method, *arguments, deadline=deadline, **parameters)
        writer.write(await _answered(work))
    await writer.drain()


async def _answered(work: Callable[[], Awaitable[Any]]) -> bytes:
    try:
        return packed(["returned", await work()])
    except StoreError as error:
        return packed(["raised", describe(error.error)])
    except Violation as violation:
        return packed(["violation", str(violation)])

"""Runs a function about a target in a process of its own, and outlives whatever happens there."""

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import Callable
from typing import Any

from goldfish.errors import GoldfishError
from goldfish.harness.crash import Crash
from goldfish.harness.errors import NoPodError
from goldfish.harness.forks import FIND_PROGRAM, Connection, ForkServer, hang_up
from goldfish.harness.patience import OverdueError, wait_patiently
from goldfish.harness.plain import to_plain
from goldfish.harness.task import make_error
from goldfish.services import cleanup, pool, reaper
from goldfish.services.process import ServerProcess
from goldfish.services.remote import adopt_server, describe_server
from goldfish.services.shared import find_shared
from goldfish.targets.declaration import Target

SILENCE = 30.0  # seconds; a process that can run says something every few
IN_PROCESS = "GOLDFISH_IN_PROCESS"  # set it to debug a memory where it is called


def can_run_apart(target: Target) -> bool:
    """Return True if another process can import the target, and nobody asked for this one."""
    return target.location is not None and not os.environ.get(IN_PROCESS)


class CrashedError(Exception):
    """The process ended before the function returned; ``crash`` says how."""

    def __init__(self, crash: Crash) -> None:
        super().__init__(str(crash))
        self.crash = crash


class TaskError(Exception):
    """The function itself failed in the other process, by its description."""


async def run_apart(
    forks: ForkServer, target: Target, function: str, arguments: dict[str, Any]
) -> Any:
    """Run ``"module:function"`` with the target in another process; return what it returns.

    It is awaited there as ``function(target, **arguments)``; arguments and result are JSON. What
    it leaves behind, servers, databases, processes and directories, is removed, however it ends.
    """
    order = {
        "function": function,
        "arguments": arguments,
        "target": to_plain(target, leave_out={"factory"}),
    }
    pid, connection = await forks.order("task", order)
    task = _Task(pid, connection, forks.program)
    try:
        value, imported = await task.listen()
    finally:
        task.close()
        await hang_up(connection)
    forks.imported += [name for name in imported if name not in forks.imported]
    return value


class _Task:
    """A process that runs one function: its requests, and what it would leave behind."""

    def __init__(self, pid: int, connection: Connection, program: ForkServer) -> None:
        self._pid = pid
        self._program = program
        self._reader, self._writer = connection
        self._ended = False
        self._watched: dict[tuple[str, Any], list[Any]] = {}
        self._databases: set[tuple[str, str]] = set()
        self._servers: list[pool.AnyServer] = []
        cleanup.watch_process(pid)

    async def listen(self) -> Any:
        """Serve the process until it ends; return what its function returned."""
        answer: list[Any] = []
        while line := await self._hear():
            kind, *words = json.loads(line)
            match kind:
                case "tell":
                    self._note(*words)
                case "ask":
                    await self._answer(*words)
                case "ended":
                    self._ended = True
                    return self._unwrap(answer, Crash(*words))
                case _:
                    answer = [kind, *words]
        return self._unwrap(answer, Crash(-signal.SIGKILL))

    async def _hear(self) -> bytes:
        """Return the next line; a violation if the process is alive and runs no Python code."""
        try:
            return await wait_patiently(self._reader.readline(), SILENCE)
        except OverdueError as overdue:
            text = f"wedged: native code let no other code of the process run for {SILENCE:g} s"
            raise overdue.blame(text) from None

    def _unwrap(self, answer: list[Any], crash: Crash) -> Any:
        match answer:
            case ["returned", value, imported]:
                return value, imported
            case ["raised", kind, text, _]:
                raise make_error(kind, text)
            case ["failed", text, _]:
                raise TaskError(text)
        raise CrashedError(crash)

    def close(self) -> None:
        """End the process if it still lives, and remove what it has left."""
        if not self._ended:
            reaper.wait_until_dead(reaper.kill_tree(self._pid))
        cleanup.forget_process(self._pid)
        for server in self._servers:
            with contextlib.suppress(GoldfishError, OSError):
                pool.release(server, doubtful=True)
        for (kind, key), details in self._watched.items():
            _remove(kind, key, details)
            cleanup.forget(kind, key)
        for service, address in self._databases:
            with contextlib.suppress(GoldfishError, OSError):
                find_shared(service).release(address)

    def _note(self, verb: str, kind: str = "", key: Any = None, *details: Any) -> None:
        if verb == "beat":
            return
        if verb == "watch":
            self._watched[kind, key] = list(details)
            cleanup.watch(kind, key, *details)
        else:
            self._watched.pop((kind, key), None)
            cleanup.forget(kind, key)

    async def _answer(self, verb: str, *arguments: Any) -> None:
        try:
            if verb == FIND_PROGRAM:
                answer = ["returned", await self._program.get_path()]
            else:
                answer = ["returned", await asyncio.to_thread(self._serve(verb), *arguments)]
        except NoPodError as error:
            answer = ["raised", GoldfishError.__name__, str(error)]
        except GoldfishError as error:
            answer = ["raised", type(error).__name__, str(error)]
        self._writer.write(json.dumps(answer).encode() + b"\n")

    def _serve(self, verb: str) -> Callable[..., Any]:
        verbs: dict[str, Callable[..., Any]] = {
            "take database": self._take_database,
            "give database": self._give_database,
            "acquire server": self._acquire_server,
            "release server": self._release_server,
            "bury process": self._bury_process,
        }
        return verbs[verb]

    def _take_database(self, service: str) -> str:
        address = find_shared(service).database()
        self._databases.add((service, address))
        return address

    def _give_database(self, service: str, address: str) -> None:
        self._databases.discard((service, address))
        find_shared(service).release(address)

    def _acquire_server(self, service: str) -> dict[str, Any]:
        server = pool.acquire(service)
        self._servers.append(server)
        return describe_server(server)

    def _release_server(self, description: dict[str, Any], doubtful: bool) -> None:
        port = description["fields"]["_port"]
        (server,) = [each for each in self._servers if getattr(each, "port", None) == port]
        self._servers.remove(server)
        self._watched.pop(("process", description["pid"]), None)  # it is the pool's again
        known = server._process if isinstance(server, ServerProcess) else None
        # One that the check has started anew is nobody's child once the check is over.
        is_foreign = known is None or known.pid != description["pid"]
        adopt_server(server, description)
        pool.release(server, doubtful=doubtful or is_foreign)

    def _bury_process(self, pid: int) -> None:
        """Take note of the death of a server that this process has started."""
        for server in self._servers:
            known = server._process if isinstance(server, ServerProcess) else None
            if known is not None and known.pid == pid:
                known.poll()


def _remove(kind: str, key: Any, details: list[Any]) -> None:
    """Do what the reaper would do with this."""
    if kind == "directory":
        reaper.remove_directory(key, *details)
        return
    gentle_signal, started = details
    if reaper.start_mark(key) == started:
        reaper.end_tree(key, gentle_signal)

"""The fork servers of this process: a base, and one for each target, kept for the next run."""

import asyncio
import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from goldfish.errors import GoldfishError
from goldfish.harness.errors import NoPodError
from goldfish.harness.forking import ForkedProcess, fork_process, serve_base
from goldfish.harness.replica import LONGEST_LINE
from goldfish.services import cleanup
from goldfish.services.remote import get_provider
from goldfish.targets.declaration import Target

READY_WITHIN = 600.0  # seconds; what cannot start says so much sooner, by its end
MOST_SERVERS = 4  # of targets, at a time
FIND_PROGRAM = "find program"  # asked of the process that runs the checks
OTHER_SEED = "20261119"  # of hash() in the other program: any that this one is unlikely to have

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]

# What every child needs; whoever has more to run in children adds it.
SERVE_CALLS = "goldfish.harness.replica:serve_calls"
PRELOADED = ["goldfish.harness.replica", "goldfish.harness.task"]


_imported: dict[str, list[str]] = {}  # by target
reported: list[str] = []  # by pods of another process's server, which this process passes on


class ForkServer:
    """The process that pods and checks of one target are forked from."""

    def __init__(self, target: Target, path: str | None = None) -> None:
        """Serve a target by a server of this process, or by one of another, at its path."""
        if target.location is None:
            raise NoPodError(
                f"{target.name} is local to a function, where another process cannot import it: "
                "move it to the top of a module"
            )
        self._target = target
        self._location = asdict(target.location)
        self._is_agent = target.agent is not None
        # What is known of the target, and the factory itself may not declare.
        self._known = {"threads": target.threads, "messages": target.messages}
        self._path = path
        self._attached = path is not None
        self._starting = asyncio.Lock()
        # What children needed that the server did not have; whoever may start one is told.
        self.imported = (
            reported if self._attached else _imported.setdefault(_get_key(self._location), [])
        )
        self._preloads = True

    @cached_property
    def program(self) -> "ForkServer":
        """The target's server in a program that was started apart, as another replica is.

        What is forked from one server shares with its siblings whatever the imports made, and the
        seed of ``hash()``. What is forked from these two shares neither.
        """
        return _OtherProgram(self._target, asks=self._attached)

    async def get_path(self) -> str:
        """Return the path of the socket that takes orders."""
        async with self._starting:
            if self._path is None:
                self._path = await _find_server(self._location, is_agent=self._is_agent)
            return self._path

    async def order_pod(
        self, sandbox: dict[str, Any], options: dict[str, Any], serve: str = SERVE_CALLS
    ) -> tuple[int, Connection]:
        """Return a process that is ready to open the target in that sandbox, by its pid.

        It runs ``serve``, which is spelled "module:function".
        """
        order = {"known": self._known, "sandbox": sandbox, "options": options, "serve": serve}
        return await self.order("pod", order)

    async def order(self, kind: str, order: dict[str, Any]) -> tuple[int, Connection]:
        """Return the pid of a new child, and the connection to it."""
        while True:
            path = await self.get_path()
            words = [kind, {**order, "location": self._location, "modules": self._take_modules()}]
            connection = await _connect(path, words)
            said = await _hear(connection)
            if said[0] == "born":
                return said[1], connection
            await hang_up(connection)
            if said[0] != "spoiled":
                raise NoPodError(f"another process could not be started: {_tell_why(said)}")
            self._preloads = False
            if self._attached:
                raise NoPodError("another process could not be started: it has threads")
            self._path = None
            _servers.forget(self._location)

    def _take_modules(self) -> list[str]:
        """Return what the server is to import before it forks."""
        if self._attached or not self._preloads:  # only who can start another server may spoil one
            return []
        modules, self.imported[:] = list(self.imported), []
        return modules

    def close(self) -> None:
        """Leave the server to the next run; it ends with this process."""


@dataclass(frozen=True)
class _Kept:
    path: str
    pid: int
    state: object  # of the world, and of the target's file


class _Servers:
    """A base, and the servers of targets that it has forked."""

    def __init__(self, environment: Mapping[str, str] = MappingProxyType({})) -> None:
        self._environment = environment  # in addition to that of all children
        self.reset()

    def reset(self) -> None:
        """Forget all of it without ending anything: in a forked child it is the parent's."""
        self._settings: object = None
        self._process: subprocess.Popen[bytes] | ForkedProcess | None = None
        self._directory = Path()
        self._kept: dict[str, _Kept] = {}
        self._count = 0

    def find(self, location: dict[str, str]) -> _Kept | None:
        self._start_base()
        kept = self._kept.get(_get_key(location))
        if kept and kept.state != _get_state(location):
            self.forget(location)
            return None
        return kept

    def keep(self, location: dict[str, str], path: str, pid: int) -> str:
        while len(self._kept) >= MOST_SERVERS:
            self._end(next(iter(self._kept)))
        self._kept[_get_key(location)] = _Kept(path, pid, _get_state(location))
        return path

    def forget(self, location: dict[str, str]) -> None:
        if _get_key(location) in self._kept:
            self._end(_get_key(location))

    @property
    def base(self) -> str:
        """The path of the base's socket."""
        self._start_base()
        return str(self._directory / "socket")

    def new_path(self) -> str:
        self._count += 1
        directory = self._directory / str(self._count)
        directory.mkdir()
        return str(directory / "socket")

    def last_words(self) -> str:
        with contextlib.suppress(OSError):
            said = (self._directory / "errors").read_text(errors="replace").strip().splitlines()
            return said[-1] if said else ""
        return ""

    def is_starting(self, path: str) -> bool:
        """Return True if this is the path of the base, and the base lives."""
        return self._has_base and path == str(self._directory / "socket")

    @property
    def _has_base(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def close(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            for key in list(self._kept):
                self._end(key)
            self._process.kill()
            self._process.wait()
            cleanup.forget_process(self._process.pid)
            shutil.rmtree(self._directory, ignore_errors=True)
            cleanup.forget_directory(self._directory)
        self.reset()

    def _end(self, key: str) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._kept.pop(key).pid, signal.SIGKILL)

    def start_by_fork(self) -> None:
        """Fork the base from this process, which has imported all that the base needs."""
        self._begin_base()
        serve = partial(serve_base, str(self._directory / "socket"), PRELOADED)
        with (self._directory / "errors").open("wb") as errors:
            self._process = fork_process(serve, errors.fileno())
        cleanup.watch_process(self._process.pid)

    def _start_base(self) -> None:
        """Start the base, or another one if it was started with other settings."""
        if self._has_base and self._settings == _get_settings():
            return
        self.close()
        self._begin_base()
        path = str(self._directory / "socket")
        code = (
            f"from goldfish.harness.forking import serve_base; serve_base({path!r}, {PRELOADED!r})"
        )
        with (self._directory / "errors").open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
                env={**_make_environment(), **self._environment},
            )
        cleanup.watch_process(self._process.pid)

    def _begin_base(self) -> None:
        self._settings = _get_settings()
        self._directory = Path(tempfile.mkdtemp(prefix="goldfish-"))
        cleanup.watch_directory(self._directory)


_servers = _Servers()
_others = _Servers({"PYTHONHASHSEED": OTHER_SEED})
for _each in (_servers, _others):
    os.register_at_fork(after_in_child=_each.reset)
    atexit.register(_each.close)


class _OtherProgram(ForkServer):
    """The server in another program: of this process, or of the one that runs the checks."""

    def __init__(self, target: Target, *, asks: bool) -> None:
        super().__init__(target)
        self._asks = asks
        self._attached = True
        self.imported = reported

    async def get_path(self) -> str:
        async with self._starting:
            if self._path is None:
                self._path = await self._find_path()
            return self._path

    async def _find_path(self) -> str:
        if not self._asks:
            return await _find_server(self._location, is_agent=self._is_agent, servers=_others)
        provider = get_provider()
        assert provider is not None
        try:
            return str(await asyncio.to_thread(provider.ask, FIND_PROGRAM))
        except GoldfishError as error:
            raise NoPodError(str(error)) from None


def start_early() -> None:
    """Fork the base from this process, whose imports it then has, if that is safe.

    Not if it has threads: they would be missing in the base. And only where forking without a new
    program is safe, which it is not on macOS.
    """
    if sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1:
        _servers.close()
        _servers.start_by_fork()


async def _find_server(
    location: dict[str, str], *, is_agent: bool, servers: _Servers = _servers
) -> str:
    """Return the path of the server of a target, which is started if there is none."""
    if kept := servers.find(location):
        return kept.path
    world = _describe_world()
    if is_agent:
        world["environment"] |= _make_dead_environment()
    # An agent is imported by each of its pods, where the environment leads to the pod's own mirror;
    # so is a target whose import starts threads, which a child that is forked later would miss.
    for imports in (True, False)[is_agent:]:
        path = servers.new_path()
        order = {"location": location, "socket": path, "world": world, "imports": imports}
        connection = await _connect(servers.base, ["server", order])
        said = await _hear(connection)
        await hang_up(connection)
        if said[0] == "ready":
            return servers.keep(location, path, said[1])
        if said[0] != "spoiled":
            break
    raise NoPodError(f"another process could not import the target: {_tell_why(said)}")


def _make_dead_environment() -> dict[str, str]:
    """Return the environment of an agent's server, whose imports may make clients."""
    from goldfish.mirror.environment import NOWHERE, make_environment  # few need the mirror

    return make_environment(NOWHERE)


async def _connect(path: str, words: list[Any]) -> Connection:
    """Send an order to the server at this path; the base may be about to start."""
    give_up = time.monotonic() + READY_WITHIN
    while True:
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            reader, writer = await asyncio.open_unix_connection(path, limit=LONGEST_LINE)
            writer.write(json.dumps(words).encode() + b"\n")
            return reader, writer
        is_starting = any(each.is_starting(path) for each in (_servers, _others))
        if not is_starting or time.monotonic() > give_up:
            raise NoPodError(f"another process could not be started: {_servers.last_words()}")
        await asyncio.sleep(0.02)


async def hang_up(connection: Connection) -> None:
    """Close a connection."""
    connection[1].close()
    with contextlib.suppress(OSError):
        await connection[1].wait_closed()


async def _hear(connection: Connection) -> list[Any]:
    """Return the first words of a child; empty words if there are none."""
    try:
        line = await asyncio.wait_for(connection[0].readline(), READY_WITHIN)
        words: list[Any] = json.loads(line) if line else ["silent", ""]
        return words
    except (TimeoutError, ConnectionError):
        return ["silent", ""]
    except BaseException:  # who ordered was interrupted
        await hang_up(connection)
        raise


def _tell_why(said: list[Any]) -> str:
    if said[0] == "ended":
        _, code, errors, _ = said
        return errors[-1] if errors else f"it ended with exit code {code}"
    return str(said[1]) or _servers.last_words() or "it said nothing"


def _get_key(location: dict[str, str]) -> str:
    return f"{location['file']}:{location['name']}"


def _get_state(location: dict[str, str]) -> object:
    changed = 0.0
    with contextlib.suppress(OSError):
        changed = os.stat(location["file"]).st_mtime
    return changed, _describe_world()


def _make_environment() -> dict[str, str]:
    """Return the environment of all children.

    OpenBLAS would start a thread for each core in every one of them, and those spin for a while.
    """
    path = os.pathsep.join(filter(None, sys.path))
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": path}


def _describe_world() -> dict[str, Any]:
    """Return what the server of a target, and so its children, take over from this process.

    What the test runner says of its progress does not count.
    """
    passing = {"PYTEST_CURRENT_TEST", "COLUMNS", "LINES"}
    environment = {name: text for name, text in _make_environment().items() if name not in passing}
    return {"environment": environment, "directory": os.getcwd(), "path": list(sys.path)}


def _get_settings() -> dict[str, str]:
    """Return the variables that are read only when a program starts."""
    early = ("PYTHON", "LD_", "MALLOC_")
    return {
        name: text
        for name, text in os.environ.items()
        if name.startswith(early) and name != "PYTHONPATH"
    }

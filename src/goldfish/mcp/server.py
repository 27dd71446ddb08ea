"""A server under test as a factory of stores: its command or URL, its environment and its map."""

import asyncio
import base64
import fcntl
import hashlib
import json
import os
import shlex
import zlib
from collections.abc import AsyncIterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TextIO

from goldfish.errors import ServiceError, TargetError
from goldfish.mcp.answers import Answer
from goldfish.mcp.connection import (
    Connection,
    DisconnectedError,
    UnreadyError,
    import_package,
    over_http,
    over_process,
)
from goldfish.mcp.known import choose_map
from goldfish.mcp.mapping import ToolMap, make_map
from goldfish.mcp.packages import Package, describe_old_node, find_command, find_package, install
from goldfish.mcp.process import Process
from goldfish.mcp.register import Register
from goldfish.mcp.schemas import complete_map, is_explicit
from goldfish.mcp.store import McpStore, names_no_user
from goldfish.mcp.templates import fill

# Where servers look for a place of their own: none may reach the user's real memory.
PLACES = {
    "HOME": "{path}",
    "XDG_CONFIG_HOME": "{path}/.config",
    "XDG_DATA_HOME": "{path}/.local/share",
    "MEMORY_FILE_PATH": "{path}/memory.jsonl",
}
PREFIX = "server_"


class Sandbox(Protocol):
    """What a server needs to know of the place of its check."""

    path: Path


class FailedServerError(Exception):
    """The server did not come to answer in a storage that others have opened."""


class Server:
    """A factory of stores: each opening starts the command in the directory of its sandbox."""

    def __init__(
        self,
        command: str,
        tool_map: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.command = command
        self.environment = dict(environment or {})
        self._given = dict(tool_map) if tool_map is not None else None
        self._map = make_map(tool_map) if tool_map is not None else None
        self._words = [] if self.is_remote else split_command(command)
        self._package = find_package(self._words)
        # By this name of the module below another process makes the same factory.
        self.__qualname__ = PREFIX + _encode([command, self._given, self.environment])

    @property
    def is_remote(self) -> bool:
        """Whether it is a URL: then it is somebody else's process."""
        return self.command.startswith(("http://", "https://"))

    def prepare(self) -> None:
        """Do once what no opening is to be measured by: fetch the package."""
        import_package()
        if self._package is not None:
            install(self._package)

    async def __call__(self, sandbox: Sandbox) -> AsyncIterator[McpStore]:
        """Start the server, and yield the store that its tools make."""
        opening = Opening(self, sandbox)
        store = await opening.open(self._map)
        yield store
        await store.aclose()

    async def connect(self, home: Path) -> Connection:
        """Return a connection to the URL, or to a new process with its home there."""
        if self.is_remote:
            return await self._connect_to_url()
        os.makedirs(home, exist_ok=True)
        own = fill({**PLACES, **self.environment}, {"path": str(home)})
        words = fill(self._start_command, {"path": str(home)})
        try:
            process = await Process.start(words, {**self._inherited, **own}, home)
        except OSError as error:
            raise TargetError(
                f"the command {words[0]!r} does not start: {error.strerror}: install it, or give "
                "its path"
            ) from None
        return await self._connect_to_process(process)

    async def _connect_to_process(self, process: Process) -> Connection:
        try:
            connection = await Connection.open(over_process(process))
        except (UnreadyError, DisconnectedError) as error:
            what = str(error)
            if isinstance(error, DisconnectedError):
                what = await _describe_end(process)
            text = f"the server {self.command!r} {what}{process.describe_last_lines()}"
            await process.end()
            raise UnreadyError(self._explain(text)) from None
        except BaseException:
            await process.end()
            raise
        connection.on_close(process.end)
        return connection

    async def _connect_to_url(self) -> Connection:
        try:
            return await Connection.open(over_http(self.command))
        except Exception as error:
            kind = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise ServiceError(
                f"the server at {self.command} cannot be reached ({kind}): start it, and give the "
                "URL of its MCP endpoint"
            ) from None

    @cached_property
    def _start_command(self) -> list[str]:
        return find_command(self._package) if self._package else self._words

    @property
    def _inherited(self) -> dict[str, str]:
        """The environment of this process; a package of PyPI has modules of its own."""
        is_apart = self._package is not None and self._package.registry == "pypi"
        return {
            name: value
            for name, value in os.environ.items()
            if not (is_apart and name == "PYTHONPATH")
        }

    def _explain(self, text: str) -> str:
        """Return why a server did not start, with what its package asks for."""
        old = describe_old_node(self._package) if isinstance(self._package, Package) else ""
        return f"{old}; {text}" if old else text


class Opening:
    """The servers of one opening: one, or one for each user where a server has one user only."""

    def __init__(self, server: Server, sandbox: Sandbox) -> None:
        self._server = server
        self._path = sandbox.path
        self._connections: dict[str, Connection] = {}
        self._connecting = asyncio.Lock()
        self._map: ToolMap | None = None
        self._apart = False

    async def open(self, given: ToolMap | None) -> McpStore:
        """Return the store of the map that was given, or of one that fits the server's tools."""
        is_first = self._note_opening()
        if given is not None and not is_first and names_no_user(given) and is_explicit(given):
            self._apart, self._map = True, given  # nothing to look up: servers start when needed
        else:
            await self._look(given, is_first=is_first)
        assert self._map is not None
        place = {"path": str(self._path / "memory")}
        if self._server.is_remote:
            place["prefix"] = f"{self._path.name}-"  # the storage is not this check's alone
        register = Register(self._path / "told.jsonl")
        return McpStore(self._map, self._call, self._close, register, place)

    async def _look(self, given: ToolMap | None, *, is_first: bool) -> None:
        """Start a server, and compare its tools with the map."""
        try:
            first = await self._server.connect(self._path / "memory")
        except UnreadyError as error:
            if is_first and self._is_alone():
                raise ServiceError(str(error)) from None
            raise FailedServerError(str(error)) from None
        try:
            chosen = choose_map(first.tools, self._server.command) if given is None else given
            self._map = complete_map(chosen, first.tools)
            self._apart = names_no_user(self._map)
            if self._apart and self._server.is_remote:
                raise TargetError(
                    "the map passes no {user} to any tool, and a server at a URL cannot be started "
                    "for each user: name the user in the arguments"
                )
            if self._apart:
                await first.close()
            else:
                await self._begin(first, self._path / "memory")
                self._connections[""] = first
        except BaseException:
            await first.close()
            raise

    async def _call(self, user: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
        name = hashlib.sha256(user.encode(errors="surrogatepass")).hexdigest()[:16]
        connection = await self._connect_for(name if self._apart else "")
        return await connection.call(tool, arguments)

    async def _connect_for(self, key: str) -> Connection:
        """Return the connection for a user, whose server is started when it is first needed."""
        async with self._connecting:  # of many calls at once, one starts it
            if key not in self._connections:
                home = self._path / "memory" / key
                connection = self._connections[key] = await self._server.connect(home)
                await self._begin(connection, home)
            return self._connections[key]

    async def _begin(self, connection: Connection, home: Path) -> None:
        """Set up a storage that nobody has set up; others who open it now wait for that."""
        steps = self._map.steps("begin") if self._map else []
        if not steps:
            return
        with await asyncio.to_thread(_lock, self._path / f"begin-{home.name}") as file:
            if not file.read():
                for step in steps:
                    arguments = fill(step.arguments or {}, {"path": str(home)})
                    await connection.call(step.tool, arguments)
                file.write("done")

    async def _close(self) -> None:
        for each in self._connections.values():
            await each.close()

    def _note_opening(self) -> bool:
        """Note this opening; return True if it is the first of its storage."""
        openings = self._path / "openings"
        openings.mkdir(parents=True, exist_ok=True)
        is_first = not any(openings.iterdir())
        (openings / f"{os.getpid()}-{id(self):x}").touch()
        return is_first

    def _is_alone(self) -> bool:
        return len(list((self._path / "openings").iterdir())) == 1


def split_command(command: str) -> list[str]:
    """Return the words of a command; raise a TargetError if there are none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise TargetError(f"{command!r} is not a command: {error}") from None
    if not words:
        raise TargetError("mcp: needs a command or a URL, as in 'mcp:npx -y some-memory-server'")
    return words


async def _describe_end(process: Process) -> str:
    try:
        code = await process.wait_for_end()
    except TimeoutError:
        return "closed its standard output before it answered"
    return f"ended with exit code {code} before it answered"


def _lock(path: Path) -> TextIO:
    """Return a file that is locked until it is closed."""
    file = path.open("a+")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.seek(0)
    return file


def _encode(value: Any) -> str:
    packed = zlib.compress(json.dumps(value, sort_keys=True).encode())
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def _decode(text: str) -> Any:
    packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return json.loads(zlib.decompress(packed))


def __getattr__(name: str) -> Server:
    """Return the factory that another process named."""
    if not name.startswith(PREFIX):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Server(*_decode(name.removeprefix(PREFIX)))

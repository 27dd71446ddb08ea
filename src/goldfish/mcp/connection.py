"""A connection to a server: a session of the package ``mcp`` over a process, or over a URL.

The only module that imports the package, of which releases 1 and 2 differ: in where their types
are, and in how a message is read.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeVar

from goldfish.errors import MissingExtraError
from goldfish.harness.patience import OverdueError, wait_patiently
from goldfish.mcp.answers import Answer
from goldfish.mcp.process import Process

T = TypeVar("T")
ANSWERS_WITHIN = 22.0  # seconds that the machine grants, below those of an opening
Streams = AbstractAsyncContextManager[Any]


class DisconnectedError(ConnectionError):
    """The server ended, or closed the connection, before it answered."""


class UnreadyError(Exception):
    """The server never came to answer; the message says what it did instead."""


class Connection:
    """A session with one server, which lives in a task of its own until it is closed.

    The package wants its contexts left where they were entered; a factory is closed elsewhere.
    """

    def __init__(self) -> None:
        self.tools: dict[str, dict[str, Any]] = {}  # by name, as the server describes them
        self._session: Any = None
        self._stop = asyncio.Event()
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task: asyncio.Task[None] | None = None
        self._closing: Callable[[], Awaitable[None]] | None = None

    @classmethod
    async def open(cls, transport: Callable[["Connection"], Streams]) -> "Connection":
        """Return a connection that is ready; an UnreadyError says why there is none."""
        connection = cls()
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        connection._task = asyncio.create_task(connection._live(transport, ready))
        try:
            await wait_patiently(asyncio.shield(ready), ANSWERS_WITHIN)
        except OverdueError:
            ready.cancel()  # nobody waits for it any more
            await connection.close()
            raise UnreadyError(f"did not answer within {ANSWERS_WITHIN:g} s") from None
        except BaseException:
            await connection.close()
            raise
        return connection

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Call a tool, and return its answer."""
        json.dumps(arguments, ensure_ascii=False).encode()  # half a character is refused here
        result = await self._until_end(self._session.call_tool(tool, dict(arguments)))
        return Answer.of(tool, result.model_dump(by_alias=True, mode="json"))

    async def close(self) -> None:
        """End the session, and with it the process."""
        self._stop.set()
        self.end()  # also for whoever still waits for an answer
        if self._task is not None:
            await asyncio.wait({self._task})
        closing, self._closing = self._closing, None
        if closing is not None:
            await closing()

    def on_close(self, closing: Callable[[], Awaitable[None]]) -> None:
        """Let this be done when the connection is closed."""
        self._closing = closing

    def end(self) -> None:
        """Take note that the server is gone: whoever waits for an answer gets none."""
        if not self._ended.done():
            self._ended.set_result(None)

    async def _live(
        self, transport: Callable[["Connection"], Streams], ready: "asyncio.Future[None]"
    ) -> None:
        client_session = import_package().ClientSession
        try:
            async with transport(self) as streams, client_session(*streams[:2]) as session:
                self._session = session
                await self._until_end(session.initialize())
                self.tools = await self._list_tools()
                ready.set_result(None)
                await self._wait_for_stop()
        except BaseException as error:
            if ready.done():
                self.end()  # the connection broke: calls under way learn it
            else:
                ready.set_exception(_find_first(error))

    async def _list_tools(self) -> dict[str, dict[str, Any]]:
        result = await self._until_end(self._session.list_tools())
        listed = result.model_dump(by_alias=True, mode="json")["tools"]
        return {each["name"]: each for each in listed}

    async def _wait_for_stop(self) -> None:
        await self._stop.wait()

    async def _until_end(self, work: Awaitable[T]) -> T:
        """Return what the work returns; raise if the server ends before."""
        task = asyncio.ensure_future(work)
        try:
            either: set[asyncio.Future[Any]] = {task, self._ended}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise DisconnectedError("the server ended before it answered")
        finally:
            task.cancel()


def import_package() -> Any:
    """Return the package ``mcp``; raise with what to install if it is not there."""
    try:
        import mcp
    except ModuleNotFoundError:
        raise MissingExtraError.of("mcp", "mcp") from None
    return mcp


def over_process(process: Process) -> Callable[[Connection], Streams]:
    """Return the streams of a session with a process."""

    @asynccontextmanager
    async def streams(connection: Connection) -> AsyncIterator[tuple[Any, Any]]:
        import anyio

        incoming, read_stream = anyio.create_memory_object_stream[Any](0)
        write_stream, outgoing = anyio.create_memory_object_stream[Any](0)
        tasks = [
            asyncio.create_task(_pass_in(process, incoming, connection)),
            asyncio.create_task(_pass_out(process, outgoing)),
        ]
        try:
            yield read_stream, write_stream
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for stream in (incoming, read_stream, write_stream, outgoing):
                stream.close()

    return streams


def over_http(url: str) -> Callable[[Connection], Streams]:
    """Return the streams of a session with a URL."""

    def streams(connection: Connection) -> Streams:
        from mcp.client.streamable_http import streamable_http_client

        return streamable_http_client(url)

    return streams


async def _pass_in(process: Process, incoming: Any, connection: Connection) -> None:
    from mcp.shared.message import SessionMessage

    parse = _find_parser()
    try:
        async for line in process.read_lines():
            try:
                message = parse(line)
            except ValueError:
                if line.strip():
                    process.strays.append(line.decode(errors="replace").rstrip())
                continue
            await incoming.send(SessionMessage(message))
    finally:
        connection.end()


async def _pass_out(process: Process, outgoing: Any) -> None:
    async for each in outgoing:
        plain = each.message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        await process.write_line(json.dumps(plain, ensure_ascii=False).encode())


def _find_parser() -> Callable[[bytes], Any]:
    """Return what makes a message of a line, which depends on the release."""
    try:
        from mcp_types import jsonrpc_message_adapter
    except ModuleNotFoundError:
        from mcp import types

        message: Any = types.JSONRPCMessage
        return lambda line: message.model_validate_json(line)
    return lambda line: jsonrpc_message_adapter.validate_json(line, by_name=False)


def _find_first(error: BaseException) -> BaseException:
    """Return the first error of a group: the package runs its tasks in groups."""
    with contextlib.suppress(AttributeError, IndexError):
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
    return error

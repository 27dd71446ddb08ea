"""A pooler for PostgreSQL that lends a server connection for one transaction, and no longer.

It speaks as much of the protocol as it takes: it greets clients itself, forwards what they send to
the server connection that has been idle for longest, and takes that back when the server says that
no transaction is open. So two transactions of a client rarely meet the same session.
"""

import asyncio
import contextlib
import secrets
import struct
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from goldfish.services.scram import Proof
from goldfish.services.wire import answer_authentication

_CANCEL, _SSL, _GSS = 80877102, 80877103, 80877104
_READY, _IDLE, _GOODBYE = b"Z", b"I", b"X"
_SETTINGS = {"server_version": "18.0", "client_encoding": "UTF8", "integer_datetimes": "on"}

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


async def _read(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The kind of the next message, and all of its bytes."""
    head = await reader.readexactly(5)
    (length,) = struct.unpack("!i", head[1:])
    return head[:1], head + await reader.readexactly(length - 4)


async def _listen(reader: asyncio.StreamReader, said: "asyncio.Queue[bytes]") -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while (heard := await _read(reader))[0] != _GOODBYE:
            said.put_nowait(heard[1])
    said.put_nowait(b"")


async def _answer(from_server: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass on what the server says, until no transaction is open."""
    while True:
        kind, message = await _read(from_server)
        writer.write(message)
        if kind == _READY and message[5:] == _IDLE:
            return


class TransactionPooler:
    """The pooler in front of one database; ``dsn`` is where clients go."""

    def __init__(self, dsn: str) -> None:
        parts = urlsplit(dsn)
        self._host, self._port = parts.hostname or "", parts.port or 5432
        self._user, self._database = parts.username or "", parts.path.strip("/")
        self._password = parts.password or ""
        self._servers: asyncio.Queue[tuple[Stream, bytes]] = asyncio.Queue()
        self._busy: dict[bytes, bytes] = {}  # by key of the client that of the server
        self._keys: dict[asyncio.StreamWriter, bytes] = {}  # of clients
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.dsn = ""
        self._parts = parts

    async def start(self, size: int) -> asyncio.Server:
        for _ in range(size):
            self._servers.put_nowait(await self._connect())
        listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        self.dsn = self._parts._replace(netloc=f"{self._user}@127.0.0.1:{port}").geturl()
        return listener

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._open:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _connect(self) -> tuple[Stream, bytes]:
        """A server connection, and the key that cancels what it does."""
        reader, writer = await asyncio.open_connection(self._host, self._port)
        self._open.add(writer)
        names = f"user\0{self._user}\0database\0{self._database}\0application_name\0goldfish\0\0"
        body = struct.pack("!i", 196608) + names.encode()
        writer.write(struct.pack("!i", len(body) + 4) + body)
        key, proof = b"", Proof(self._password)
        while True:
            kind, message = await _read(reader)
            if kind == b"R":
                (request,) = struct.unpack("!i", message[5:9])
                writer.write(answer_authentication(proof, request, message[9:]))
            if kind == b"K":
                key = message[5:]
            if kind == _READY:
                return (reader, writer), key

    def _begin(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        self._begin(self._attend(reader, writer))

    async def _attend(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            if await self._greet(reader, writer):
                said: asyncio.Queue[bytes] = asyncio.Queue()  # by the client; nothing at its end
                self._begin(_listen(reader, said))
                while message := await said.get():
                    await self._lend(message, said, writer)
        writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Welcome a client; False if it only came to cancel what another does."""
        while True:
            (length,) = struct.unpack("!i", await reader.readexactly(4))
            body = await reader.readexactly(length - 4)
            (code,) = struct.unpack("!i", body[:4])
            if code == _CANCEL:
                await self._cancel(body[4:])
                return False
            if code not in (_SSL, _GSS):
                break
            writer.write(b"N")
        self._keys[writer] = secrets.token_bytes(8)
        greeting = [_message(b"R", struct.pack("!i", 0)), _message(b"K", self._keys[writer])]
        for name, value in _SETTINGS.items():
            greeting.append(_message(b"S", f"{name}\0{value}\0".encode()))
        writer.write(b"".join([*greeting, _message(_READY, _IDLE)]))
        return True

    async def _lend(
        self, message: bytes, said: "asyncio.Queue[bytes]", writer: asyncio.StreamWriter
    ) -> None:
        """Bring the client together with a server connection until its transaction has ended."""
        server = await self._servers.get()
        (from_server, to_server), self._busy[self._keys[writer]] = server
        answering = self._begin(_answer(from_server, writer))
        while message and not answering.done():
            to_server.write(message)
            asking = asyncio.create_task(said.get())
            await asyncio.wait({asking, answering}, return_when=asyncio.FIRST_COMPLETED)
            if asking.done():
                message = asking.result()
            else:
                asking.cancel()
        del self._busy[self._keys[writer]]
        if answering.done():
            self._servers.put_nowait(server)
        else:  # the client left in the midst of it
            answering.cancel()
            to_server.close()
            said.put_nowait(b"")
            self._servers.put_nowait(await self._connect())

    async def _cancel(self, key: bytes) -> None:
        if server_key := self._busy.get(key):
            reader, writer = await asyncio.open_connection(self._host, self._port)
            body = struct.pack("!i", _CANCEL) + server_key
            writer.write(struct.pack("!i", len(body) + 4) + body)
            await reader.read()
            self._open.add(writer)


@asynccontextmanager
async def pooled(dsn: str, size: int = 2) -> AsyncIterator[str]:
    """The address of a pooler with so many connections to the database."""
    pooler = TransactionPooler(dsn)
    listener = await pooler.start(size)
    try:
        yield pooler.dsn
    finally:
        listener.close()
        await pooler.aclose()

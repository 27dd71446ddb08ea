"""One request over HTTP: its body, and the ways in which an answer can come, stall or break off."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

JSON = "application/json"
# A client that retries shall not wait: openai and anthropic take zero seconds for "not said".
RETRY_NOW = {"retry-after": "0", "retry-after-ms": "1"}
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER with no time: closing sends a reset


class Connection:
    """The mirror's side of one request."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, transport: asyncio.Transport | None
    ) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self._transport = transport
        self._leaving: asyncio.Task[None] | None = None

    async def read(self) -> bytes:
        """Return the body of the request."""
        pieces = []
        while True:
            message = await self._receive()
            pieces.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(pieces)

    async def has_left(self, within: float = 0.0) -> bool:
        """Return True if the client closes the connection in the next seconds, or has done so."""
        if self._leaving is None:
            self._leaving = asyncio.ensure_future(self._watch())
        await asyncio.wait({self._leaving}, timeout=within)
        return self._leaving.done()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def begin(self, status: int, kind: str, headers: dict[str, str] | None = None) -> None:
        """Send the head of an answer."""
        named = {"content-type": kind, **(headers or {})}
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in named.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def send(self, piece: bytes) -> None:
        """Send a piece of the body."""
        await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self, piece: bytes = b"") -> None:
        """Send the last piece of the body."""
        await self._send({"type": "http.response.body", "body": piece})
        self.close()

    async def answer(
        self, status: int, body: bytes, kind: str = JSON, headers: dict[str, str] | None = None
    ) -> None:
        """Send a whole answer."""
        length = {"content-length": str(len(body))}
        await self.begin(status, kind, {**length, **(headers or {})})
        await self.end(body)

    async def reset(self) -> None:
        """Break the connection, as a crashed server does."""
        self.close()
        if self._transport is not None:
            with contextlib.suppress(OSError):  # the client has closed it
                sock = self._transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self._transport.abort()
            await asyncio.sleep(0)  # let uvicorn know, or it complains of half an answer

    def close(self) -> None:
        """Stop watching the client."""
        if self._leaving is not None:
            self._leaving.cancel()

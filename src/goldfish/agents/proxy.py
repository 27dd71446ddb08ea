"""A proxy that leads nowhere, and remembers which hosts were asked for."""

import asyncio
import contextlib
import re

REFUSAL = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_HOST = re.compile(rb"[A-Z]+ (?:https?://)?([^/ :]+)")


class DeadEnd:
    """A proxy on loopback that refuses every request: an agent under test reaches no provider."""

    def __init__(self) -> None:
        self.hosts: list[str] = []  # in the order in which they were first asked for
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """Begin to listen."""
        self._server = await asyncio.start_server(self._refuse, "127.0.0.1", 0)

    @property
    def url(self) -> str:
        """The address for HTTPS_PROXY."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _refuse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError):
            line = await asyncio.wait_for(reader.readline(), 5)
            if (found := _HOST.match(line)) and (host := found[1].decode()) not in self.hosts:
                self.hosts.append(host)
            writer.write(REFUSAL)
            await writer.drain()
        writer.close()

"""A server on loopback in a thread of its own, with starlette and uvicorn."""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from goldfish.errors import MissingExtraError, ServiceError
from goldfish.mirror.connection import Connection, Receive, Scope, Send

Handler = Callable[[Connection], Awaitable[None]]


class HTTPServer:
    """Routes on a port of 127.0.0.1; connections can be broken as a crashed server would."""

    def __init__(
        self, routes: Mapping[tuple[str, str], Handler], other: Handler, port: int
    ) -> None:
        self._transports: dict[Any, asyncio.Transport] = {}
        self._app = self._make_app(routes, other)
        self._socket = _listen(port)
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name="goldfish-mirror", daemon=True)
        self._thread.start()
        self._listening.wait()

    def close(self) -> None:
        """Break all connections and end the thread."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _make_app(self, routes: Mapping[tuple[str, str], Handler], other: Handler) -> Any:
        try:
            from starlette.applications import Starlette
            from starlette.routing import Route
        except ImportError as error:
            raise MissingExtraError.of("starlette", "agents") from error
        made = [
            Route(path, _Endpoint(handler, self._transports), methods=[method])
            for (method, path), handler in routes.items()
        ]
        app = Starlette(routes=made)
        app.router.default = _Endpoint(other, self._transports)
        app.router.redirect_slashes = False
        return app

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            server = self._loop.run_until_complete(self._serve())
            self._listening.set()
            self._loop.run_forever()
            server.close()
            for transport in list(self._transports.values()):
                transport.abort()
            for task in (tasks := asyncio.all_tasks(self._loop)):
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        finally:
            self._listening.set()
            self._socket.close()
            self._loop.close()

    async def _serve(self) -> asyncio.Server:
        make = _make_protocol(self._app, self._transports)
        return await self._loop.create_server(make, sock=self._socket)


class _Endpoint:
    """An ASGI application that hands a connection to a handler."""

    def __init__(self, handler: Handler, transports: dict[Any, asyncio.Transport]) -> None:
        self._handler = handler
        self._transports = transports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        transport = self._transports.get(tuple(scope["client"]))
        connection = Connection(scope, receive, send, transport)
        try:
            await self._handler(connection)
        finally:
            connection.close()


def _make_protocol(app: Any, transports: dict[Any, asyncio.Transport]) -> Callable[[], Any]:
    """Return a maker of uvicorn's protocol, which is quick to start without uvicorn's server."""
    try:
        from uvicorn import Config
        from uvicorn.protocols.http.h11_impl import H11Protocol
        from uvicorn.server import ServerState
    except ImportError as error:
        raise MissingExtraError.of("uvicorn", "agents") from error

    class Protocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            transports[self.client] = transport

        def connection_lost(self, exc: Exception | None) -> None:
            transports.pop(self.client, None)
            super().connection_lost(exc)

    # Clients keep connections for minutes, and trip over one that closes as they use it.
    config = Config(app, lifespan="off", ws="none", log_config=None, access_log=False)
    config.timeout_keep_alive = 3600
    config.load()
    state = ServerState()
    return lambda: Protocol(config, state, {})


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listening.close()
        raise ServiceError(
            f"the mirror cannot listen on port {port} ({error}): use another port"
        ) from error
    listening.listen(1024)
    listening.setblocking(False)
    return listening

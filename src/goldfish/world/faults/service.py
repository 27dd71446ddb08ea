"""One service of a sandbox: a server that nobody else uses, and the proxy that leads to it."""

from typing import Any
from urllib.parse import urlsplit

from goldfish.errors import MissingExtraError, NotPossibleError, mask
from goldfish.services import ExternalPostgres, ExternalRedis, PostgresServer, RedisServer, pool
from goldfish.world.faults.fault import Ledger
from goldfish.world.faults.network import Proxy


class Service:
    """A server behind a proxy; ``address`` leads through both."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        self.name = name
        self.ledger = ledger
        self.server = pool.acquire(name)
        self._server_address = ""
        try:
            self._server_address = _find_address(self.server)
            self.proxy = Proxy(*parse_tcp_address(self._server_address), ledger=ledger)
        except BaseException:
            self._release(doubtful=True)
            raise
        self.address = _move_to_proxy(self._server_address, self.proxy)

    @property
    def own_server(self) -> RedisServer | PostgresServer:
        """The server, if goldfish started it; else raise NotPossibleError."""
        if isinstance(self.server, RedisServer | PostgresServer):
            return self.server
        raise NotPossibleError(
            f"goldfish did not start this server, so it cannot harm it: "
            f"{mask(self._server_address)}; use network faults, or unset "
            f"{_VARIABLES[self.name]} so that goldfish starts one"
        )

    def close(self, *, doubtful: bool) -> None:
        """Close the proxy and release the server; a doubtful one is ended."""
        try:
            self.proxy.close()
        finally:
            self._release(doubtful=doubtful)

    def _release(self, *, doubtful: bool) -> None:
        if isinstance(self.server, ExternalRedis | ExternalPostgres) and self._server_address:
            self.server.release(self._server_address)
        pool.release(self.server, doubtful=doubtful)


_VARIABLES = {"redis": "GOLDFISH_REDIS_URL", "postgres": "GOLDFISH_POSTGRES_DSN"}


def _find_address(server: pool.AnyServer) -> str:
    if isinstance(server, RedisServer):
        return server.url
    if isinstance(server, PostgresServer):
        return server.dsn
    return server.database()


def parse_tcp_address(address: str) -> tuple[str, int]:
    """Return the host and port of an address; refuse TLS, Unix sockets and several hosts."""
    if address.startswith(("redis://", "postgresql://", "postgres://")):
        parts = urlsplit(address)
        if parts.hostname and "," not in parts.netloc and "host" not in parts.query:
            usual = 6379 if parts.scheme == "redis" else 5432
            return parts.hostname, parts.port or usual
    elif "://" not in address:
        return _parse_keywords(address)
    raise NotPossibleError(
        f"a proxy leads to one TCP port and speaks no TLS, not to {mask(address)}: "
        "give the server as redis://host:port or postgresql://host:port"
    )


def _parse_keywords(conninfo: str) -> tuple[str, int]:
    found = _import_conninfo().conninfo_to_dict(conninfo)
    host, port = str(found.get("host") or "localhost"), str(found.get("port") or 5432)
    if host.startswith("/") or not port.isdigit():
        raise NotPossibleError(
            f"a proxy leads to one TCP port, not to {mask(conninfo)}: give it as host=… port=…"
        )
    return host, int(port)


def _move_to_proxy(address: str, proxy: Proxy) -> str:
    """Return the same address at the proxy's port."""
    if "://" not in address:
        return str(_import_conninfo().make_conninfo(address, host=proxy.host, port=proxy.port))
    parts = urlsplit(address)
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{proxy.host}:{proxy.port}").geturl()


def _import_conninfo() -> Any:
    try:
        from psycopg import conninfo
    except ImportError as error:
        raise MissingExtraError.of("psycopg", "postgres") from error
    return conninfo

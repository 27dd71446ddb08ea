"""One service of one sandbox: a server that nobody else uses, and the proxy that leads to it."""

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
        self._lent_address = ""
        try:
            self._lent_address = _given_address(self.server)
            self.proxy = Proxy(*tcp_location(self._lent_address), ledger=ledger)
        except BaseException:
            self._give_back(doubtful=True)
            raise
        self.address = _moved(self._lent_address, self.proxy)

    @property
    def own_server(self) -> RedisServer | PostgresServer:
        """The server as one that we may torment; one that the user gave us is refused."""
        if isinstance(self.server, RedisServer | PostgresServer):
            return self.server
        raise NotPossibleError(
            f"goldfish did not start this server, so it cannot harm it: "
            f"{mask(self._lent_address)}; use network faults, or unset "
            f"{_VARIABLES[self.name]} so that goldfish starts one"
        )

    def close(self, *, doubtful: bool) -> None:
        """End the proxy and return the server, to be ended if there is doubt about it."""
        try:
            self.proxy.close()
        finally:
            self._give_back(doubtful=doubtful)

    def _give_back(self, *, doubtful: bool) -> None:
        if isinstance(self.server, ExternalRedis | ExternalPostgres) and self._lent_address:
            self.server.release(self._lent_address)
        pool.release(self.server, doubtful=doubtful)


_VARIABLES = {"redis": "GOLDFISH_REDIS_URL", "postgres": "GOLDFISH_POSTGRES_DSN"}


def _given_address(server: pool.AnyServer) -> str:
    if isinstance(server, RedisServer):
        return server.url
    if isinstance(server, PostgresServer):
        return server.dsn
    return server.database()


def tcp_location(address: str) -> tuple[str, int]:
    """The host and port of an address; NotPossibleError for TLS, Unix sockets and several hosts."""
    if address.startswith(("redis://", "postgresql://", "postgres://")):
        parts = urlsplit(address)
        if parts.hostname and "," not in parts.netloc and "host" not in parts.query:
            usual = 6379 if parts.scheme == "redis" else 5432
            return parts.hostname, parts.port or usual
    elif "://" not in address:
        return _keyword_location(address)
    raise NotPossibleError(
        f"a proxy leads to one TCP port and speaks no TLS, not to {mask(address)}: "
        "give the server as redis://host:port or postgresql://host:port"
    )


def _keyword_location(conninfo: str) -> tuple[str, int]:
    found = _conninfo().conninfo_to_dict(conninfo)
    host, port = str(found.get("host") or "localhost"), str(found.get("port") or 5432)
    if host.startswith("/") or not port.isdigit():
        raise NotPossibleError(
            f"a proxy leads to one TCP port, not to {mask(conninfo)}: give it as host=… port=…"
        )
    return host, int(port)


def _moved(address: str, proxy: Proxy) -> str:
    """The same address, but at the proxy's port."""
    if "://" not in address:
        return str(_conninfo().make_conninfo(address, host=proxy.host, port=proxy.port))
    parts = urlsplit(address)
    user, at, _ = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}{at}{proxy.host}:{proxy.port}").geturl()


def _conninfo() -> Any:
    try:
        from psycopg import conninfo
    except ImportError as error:
        raise MissingExtraError.of("psycopg", "postgres") from error
    return conninfo

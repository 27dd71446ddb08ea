"""The private place that one check gets: a directory, and real servers on demand."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

from goldfish.errors import ServiceError
from goldfish.services import shared_postgres, shared_redis, undertaker


class Sandbox:
    """One storage, to be opened again and again; ``opening`` counts the openings."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="goldfish-"))
        undertaker.watch_directory(self.path)
        self.opening = 0
        self._addresses: dict[str, str] = {}

    @property
    def redis_url(self) -> str:
        """An empty Redis database of this sandbox's own."""
        return self._address("redis")

    @property
    def postgres_dsn(self) -> str:
        """An empty PostgreSQL database of this sandbox's own."""
        return self._address("postgres")

    def provide(self, services: tuple[str, ...]) -> None:
        """Have the services ready before anybody asks, so that other processes know them too."""
        for service in services:
            self._address(service)

    def description(self) -> dict[str, Any]:
        """What another process needs to open the same storage."""
        return {"path": str(self.path), "opening": self.opening, "addresses": self._addresses}

    def close(self) -> None:
        """Remove the directory and give back the databases."""
        shutil.rmtree(self.path, ignore_errors=True)
        undertaker.forget_directory(self.path)
        for service, address in self._addresses.items():
            _SERVERS[service]().release(address)
        self._addresses = {}

    def _address(self, service: str) -> str:
        if service not in _SERVERS:
            raise ServiceError(f"there is no service {service!r}: use {' or '.join(_SERVERS)}")
        if service not in self._addresses:
            self._addresses[service] = _SERVERS[service]().database()
        return self._addresses[service]


_SERVERS = {"redis": shared_redis, "postgres": shared_postgres}


class RemoteSandbox:
    """A sandbox as another process sees it: all is given, nothing is made."""

    def __init__(self, description: dict[str, Any]) -> None:
        self.path = Path(description["path"])
        self.opening = int(description["opening"])
        self._addresses: dict[str, str] = description["addresses"]

    @property
    def redis_url(self) -> str:
        """The sandbox's Redis database."""
        return self._address("redis")

    @property
    def postgres_dsn(self) -> str:
        """The sandbox's PostgreSQL database."""
        return self._address("postgres")

    def _address(self, service: str) -> str:
        if service not in self._addresses:
            raise ServiceError(
                f"another process asks for {service}: "
                f"declare @goldfish.target(services=[{service!r}])"
            )
        return self._addresses[service]

"""The private place that one check gets: a directory, and real servers on demand."""

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goldfish.errors import ServiceError
from goldfish.services import cleanup
from goldfish.services.pool import SERVICES
from goldfish.services.shared import find_shared
from goldfish.world.environment import make_environment

if TYPE_CHECKING:
    from goldfish.world.faults import Fault, Faults


class Sandbox:
    """One storage that can be opened many times; ``opening`` counts the openings.

    With ``own_servers``, or once ``faults`` was asked for, the servers are this sandbox's alone and
    a proxy leads to each, so that they can fail. Otherwise they are shared, which is cheap.
    """

    def __init__(self, *, own_servers: bool = False) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="goldfish-"))
        cleanup.watch_directory(self.path)
        self.opening = 0
        self.model: str | None = None  # the address of the mirror, for agents
        self._addresses: dict[str, str] = {}
        self._faults: Faults | None = None
        if own_servers:
            _ = self.faults

    @property
    def redis_url(self) -> str:
        """An empty Redis database of this sandbox's own."""
        return self._address("redis")

    @property
    def postgres_dsn(self) -> str:
        """An empty PostgreSQL database of this sandbox's own."""
        return self._address("postgres")

    @property
    def faults(self) -> "Faults":
        """The faults of this sandbox; use it before the first ``redis_url``."""
        if self._faults is None:
            # A sandbox without faults does not pay for the import.
            from goldfish.world.faults import Faults

            self._faults = Faults(shared=tuple(self._addresses))
        return self._faults

    @property
    def harm(self) -> "list[Fault]":
        """The faults so far, oldest first."""
        return self._faults.noted if self._faults else []

    def provide(self, services: tuple[str, ...]) -> None:
        """Start the services now, so that other processes know their addresses."""
        for service in services:
            self._address(service)

    def description(self) -> dict[str, Any]:
        """Return what another process needs to open the same storage."""
        own = self._faults.addresses if self._faults else {}
        addresses = {**self._addresses, **own}
        return {
            "path": str(self.path),
            "opening": self.opening,
            "addresses": addresses,
            "model": self.model,
        }

    def make_environment(self) -> dict[str, str | None]:
        """Return the variables by which a program in any language finds this place."""
        known = self.description()
        return make_environment(known["path"], known["opening"], known["addresses"])

    def close(self) -> None:
        """Heal every fault, remove the directory and release the databases and servers."""
        try:
            if self._faults is not None:
                self._faults.close()
        finally:
            shutil.rmtree(self.path, ignore_errors=True)
            cleanup.forget_directory(self.path)
            for service, address in self._addresses.items():
                find_shared(service).release(address)
            self._addresses = {}

    def _address(self, service: str) -> str:
        if service not in SERVICES:
            raise ServiceError(f"no service named {service!r}: use {' or '.join(SERVICES)}")
        if self._faults is not None and service not in self._addresses:
            return self._faults.address(service)
        if service not in self._addresses:
            self._addresses[service] = find_shared(service).database()
        return self._addresses[service]

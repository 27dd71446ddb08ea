"""Faults of a sandbox, each healed again: ``sandbox.faults``."""

from contextlib import ExitStack
from typing import Literal, overload

from goldfish.errors import NotPossibleError, UsageError
from goldfish.world.faults.disk import DiskFaults
from goldfish.world.faults.fault import Fault, Ledger
from goldfish.world.faults.network import Proxy
from goldfish.world.faults.postgres import PostgresFaults
from goldfish.world.faults.process import killed, stopped
from goldfish.world.faults.redis import RedisFaults
from goldfish.world.faults.service import Service

__all__ = [
    "DiskFaults",
    "Fault",
    "Faults",
    "NotPossibleError",
    "PostgresFaults",
    "Proxy",
    "RedisFaults",
]


class Faults:
    """Faults of the network, the servers and the disk of one sandbox; close() heals them all."""

    def __init__(self, *, shared: tuple[str, ...] = ()) -> None:
        self._shared = shared
        self._ledger = Ledger()
        self._services: dict[str, Service] = {}
        self.disk = DiskFaults(self._ledger)

    @property
    def addresses(self) -> dict[str, str]:
        """The addresses that were given out, by service; each leads through a proxy."""
        return {name: service.address for name, service in self._services.items()}

    @property
    def unhealed(self) -> list[Fault]:
        """The faults in force, oldest first."""
        return self._ledger.unhealed

    @property
    def noted(self) -> list[Fault]:
        """Every fault that was begun here, healed or not, oldest first."""
        return list(self._ledger.noted)

    def address(self, service: str) -> str:
        """Return the address of a service that only this sandbox uses."""
        return self._service(service).address

    def network(self, service: str) -> Proxy:
        """Return the proxy that leads to ``"redis"`` or ``"postgres"``, with its faults."""
        return self._service(service).proxy

    @overload
    def server(self, service: Literal["redis"]) -> RedisFaults: ...
    @overload
    def server(self, service: Literal["postgres"]) -> PostgresFaults: ...
    @overload
    def server(self, service: str) -> RedisFaults | PostgresFaults: ...
    def server(self, service: str) -> RedisFaults | PostgresFaults:
        """Return the faults of the server itself; refuse a server that goldfish did not start."""
        made = self._service(service)
        return PostgresFaults(made) if service == "postgres" else RedisFaults(made)

    def stopped(self, pid: int) -> Fault:
        """Stop a process, such as a pod, with its children until this is healed."""
        return stopped(pid, ledger=self._ledger)

    def killed(self, pid: int) -> Fault:
        """Kill a process, such as a pod, with its children; there is nothing to heal."""
        return killed(pid, ledger=self._ledger)

    def heal_all(self) -> list[Exception]:
        """Heal all faults, newest first; return the errors of healing."""
        return self._ledger.heal_all()

    def close(self) -> None:
        """Heal all faults, close the proxies and release the servers."""
        doubtful = bool(self.heal_all())
        services, self._services = self._services, {}
        with ExitStack() as ends:  # all of them, also if one fails
            for service in services.values():
                ends.callback(service.close, doubtful=doubtful)

    def _service(self, name: str) -> Service:
        if name in self._shared:
            raise UsageError(
                f"this sandbox already uses a shared {name}: use sandbox.faults "
                "before the first address, or make it with Sandbox(own_servers=True)"
            )
        if name not in self._services:
            self._services[name] = Service(name, self._ledger)
        return self._services[name]

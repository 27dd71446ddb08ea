"""Servers and cleaning up that another process provides: the one that runs the checks.

A check runs in a process of its own, which may die at any time. What has to outlive it (servers,
and the removal of what it leaves behind) is the business of the process that listens to it.
"""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, Protocol

from goldfish.services import reaper


class Provider(Protocol):
    """The other process: ``ask`` waits for an answer, ``tell`` does not."""

    def ask(self, verb: str, *arguments: Any) -> Any: ...

    def tell(self, verb: str, *arguments: Any) -> None: ...


_provider: tuple[int, Provider] | None = None


def use_provider(provider: Provider) -> None:
    """Let another process provide servers, and clean up, for this one."""
    global _provider
    _provider = os.getpid(), provider


def get_provider() -> Provider | None:
    """Return the provider of this process; a forked child must not speak for it, and has none."""
    if _provider is not None and _provider[0] == os.getpid():
        return _provider[1]
    return None


class RemoteShared:
    """A shared server that another process runs: databases are taken from it and given back."""

    def __init__(self, service: str, provider: Provider) -> None:
        self._service = service
        self._provider = provider

    def database(self) -> str:
        """Return the address of a new, empty database."""
        return str(self._provider.ask("take database", self._service))

    def release(self, address: str) -> None:
        """Give a database back."""
        self._provider.ask("give database", self._service, address)


class AdoptedProcess:
    """A process that another one started: what a server needs of subprocess.Popen."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._mark = reaper.start_mark(pid)

    def poll(self) -> int | None:
        """Return None while it lives."""
        if self.returncode is None and reaper.start_mark(self.pid) != self._mark:
            self.returncode = -signal.SIGKILL
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it is dead."""
        give_up = time.monotonic() + timeout if timeout is not None else None
        while self.poll() is None:
            if give_up is not None and time.monotonic() > give_up:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0)
            time.sleep(0.002)
        if provider := get_provider():
            provider.ask("bury process", self.pid)  # PostgreSQL takes a zombie for a living server
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal if it still lives."""
        if self.poll() is None:
            reaper.send_signal([self.pid], number)


# What makes a server known to another process; paths travel as texts.
_FIELDS = (
    "settings",
    "_in_memory",
    "_port",
    "persistence",
    "cluster",
    "_cluster_port",
    "_password",
)
_PATHS = ("_directory", "_program", "_programs")


def describe_server(server: Any) -> dict[str, Any]:
    """Return what another process needs to control this server."""
    known = vars(server)
    return {
        "pid": server.pid if server.is_running else None,
        "fields": {name: known[name] for name in _FIELDS if name in known},
        "paths": {name: str(known[name]) for name in _PATHS if known.get(name)},
    }


def adopt_server(server: Any, description: dict[str, Any]) -> None:
    """Make a server object control the process that was described."""
    vars(server).update(description["fields"])
    vars(server).update({name: Path(path) for name, path in description["paths"].items()})
    server._owner = os.getpid()
    pid, known = description["pid"], server._process
    if pid is not None and (known is None or known.pid != pid):
        server._process = AdoptedProcess(pid)

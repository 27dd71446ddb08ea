"""The factory of a command's stores, which other processes find by the words of the command."""

import shlex
from dataclasses import dataclass
from typing import Any

from goldfish.commands.process import CommandProcess
from goldfish.commands.store import CommandStore, open_store
from goldfish.targets.declaration import Location
from goldfish.world.remote import RemoteSandbox

PREFIX = "cmd:"


@dataclass(frozen=True)
class Command:
    """A command that serves a memory; each call starts a process on the storage of a sandbox."""

    line: str

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        return shlex.split(self.line)

    @property
    def location(self) -> Location:
        """Where another process finds this factory."""
        return Location(__name__, __file__, f"{PREFIX}{self.line}")

    async def start(self, sandbox: Any) -> CommandProcess:
        """Start the command in a sandbox; nothing is asked of it yet."""
        is_pod = isinstance(sandbox, RemoteSandbox)  # whose group is ended as a whole
        return await CommandProcess.start(
            self.words, sandbox.make_environment(), is_watched=not is_pod
        )

    async def __call__(self, sandbox: Any) -> CommandStore:
        """Start the command, and return the memory that it serves."""
        return await open_store(await self.start(sandbox))


def __getattr__(name: str) -> Command:
    """Return the command of a location."""
    if not name.startswith(PREFIX):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Command(name.removeprefix(PREFIX))

"""The process of a server: lines to and from it, what it said last, and its end.

It stays in the process group of the pod that starts it, so that what happens to the pod happens to
it: killed, paused and continued together. (The client of the package would detach it.)
"""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import IO

from goldfish.errors import mask
from goldfish.services import cleanup, reaper

LAST_LINES = 12
LONGEST_LINE = 1 << 30
ENDS_WITHIN = 2.0  # seconds after its standard input ends, as the clients of the package wait


class Process:
    """A server that was started by a command, and talks by lines of JSON."""

    def __init__(self, process: asyncio.subprocess.Process, log: IO[bytes]) -> None:
        self._process = process
        self._log = log
        self.strays: list[str] = []  # what it printed where only messages belong
        cleanup.watch_process(process.pid)

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], directory: Path
    ) -> "Process":
        """Start the command in a directory; an OSError says why it cannot be."""
        log = tempfile.TemporaryFile(prefix="goldfish-")  # noqa: SIM115 - it lives as long
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=directory,
                env=environment,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                limit=LONGEST_LINE,
            )
        except BaseException:
            log.close()
            raise
        return cls(process, log)

    async def read_lines(self) -> AsyncIterator[bytes]:
        """Yield what it prints until its standard output ends."""
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            yield line

    async def write_line(self, line: bytes) -> None:
        """Send a line; one that nobody reads any more is dropped."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(line + b"\n")
            await self._process.stdin.drain()

    async def wait_for_end(self) -> int:
        """Return its exit code, or nothing if it goes on without an open standard output."""
        return await asyncio.wait_for(self._process.wait(), ENDS_WITHIN)

    async def end(self) -> None:
        """Let it end by closing its standard input; kill it with all it has started if it stays."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), ENDS_WITHIN)
        self.kill()
        await self._process.wait()
        self._log.close()

    def kill(self) -> None:
        """SIGKILL it and all its descendants, and wait until they are gone."""
        if self._process.returncode is None:
            reaper.wait_until_dead(reaper.kill_tree(self._process.pid))
        cleanup.forget_process(self._process.pid)

    def describe_last_lines(self) -> str:
        """Return what it said last, on standard error, and what was not a message, before that."""
        parts = []
        if self.strays:
            first = self.strays[0][:200]
            parts.append(f"; it printed on standard output what is not a message of MCP: {first!r}")
        lines = self._read_log()[-LAST_LINES:]
        parts.append("; its last lines:\n" + "\n".join(lines) if lines else "; it logged nothing")
        return mask("".join(parts))

    def _read_log(self) -> list[str]:
        if self._log.closed:
            return []
        size = os.fstat(self._log.fileno()).st_size
        text = os.pread(self._log.fileno(), 1 << 16, max(0, size - (1 << 16)))
        return [line for line in text.decode(errors="replace").splitlines() if line.strip()]

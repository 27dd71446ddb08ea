"""The process of a command: how it is started, how it ends, and what it says on standard error."""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from goldfish.commands.channel import Channel
from goldfish.commands.errors import ProtocolError
from goldfish.harness.crash import Crash, EndedItselfError
from goldfish.harness.errors import EndedError
from goldfish.harness.replica import LONGEST_LINE
from goldfish.services import cleanup, reaper

ENDS_WITHIN = 5.0  # seconds, after the end of its standard input
LAST_LINES = 12
TAIL = 8192  # bytes of its standard error
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class CommandProcess:
    """A running command; it ends with the thread that started it, however that ends.

    It stays in the process group of this process, so that a pod is killed and paused as a whole.
    """

    def __init__(self, process: asyncio.subprocess.Process, log: Any, *, is_watched: bool) -> None:
        assert process.stdout is not None
        assert process.stdin is not None
        self.channel = Channel(process.stdout, process.stdin)
        self._process = process
        self._log = log
        self._is_watched = is_watched
        self._guarding = asyncio.create_task(self._guard())
        if is_watched:
            cleanup.watch_process(process.pid)

    @classmethod
    async def start(
        cls, words: Sequence[str], environment: Mapping[str, str | None], *, is_watched: bool
    ) -> Self:
        """Start a command, with these variables set or, where they are None, unset.

        ``is_watched`` is for the process of the harness or of a check: what it leaves is removed.
        """
        log = tempfile.TemporaryFile(prefix="goldfish-")  # noqa: SIM115 - it lives as long
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=_make_environment(environment),
                limit=LONGEST_LINE,
                preexec_fn=_die_with_parent if _LIBC else None,
            )
        except (OSError, ValueError) as error:
            log.close()
            raise ProtocolError(_explain_start(words, error)) from None
        return cls(process, log, is_watched=is_watched)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    async def _guard(self) -> None:
        """End the process with the loop that serves it: a call that never returns ends both."""
        try:
            await self._process.wait()
        except asyncio.CancelledError:
            self.channel.close()
            self.kill()
            self.release()
            await self._process.wait()
            raise

    async def ask(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Return the answer of the command; an EndedItselfError says that it ended by itself."""
        try:
            return await self.channel.ask(method, parameters)
        except EOFError:
            crash = Crash(await self._wait_for_end(), self.read_log())
            if crash.is_own:
                raise EndedItselfError(crash) from None
            raise EndedError("the process ended") from None

    async def end(self) -> bool:
        """End its input and wait; return False if it had to be killed."""
        self.channel.close()
        try:
            await asyncio.wait_for(self._process.wait(), ENDS_WITHIN)
        except TimeoutError:
            self.kill()
            await self._process.wait()
            return False
        finally:
            self.release()
        return True

    def kill(self) -> None:
        """SIGKILL the process and all that it has started."""
        if self._process.returncode is None:  # its number may be another process's by now
            reaper.wait_until_dead(reaper.kill_tree(self._process.pid))

    def release(self) -> None:
        """Close what belongs to this process, once the other one is over."""
        if self._is_watched:
            cleanup.forget_process(self._process.pid)
        if not self._log.closed:
            self._log.close()

    def read_log(self) -> list[str]:
        """Return the last lines of its standard error."""
        if self._log.closed:
            return []
        size = os.fstat(self._log.fileno()).st_size
        # Its own place in the file is that of the process, which writes there.
        tail = os.pread(self._log.fileno(), TAIL, max(0, size - TAIL))
        lines = [line for line in tail.decode(errors="replace").splitlines() if line.strip()]
        return lines[-LAST_LINES:]

    async def describe_end(self) -> str:
        """Return how it ended, whose output is over."""
        code = await self._wait_for_end()
        return str(Crash(code)) if code < 0 else f"ended with exit code {code}"

    async def _wait_for_end(self) -> int:
        """Return the exit code of a process whose output is over."""
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(self._process.wait(), ENDS_WITHIN)
        self.kill()  # one that has closed its output serves nobody
        return await self._process.wait()


def _die_with_parent() -> None:
    """Ask the system to end this process when the thread that started it ends."""
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _make_environment(own: Mapping[str, str | None]) -> dict[str, str]:
    """Return this environment with the given variables, and this interpreter first on the PATH."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    merged = {**os.environ, "PATH": path, **own}
    return {name: value for name, value in merged.items() if value is not None}


def _explain_start(words: Sequence[str], error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return f"cannot be started: there is no program {words[0]!r}; install it or give its path"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"cannot be started: {words[0]!r} is not executable ({reason})"

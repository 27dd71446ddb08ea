"""A server as a child process that we own: start, stop, kill, pause, resume, restart."""

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self, TypeVar

from goldfish.errors import ServiceError
from goldfish.services import account, cleanup, reaper
from goldfish.services.ports import find_free_port, is_free

START_TIMEOUT = 120.0  # a busy machine is slow; what cannot start ends much sooner
STOP_TIMEOUT = 10.0
_PORTS_TO_TRY = 5

_Value = TypeVar("_Value")


class ServerProcess(ABC):
    """One server on a loopback port with a private directory; nothing happens before start()."""

    name: ClassVar[str]
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    # What ends the server at once and still lets it give back shared memory, where it has any.
    gentle_signal: ClassVar[signal.Signals | None] = None

    def __init__(
        self, *, settings: Mapping[str, str] | None = None, in_memory: bool = False
    ) -> None:
        self.settings = dict(settings or {})
        self._in_memory = in_memory
        self._process: subprocess.Popen[bytes] | None = None
        self._directory: Path | None = None
        self._port: int | None = None
        self._owner = os.getpid()

    @abstractmethod
    def _prepare(self, data: Path) -> None:
        """Find the program and fill the data directory, once, before the first start."""

    @abstractmethod
    def _command(self) -> list[str]:
        """Return the command line of the server."""

    @abstractmethod
    def _answers(self, pid: int) -> bool:
        """Return True if the server with this pid, and no other, answers on our port."""

    @property
    def is_running(self) -> bool:
        """Whether the process exists; a paused one does."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        if self._process is None or not self.is_running:
            raise ServiceError(f"{self.name} is not running: call start() first")
        return self._process.pid

    @property
    def port(self) -> int:
        """The loopback port, the same from the first start to close()."""
        return self._require_start(self._port)

    @property
    def directory(self) -> Path:
        """The private directory, with the data and the log, from the first start to close()."""
        return self._require_start(self._directory)

    def log_tail(self, lines: int = 10) -> str:
        """Return the last lines of the server's log."""
        text = (self.directory / "server.log").read_text("utf-8", errors="replace")
        return "\n".join(text.splitlines()[-lines:])

    def start(self) -> Self:
        """Start the server, the first time or again on the same data and port, and wait for it."""
        if not self.is_running:
            first = self._directory is None
            try:
                self._start_first() if first else self._start_on_port()
            except BaseException:
                # A start that failed leaves no process, and a first one leaves no directory.
                self.close() if first else self.kill()
                raise
        return self

    def stop(self) -> None:
        """End the server in its orderly way, or with SIGKILL if that takes too long; keep data."""
        if self._process is not None and self.is_running:
            self._end(self._process, self.stop_signal)

    def kill(self) -> None:
        """SIGKILL the server with all its children, as a power cut would, and wait; keep data."""
        if self._process is not None and self.is_running:
            tree = reaper.kill_tree(self._process.pid)
            self._process.wait()
            reaper.wait_until_dead(tree)
            self._after_end(self._process)

    def pause(self) -> None:
        """SIGSTOP the server with all its children: connections stay open, nothing answers."""
        reaper.freeze_tree(self.pid)

    def resume(self) -> None:
        """SIGCONT the server with all its children."""
        reaper.send_signal([self.pid, *reaper.list_descendants(self.pid)], signal.SIGCONT)

    def restart(self) -> None:
        """Stop the server if it runs, and start it again on the same data and port."""
        self.stop()
        self.start()

    def close(self) -> None:
        """End the server at once and remove its directory; in a forked child do nothing."""
        if self._owner != os.getpid():
            return
        if self._process is not None:
            if self.is_running:
                self._end(self._process, self.gentle_signal or signal.SIGKILL)
            # Once more or for the first time, if somebody else ended the server.
            self._after_end(self._process)
        if self._directory is not None:
            shutil.rmtree(self._directory, ignore_errors=True)
            cleanup.forget_directory(self._directory)
        self._process = self._directory = self._port = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def _start_first(self) -> None:
        self._owner = os.getpid()
        self._directory = account.make_private_directory(in_memory=self._in_memory)
        cleanup.watch_directory(self._directory)
        self._prepare(self._data)
        for attempts_left in reversed(range(_PORTS_TO_TRY)):
            self._port = find_free_port()
            try:
                self._start_on_port()
                return
            except ServiceError:
                # Another process may have taken the port since we looked.
                if is_free(self._port) or not attempts_left:
                    raise

    def _start_on_port(self) -> None:
        process = self._launch()
        deadline = time.monotonic() + START_TIMEOUT
        while process.poll() is None:
            if self._answers(process.pid):
                return
            if time.monotonic() > deadline:
                failure = self._describe_failure(f"did not answer within {START_TIMEOUT:.0f} s")
                self.kill()
                raise ServiceError(failure)
            time.sleep(0.002)
        self._after_end(process)
        raise ServiceError(
            self._describe_failure(f"did not start (exit code {process.returncode})")
        )

    def _launch(self) -> subprocess.Popen[bytes]:
        command = self._command()
        with open(self.directory / "server.log", "ab", opener=account.open_private) as log:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    cwd=self._data,
                    start_new_session=True,
                    **self._launch_options(),
                )
            except OSError as error:
                raise ServiceError(f"cannot run {self.name}: {error}") from error
        cleanup.watch_process(self._process.pid, self.gentle_signal)
        return self._process

    def _launch_options(self) -> dict[str, Any]:
        return {}

    def _end(self, process: subprocess.Popen[bytes], signal_number: signal.Signals) -> None:
        if signal_number == signal.SIGKILL:
            self.kill()
            return
        tree = [process.pid, *reaper.list_descendants(process.pid)]
        process.send_signal(signal_number)
        # A paused server hears nothing but SIGKILL until it goes on.
        reaper.send_signal(tree, signal.SIGCONT)
        try:
            process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()
        else:
            reaper.wait_until_dead(tree)
            self._after_end(process)

    def _after_end(self, process: subprocess.Popen[bytes]) -> None:
        cleanup.forget_process(process.pid)

    def _describe_failure(self, what: str) -> str:
        return f"{self.name} {what}; its last lines:\n{self.log_tail()}"

    def _require_start(self, value: _Value | None) -> _Value:
        if value is None:
            raise ServiceError(
                f"{self.name} is not started: use it in a with block, or call start()"
            )
        return value

"""Fork servers: processes without threads that fork a child for each order.

The *base* has imported goldfish and no target. It forks one server per target, which has paid for
the imports of that target as well, and which forks pods and checks. Whoever orders a child keeps
the connection of the order: the child speaks over it, and its server has the last word there, which
says how the child ended.
"""

import contextlib
import ctypes
import faulthandler
import gc
import importlib
import json
import logging
import os
import selectors
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from goldfish.targets.declaration import Location
from goldfish.targets.loading import load_location

STANDARD_INPUT = 0
ORDER_WITHIN = 30.0  # seconds, from the connection to the end of its order
TAIL = 8192  # bytes of a child's last words
_PR_SET_PDEATHSIG = 1


def serve_base(path: str, modules: Sequence[str]) -> None:
    """Fork servers, and children of targets that nobody may fork: what the base runs."""
    logging.getLogger("goldfish").addHandler(logging.NullHandler())  # as the command line does
    _import_modules(modules)
    _Server(path, watched=STANDARD_INPUT).run()


class ForkedProcess:
    """A child of this process that runs a function, with as much of ``Popen`` as its user needs."""

    def __init__(self, pid: int, stdin: int) -> None:
        self.pid = pid
        self.stdin = os.fdopen(stdin, "wb", buffering=0)
        self._status: int | None = None

    def poll(self) -> int | None:
        """Return how it ended, or None while it lives."""
        return self._look(os.WNOHANG)

    def wait(self) -> int | None:
        """Wait for its end."""
        return self._look(0)

    def kill(self) -> None:
        """End it at once, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _look(self, options: int) -> int | None:
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # somebody else has waited for it
                self._status = 0
            else:
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status


def fork_process(run: Callable[[], None], errors: int) -> ForkedProcess:
    """Fork a process that runs the function, in a session of its own, until its input ends."""
    reading, writing = os.pipe()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    pid = os.fork()
    if pid:
        os.close(reading)
        return ForkedProcess(pid, writing)
    try:
        os.setsid()
        os.close(writing)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for source, place in ((reading, STANDARD_INPUT), (nowhere, 1), (errors, 2)):
            os.dup2(source, place)
        run()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)  # without the cleaning up that belongs to the parent


class _Server:
    """A process that forks children; ``watched`` is a file whose end says that nobody needs it."""

    def __init__(self, path: str, watched: int | None = None) -> None:
        self._path = Path(path)
        self._watched = watched
        self._children: dict[int, socket.socket] = {}
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(path)
        self._listening.listen(128)
        self._woken, self._wake = socket.socketpair()
        for each in (self._woken, self._wake):
            each.setblocking(False)

    def run(self) -> None:
        """Serve orders until the watched file ends."""
        signal.signal(signal.SIGCHLD, _do_nothing_on_signal)
        signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        gc.collect()
        gc.freeze()  # what is never looked at again is never copied
        with selectors.DefaultSelector() as selector:
            selector.register(self._listening, selectors.EVENT_READ, self._accept)
            selector.register(self._woken, selectors.EVENT_READ, self._bury)
            if self._watched is not None:
                selector.register(self._watched, selectors.EVENT_READ, self._leave)
            while True:
                for key, _ in selector.select():
                    key.data()

    def _accept(self) -> None:
        connection, _ = self._listening.accept()
        with contextlib.suppress(OSError, ValueError):
            connection.settimeout(ORDER_WITHIN)
            kind, order = json.loads(_read_line(connection))
            connection.settimeout(None)
            if problem := _import_modules(order.get("modules", ())):
                _send(connection, ["spoiled", problem])
            else:
                self._fork(connection, kind, order)
                return
        connection.close()

    def _fork(self, connection: socket.socket, kind: str, order: dict[str, Any]) -> None:
        pid = os.fork()
        if pid:
            self._children[pid] = connection
            return
        code = 1
        try:
            self._become_child()
            _CHILDREN[kind](connection, {**order, "directory": str(self._path.parent)})
            code = 0
        except BaseException:  # its last words, which its server passes on
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)  # without the cleaning up that belongs to the server

    def _become_child(self) -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for each in (self._listening, self._woken, self._wake, *self._children.values()):
            each.close()
        _die_with_parent()
        _redirect_output(self._path.parent / f"{os.getpid()}.errors")

    def _bury(self) -> None:
        """Tell who ordered a child how it ended, and what it said last."""
        with contextlib.suppress(BlockingIOError):
            while self._woken.recv(4096):
                pass
        with contextlib.suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                pid, status = ended
                said = [self._read_tail(pid, kind) for kind in ("errors", "calls")]
                if connection := self._children.pop(pid, None):
                    _send(connection, ["ended", os.waitstatus_to_exitcode(status), *said])
                    connection.close()

    def _read_tail(self, pid: int, kind: str) -> list[str]:
        path = self._path.parent / f"{pid}.{kind}"
        with contextlib.suppress(OSError), path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            path.unlink()
            lines = file.read().decode(errors="replace").splitlines()
            return lines[1:] if size > TAIL else lines
        return []

    def _leave(self) -> None:
        os._exit(0)


def _serve_target(connection: socket.socket, order: dict[str, Any]) -> None:
    """Import a target, and fork its children: what the server of a target runs."""
    _enter_world(**order["world"])
    try:
        if order["imports"]:
            load_location(Location(**order["location"]))
    except BaseException as error:  # also SystemExit: a module may do anything
        _send(connection, ["failed", f"{type(error).__name__}: {error}"])
        return
    if threading.active_count() > 1:
        _send(connection, ["spoiled", "the target"])  # every child would miss its threads
        return
    server = _Server(order["socket"])
    _send(connection, ["ready", os.getpid()])
    server.run()


def _enter_world(environment: dict[str, str], directory: str, path: list[str]) -> None:
    """Take over what a process inherits from whoever starts it."""
    os.environ.clear()
    os.environ.update(environment)
    with contextlib.suppress(OSError):  # it was removed meanwhile
        os.chdir(directory)
    sys.path[:] = path


def _serve_pod(connection: socket.socket, order: dict[str, Any]) -> None:
    os.setpgid(0, 0)  # with what the store starts it is killed, and paused, as a whole
    module, _, function = order["serve"].partition(":")
    getattr(importlib.import_module(module), function)(connection, order)


def _run_task(connection: socket.socket, order: dict[str, Any]) -> None:
    from goldfish.harness.task import run_task

    run_task(connection, order)


_CHILDREN: dict[str, Callable[[socket.socket, dict[str, Any]], None]] = {
    "server": _serve_target,
    "pod": _serve_pod,
    "task": _run_task,
}


def _import_modules(names: Sequence[str]) -> str:
    """Pay here, once, for imports that every child would do again when it opens the target.

    A module may have a function ``preload`` for what is as costly, and as much the same for all.
    Return the module that started a thread, which every child would miss; empty if none did.
    """
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):  # then each child meets it, and tells of it
                getattr(importlib.import_module(name), "preload", _do_nothing)()
            if threading.active_count() > 1:
                return name
    return ""


def _do_nothing() -> None:
    """Stand in for the ``preload`` of a module that has none."""


def _do_nothing_on_signal(number: int, frame: object) -> None:
    """Let a signal only wake the loop."""


def _read_line(connection: socket.socket) -> bytes:
    """Return the one line that is sent before the child answers."""
    line = b""
    while not line.endswith(b"\n"):
        if not (part := connection.recv(65536)):
            raise ConnectionError("the order was cut off")
        line += part
    return line


def _send(connection: socket.socket, words: list[Any]) -> None:
    """Send a line if there is room and somebody listens; never wait."""
    connection.setblocking(False)
    with contextlib.suppress(OSError):
        connection.sendall(json.dumps(words).encode() + b"\n")
    connection.setblocking(True)


def _die_with_parent() -> None:
    """Ask the system to end this process when its server ends, where it can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _redirect_output(errors: Path) -> None:
    """Keep what libraries print away from the report; the last errors tell of a crash."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    file = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for source, place in ((nowhere, 0), (nowhere, 1), (file, 2)):
        os.dup2(source, place)
    faulthandler.enable(all_threads=False)

"""What runs in a process of its own beside the harness: one function about one target."""

import asyncio
import importlib
import json
import os
import socket
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from goldfish import errors
from goldfish.errors import GoldfishError
from goldfish.harness.errors import describe_error
from goldfish.harness.forks import reported
from goldfish.harness.imports import Imports
from goldfish.harness.plain import fields_from_plain
from goldfish.harness.spool import open_spool
from goldfish.services.remote import use_provider
from goldfish.targets.declaration import Elsewhere, Location, Target
from goldfish.targets.loading import load_location

BEAT = 5.0  # seconds
Function = Callable[..., Awaitable[Any]]


def run_task(connection: socket.socket, order: dict[str, Any]) -> None:
    """Run the ordered function, and send what it returns."""
    line = _Line(connection)
    line.send(["born", os.getpid()])
    use_provider(line)
    open_spool(str(Path(order["directory"]) / f"{os.getpid()}.calls"))
    threading.Thread(target=_beat, args=(line,), daemon=True).start()
    asyncio.run(_run(line, order))


def _beat(line: "_Line") -> None:
    """Show from time to time that Python code runs here: native code may keep others from it."""
    while True:
        time.sleep(BEAT)
        line.tell("beat")


async def _run(line: "_Line", order: dict[str, Any]) -> None:
    imports = Imports()
    try:
        target = _load_target(Location(**order["location"]), order["target"])
        module, _, name = order["function"].partition(":")
        function: Function = getattr(importlib.import_module(module), name)
        answer = ["returned", await function(target, **order["arguments"])]
    except GoldfishError as error:
        answer = ["raised", type(error).__name__, str(error)]
    except BaseException as error:  # a fault of the harness
        traceback.print_exc()
        answer = ["failed", describe_error(error)]
    line.finish([*answer, [*imports.take_new(), *reported]])
    os._exit(0)  # threads of the store may never end


def _load_target(location: Location, plain: dict[str, Any]) -> Target:
    """Return the target as the harness knows it; an agent is imported by its pods alone."""
    declared = fields_from_plain(Target, plain)
    if declared["agent"] is not None:
        return Target(factory=Elsewhere(location), **declared)
    return replace(load_location(location), **declared)


def make_error(kind: str, text: str) -> GoldfishError:
    """Return an error of ours that was raised in another process."""
    found = getattr(errors, kind, GoldfishError)
    return found(text) if issubclass(found, GoldfishError) else GoldfishError(text)


class _Line:
    """The connection to the harness, which provides servers and cleans up."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._replies = connection.makefile("rb")
        self._turn = threading.Lock()

    def send(self, words: list[Any]) -> None:
        """Send a line; if nobody listens any more, this process has nothing more to do."""
        try:
            self._connection.sendall(json.dumps(words).encode() + b"\n")
        except OSError:
            os._exit(0)

    def finish(self, words: list[Any]) -> None:
        """Send the last line."""
        with self._turn:
            self.send(words)

    def tell(self, verb: str, *arguments: Any) -> None:
        """Send what needs no answer."""
        with self._turn:
            self.send(["tell", verb, *arguments])

    def ask(self, verb: str, *arguments: Any) -> Any:
        """Send a request, and wait for its answer."""
        with self._turn:
            self.send(["ask", verb, *arguments])
            reply = self._replies.readline()
        if not reply:
            os._exit(0)
        kind, *words = json.loads(reply)
        if kind == "raised":
            raise make_error(*words)
        return words[0]

"""What runs in other processes: a fork server that imports the target, and pods that serve calls.

It imports as little of goldfish as it can: what is loaded here is beside a stranger's memory.
"""

import asyncio
import contextlib
import importlib
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError, describe_error
from goldfish.harness.local import LocalClient
from goldfish.harness.wire import pack, unpack
from goldfish.targets.declaration import Location, Target
from goldfish.targets.loading import load_location
from goldfish.world.remote import RemoteSandbox

READY_WITHIN = 30.0
LONGEST_LINE = 1 << 30


def serve_forks() -> None:
    """Import the target, then fork a pod for each order: what the fork server runs."""
    logging.getLogger("goldfish").addHandler(logging.NullHandler())  # as the command line does
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # pods are not waited for
    location, threads = json.loads(sys.stdin.buffer.readline())
    target = replace(load_location(Location(**location)), threads=threads)
    for line in sys.stdin.buffer:
        socket, sandbox, options, wanted = json.loads(line)
        _import_modules(wanted)
        if os.fork() == 0:
            try:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asyncio.run(_serve(target, socket, RemoteSandbox(sandbox), options))
            finally:
                os._exit(0)  # without the cleaning up that belongs to the fork server


def _import_modules(names: Sequence[str]) -> None:
    """Pay here, once, for imports that every pod would do again when it opens the target.

    A module may have a function ``preload`` for what is as costly, and as much the same for all.
    """
    for name in names:
        if name not in sys.modules:
            with contextlib.suppress(Exception):  # then each pod meets it, and tells of it
                getattr(importlib.import_module(name), "preload", _do_nothing)()


def _do_nothing() -> None:
    """Stand in for the ``preload`` of a module that has none."""


async def _serve(target: Target, socket: str, sandbox: Any, options: dict[str, Any]) -> None:
    """Open the target and answer calls until the harness hangs up: what a pod runs."""
    reader, writer = await asyncio.open_unix_connection(socket, limit=LONGEST_LINE)
    writer.write(b"%d\n" % os.getpid())
    replica = _Replica(target, sandbox, options)
    underway: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(replica, writer, *unpack(line)))
        underway.add(task)
        task.add_done_callback(underway.discard)


class _Replica:
    """What a pod can be asked for."""

    def __init__(self, target: Target, sandbox: Any, options: dict[str, Any]) -> None:
        self._open = partial(
            LocalClient.open, target, sandbox, deadline=READY_WITHIN - 5, **options
        )
        self._lanes: list[LocalClient] = []
        self._modules = set(sys.modules)

    def imported(self) -> list[str]:
        """Return the modules that were imported since the last call."""
        if len(sys.modules) == len(self._modules):  # it is asked with every call
            return []
        fresh = [name for name in list(sys.modules) if name not in self._modules]
        self._modules.update(fresh)
        return fresh

    async def open(self, lanes: int) -> Any:
        self._lanes = [await self._open()]
        beside = [self._lanes[0].beside(self._open) for _ in range(lanes - 1)]
        self._lanes += await asyncio.gather(*beside)
        return self._lanes[0].methods

    async def call(
        self, lane: int, method: str, arguments: Any, options: Any, deadline: float
    ) -> Any:
        client = self._lanes[lane % len(self._lanes)]
        return await client.call(method, *arguments, deadline=deadline, **options)

    async def close(self, deadline: float) -> None:
        for client in dict.fromkeys(reversed(self._lanes)):
            await client.close(deadline=deadline)


async def _answer(
    replica: _Replica, writer: asyncio.StreamWriter, number: int, verb: str, *request: Any
) -> None:
    try:
        answer = ["returned", await getattr(replica, verb)(*request)]
    except StoreError as error:
        origin = error.origin.spell_out() if error.origin else None
        answer = ["raised", [describe_error(error.error), origin]]
    except Violation as violation:
        answer = ["violation", str(violation)]
    writer.write(pack([number, *answer, replica.imported()]))

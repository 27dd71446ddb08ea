"""What runs in a pod: it opens the target and serves calls.

It imports as little of goldfish as it can: what is loaded here is beside a stranger's memory.
"""

import asyncio
import os
import socket
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from goldfish.findings.result import Violation
from goldfish.harness.crash import CrashViolation
from goldfish.harness.errors import StoreError, describe_error
from goldfish.harness.imports import Imports
from goldfish.harness.local import LocalClient
from goldfish.harness.patience import LateError
from goldfish.harness.wire import pack, unpack
from goldfish.targets.declaration import Location, Target
from goldfish.targets.loading import load_location
from goldfish.world.remote import RemoteSandbox

OPENS_WITHIN = 25.0
LONGEST_LINE = 1 << 30


def serve_calls(connection: socket.socket, order: dict[str, Any]) -> None:
    """Open the target and answer calls until the harness hangs up: what a pod runs."""
    target = replace(load_location(Location(**order["location"])), **order["known"])
    replica = _Replica(target, RemoteSandbox(order["sandbox"]), order["options"])
    asyncio.run(serve(connection, replica))


class Replica(Protocol):
    """What a pod can be asked for, each by a method of its name."""

    async def open(self, lanes: int) -> Any: ...

    async def close(self, deadline: float) -> None: ...

    def imported(self) -> list[str]: ...


async def serve(connection: socket.socket, replica: Replica) -> None:
    """Answer what the harness asks until it hangs up."""
    reader, writer = await asyncio.open_unix_connection(sock=connection, limit=LONGEST_LINE)
    writer.write(pack(["born", os.getpid()]))
    underway: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(replica, writer, *unpack(line)))
        underway.add(task)
        task.add_done_callback(underway.discard)


class _Replica:
    """What a pod can be asked for."""

    def __init__(self, target: Target, sandbox: Any, options: dict[str, Any]) -> None:
        self._open = partial(LocalClient.open, target, sandbox, deadline=OPENS_WITHIN, **options)
        self._lanes: list[LocalClient] = []
        self._imports = Imports()

    def imported(self) -> list[str]:
        """Return the modules that were imported since the last call."""
        return self._imports.take_new()

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
    replica: Replica, writer: asyncio.StreamWriter, number: int, verb: str, *request: Any
) -> None:
    try:
        answer = ["returned", await getattr(replica, verb)(*request)]
    except StoreError as error:
        origin = error.origin.spell_out() if error.origin else None
        answer = ["raised", [describe_error(error.error), origin]]
    except LateError as error:
        answer = ["late", error.text]
    except CrashViolation as violation:
        answer = ["crashed", [violation.crash.code, list(violation.crash.errors)]]
    except Violation as violation:
        answer = ["violation", str(violation)]
    writer.write(pack([number, *answer, replica.imported()]))

"""What runs in a pod of an agent: it imports and opens the agent, and passes on what is said."""

import asyncio
import inspect
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

from goldfish.harness.errors import StoreError
from goldfish.harness.imports import Imports
from goldfish.harness.local import LocalClient
from goldfish.harness.replica import OPENS_WITHIN, serve
from goldfish.targets.declaration import Location
from goldfish.targets.loading import load_location
from goldfish.threads import leave_event_loop
from goldfish.world.remote import RemoteSandbox


def serve_agent(connection: socket.socket, order: dict[str, Any]) -> None:
    """Open the agent and pass on what is said until the harness hangs up: what a pod runs."""
    os.environ.update(order["options"]["environment"])
    asyncio.run(serve(connection, _AgentReplica(order)))


class _AgentReplica:
    """What a pod of an agent can be asked for."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._location = Location(**order["location"])
        self._threads = order["known"]["threads"]
        self._sandbox = RemoteSandbox(order["sandbox"])
        self._lanes: list[LocalClient] = []
        self._widening = asyncio.Lock()
        self._is_single = False  # until it is opened
        self._imports = Imports()

    def imported(self) -> list[str]:
        """Return the libraries that were imported since the last call.

        The agent's own modules are not among them: each process imports them where the environment
        leads to its own mirror.
        """
        fresh = self._imports.take_new()
        own = self._location.module.partition(".")[0]
        return [name for name in fresh if name.partition(".")[0] != own and _is_library(name)]

    async def open(self, lanes: int) -> dict[str, Any]:
        """Open the agent; return what it can do."""
        self._lanes = [await self._open()]
        face = self._lanes[0].store
        return {"powers": face.powers, "kind": [face.kind]}

    async def call(
        self, lane: int, method: str, arguments: Any, options: Any, deadline: float
    ) -> Any:
        """Call a method of the agent; return the reply as one text."""
        await self._widen(lane + 1)
        client = self._lanes[lane]
        return read_reply(await client.call(method, *arguments, deadline=deadline, **options))

    async def close(self, deadline: float) -> None:
        """Close the agent as its factory does."""
        for client in dict.fromkeys(reversed(self._lanes)):
            await client.close(deadline=deadline)

    async def _widen(self, lanes: int) -> None:
        """Make room for so many callers at once.

        An agent that claims no second opening is not opened again: its callers queue.
        """
        async with self._widening:
            first = self._lanes[0]
            is_shared = first.store.is_async or (self._is_single and not first.threads)
            while len(self._lanes) < lanes:
                self._lanes.append(first if is_shared else await first.beside(self._open))

    async def _open(self) -> LocalClient:
        try:
            target = replace(load_location(self._location), threads=self._threads)
        except Exception as error:  # a module may raise anything where the environment is another
            raise StoreError("importing the agent", error) from error
        self._is_single = target.claims in ("one opening", "one at a time")
        client = await LocalClient.open(target, self._sandbox, deadline=OPENS_WITHIN)
        client.store = Face(client.store)
        return client


class Face:
    """An agent as the harness talks to it, whatever its ``say`` returns."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        self.kind = type(agent).__name__
        self._say = getattr(agent, "say", None)
        kinds = inspect.iscoroutinefunction, inspect.isasyncgenfunction
        self.is_async = any(test(self._say) for test in kinds)

    @property
    def powers(self) -> list[str]:
        """What it can do: say, users, streams, forget, forget_user."""
        say, streams = self._say, (inspect.isasyncgenfunction, inspect.isgeneratorfunction)
        found = {
            "say": callable(say),
            "users": takes(say, "user_id"),
            "streams": any(test(say) for test in streams),
            "forget": callable(getattr(self._agent, "forget", None)),
            "forget_user": callable(getattr(self._agent, "forget_user", None)),
        }
        return [name for name, is_there in found.items() if is_there]

    def say(self, session: str, text: str, *, user: str, leaves: bool = False) -> Any:
        """Say something; ``leaves`` is a caller who goes away after the first piece of a stream."""
        reply = self._agent.say(session, text, **pass_user(self._agent.say, user))
        return _leave(reply) if leaves else reply

    def forget(self, session: str, *, user: str) -> Any:
        """Forget a session."""
        return self._agent.forget(session, **pass_user(self._agent.forget, user))

    def forget_user(self, user: str) -> Any:
        """Forget a user."""
        return self._agent.forget_user(user)


def takes(function: Any, parameter: str) -> bool:
    """Return True if a function takes this parameter by name."""
    try:
        return parameter in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def pass_user(function: Any, user: str) -> dict[str, str]:
    """Return the user as a keyword argument, if the function takes one."""
    return {"user_id": user} if takes(function, "user_id") else {}


def read_reply(reply: Any) -> str:
    """Return a reply as a text: pieces are joined, an object is read by its own text."""
    if isinstance(reply, bytes):
        return reply.decode(errors="replace")
    if isinstance(reply, list | tuple):
        return "".join(map(read_reply, reply))
    return "" if reply is None else str(reply)


async def _leave(reply: Any) -> str:
    """Take the first piece of a stream, and close it."""
    if inspect.isawaitable(reply):
        reply = await reply
    first = ""
    if isinstance(reply, AsyncIterator):
        async for piece in reply:
            if first := read_reply(piece):
                break
        if hasattr(reply, "aclose"):
            await reply.aclose()
    elif isinstance(reply, Iterator):
        with leave_event_loop():
            first = next(filter(None, map(read_reply, reply)), "")
            if hasattr(reply, "close"):
                reply.close()
    return first or read_reply(reply)


def _is_library(name: str) -> bool:
    """Return True for a module that is installed, or is ours or Python's own."""
    if name.partition(".")[0] in {"goldfish", *sys.stdlib_module_names}:
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file

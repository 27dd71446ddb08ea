"""The part of a store that sends commands: each call ends in time, or with one kind of error."""

import asyncio
import contextlib
import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from goldfish.errors import MemoryStoreBackendError, MemoryStoreError, mask
from goldfish.stores import arguments
from goldfish.stores.forks import call_after_fork
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.redis.channel import Channel, is_cluster
from goldfish.stores.redis.client import describe_server, has_connections, make_client_factory
from goldfish.stores.redis.clock import DUE, is_late
from goldfish.stores.redis.connection import Command, is_read_only, limit_until
from goldfish.stores.redis.health import Health
from goldfish.stores.redis.scripts.script import Script

if TYPE_CHECKING:
    from goldfish.stores.redis.channel import Client

FIRST_LAYOUT = 1  # of the keys: enough until something needs a newer one

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="RedisCalls")
Answer = Coroutine[Any, Any, Any]  # handed on where nothing is to be added: each await costs
Send = Callable[[Command, float], Answer]  # a command, and when it is due


def limit_whole_call(
    method: Callable[Concatenate[S, P], Awaitable[R]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, R]]:
    """Limit all steps of a call together to the time of one call."""

    @wraps(method)
    async def limited(store: S, /, *args: P.args, **named: P.kwargs) -> R:
        try:
            async with limit_until(store._due()):
                return await method(store, *args, **named)
        except TimeoutError as error:
            raise store._timeout_error() from error

    return limited


class RedisCalls(ABC):
    """Opens connections, sends commands and scripts, and closes."""

    def __init__(
        self,
        url: str | None,
        redis_client: "Client | None",
        read_url: str | None,
        timeout: float,
        confirm: Command,
    ) -> None:
        _check_arguments(url, redis_client, read_url, confirm)
        self._timeout = timeout
        self._confirm = confirm
        self._server = "the Redis server" if url is None else describe_server(url)
        self._addresses = [each for each in (url, read_url) if each]  # with their secrets
        self._given = (
            Channel(redis_client, owned=False, health=Health(self._server, timeout))
            if redis_client is not None
            else None
        )
        self._own = None if url is None else self._connect_lazily(url)
        self._replica = None if read_url is None else self._connect_lazily(read_url)
        self._layout = 0  # not known yet
        self._raised = 0  # what we know to be written
        self._underway = 0
        self._drained: asyncio.Event | None = None
        self._inherited = False
        call_after_fork(self)

    @property
    def redis_client(self) -> "Client":
        """The client in use: the given one, or that of this event loop."""
        return self._channel.client

    def after_fork(self) -> None:
        """In a child, leave the parent's calls and its client's connections to the parent."""
        self._underway, self._drained = 0, None
        self._inherited = self._given is not None and has_connections(self._given.client)

    @property
    def _channel(self) -> Channel:
        if self._own is not None:
            return self._own.get()
        if self._inherited:
            raise MemoryStoreError(
                "redis_client was connected before this process was forked, and its connections "
                "are the parent's: make a client and a store in the child"
            )
        return cast(Channel, self._given)

    @property
    def _read_channel(self) -> Channel:
        """The channel for reads that may lack the latest writes."""
        return self._channel if self._replica is None else self._replica.get()

    def _connect_lazily(self, url: str) -> PerLoop[Channel]:
        make = make_client_factory(url, connect_timeout=self._timeout)
        server, timeout = describe_server(url), self._timeout
        return PerLoop(
            lambda: Channel(make(), owned=True, health=Health(server, timeout)), Channel.aclose
        )

    def _due(self) -> float:
        """Return when a call that begins now has to be over, by the clock of the event loop."""
        if self._own is None:  # a client of the caller's has its own time-outs
            return math.inf
        return asyncio.get_running_loop().time() + self._timeout

    @abstractmethod
    async def _check_layout(self, channel: Channel, due: float) -> None:
        """Before the first command, check that we know the layout of the keys."""

    @abstractmethod
    async def _raise_layout(self, needed: int, due: float | None = None) -> None:
        """Before the first write that needs this layout, note it, to keep out older versions."""

    def _send_script(
        self,
        script: Script,
        keys: tuple[bytes, ...],
        values: list[bytes],
        *,
        writes: bool = True,
        due: float | None = None,
    ) -> Answer:
        """Run a script; one that writes does nothing once the call is over."""
        if due is None:
            due = self._due()
        if not writes:
            return self._ask_script(self._channel, script, keys, values, due)
        words = (len(keys), *keys, *values, DUE)
        return self._run(self._write, script.guarded, words, due)

    def _ask_script(
        self,
        channel: Channel,
        script: Script,
        keys: tuple[bytes, ...],
        values: list[bytes],
        due: float,
    ) -> Answer:
        """Run a script that only reads, on the primary or a replica."""
        words = (len(keys), *keys, *values)
        return self._run(partial(self._ask, channel), script, words, due)

    async def _run(self, send: Send, script: Script, words: Command, due: float) -> Any:
        """Send the script by its name, and again as a whole if the server did nothing."""
        try:
            return await send(("EVALSHA", script.sha, *words), due)
        except MemoryStoreBackendError as error:
            if is_late(error.__cause__):  # by its clock, which was set since we looked at it
                self._channel.clock.forget()
                await self._translate_errors(self._channel.learn_time(due))
            elif "No matching script" not in str(error.__cause__):
                self._explain_refusal(error, words[1])
                raise
        try:
            return await send(("EVAL", script.text, *words), due)
        except MemoryStoreBackendError as error:
            self._explain_refusal(error, words[1])
            raise

    @abstractmethod
    def _explain_refusal(self, error: MemoryStoreBackendError, key: bytes) -> None:
        """Raise a better error if the script with this first key refused for a known reason."""

    def _write(self, command: Command, due: float) -> Answer:
        """Send a write; if asked for, wait until replicas or the disk have it too."""
        return self._post(command, due) if self._raised else self._write_first(command, due)

    async def _write_first(self, command: Command, due: float) -> Any:
        await self._raise_layout(FIRST_LAYOUT, due)
        return await self._post(command, due)

    def _post(self, command: Command, due: float) -> Answer:
        if not self._confirm:
            return self._translate_errors(self._channel.write(command, due))
        return self._translate_errors(self._send_confirmed(command, due))

    async def _send_confirmed(self, command: Command, due: float) -> Any:
        answer, confirmed = await self._channel.write_confirmed(command, self._confirm, due)
        for each in (answer, confirmed):
            if isinstance(each, Exception):
                raise each
        self._check_confirmation(confirmed)
        return answer

    def _check_confirmation(self, confirmed: Any) -> None:
        wanted = self._confirm[1:-1]
        got = confirmed if isinstance(confirmed, list) else [confirmed]
        if any(int(have) < need for have, need in zip(got, wanted, strict=True)):
            raise MemoryStoreBackendError(
                f"{self._server} has the write, but {self._confirm[0]} was confirmed by {got} "
                f"instead of {list(wanted)} within {self._timeout:g} s: adding it again is safe"
            )

    def _call(self, *command: Any) -> Answer:
        """Send a command that changes nothing to the server that is written to."""
        return self._ask(self._channel, command, self._due())

    def _ask(self, channel: Channel, command: Command, due: float) -> Answer:
        """Send a command that changes nothing."""
        if self._layout:
            return self._translate_errors(channel.read(command, due), channel)
        return self._ask_first(channel, command, due)

    async def _ask_first(self, channel: Channel, command: Command, due: float) -> Any:
        await self._check_layout(channel, due)
        return await self._translate_errors(channel.read(command, due), channel)

    async def _limit(self, call: Awaitable[Any]) -> Any:
        async with limit_until(self._due()):
            return await call

    async def _translate_errors(self, call: Awaitable[Any], channel: Channel | None = None) -> Any:
        """Return the answer, or raise whatever went wrong as one kind of error."""
        self._underway += 1
        try:
            return await call
        except TimeoutError as error:
            raise self._timeout_error(channel) from error
        except (StopAsyncIteration, MemoryStoreError):  # the end of a scan, and our own errors
            raise
        except Exception as error:  # only the driver runs in here, so all its errors count
            server = channel.server if channel else self._server
            raise _explain_error(error, server, self._addresses) from error
        finally:
            self._underway -= 1
            if self._drained is not None and not self._underway:
                self._drained.set()

    def _timeout_error(self, channel: Channel | None = None) -> MemoryStoreBackendError:
        server = channel.server if channel else self._server
        return MemoryStoreBackendError(
            f"{server}: no answer within {self._timeout:g} s: check that it is running"
        )

    async def _close(self) -> None:
        """Wait for the calls under way: redis-py would leak a connection that is being made."""
        channels = [each for each in (self._own, self._replica) if each is not None]
        if channels and self._underway:
            self._drained = asyncio.Event()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drained.wait(), self._timeout)
        for each in channels:
            await each.aclose()


def _check_arguments(
    url: str | None, redis_client: "Client | None", read_url: str | None, confirm: Command
) -> None:
    if (url is None) == (redis_client is None):
        raise TypeError("pass either url= or redis_client=")
    if redis_client is None:
        return
    if not inspect.iscoroutinefunction(redis_client.execute_command):
        raise TypeError("redis_client must be an asyncio client: redis.asyncio.Redis(…)")
    if read_url is not None:
        raise TypeError("read_url= needs url=: a client of your own can read from replicas itself")
    if confirm and is_cluster(redis_client):
        raise ValueError("wait_replicas= and wait_aof= need a client of a single server")


def _explain_error(
    error: Exception, server: str, addresses: Iterable[str]
) -> MemoryStoreBackendError:
    if is_read_only(error):
        return MemoryStoreBackendError(
            f"{server} is a read-only replica, and nothing was written: "
            "open the store on its primary"
        )
    if "unknown command 'eval" in str(error).lower():
        return MemoryStoreBackendError(
            f"{server} runs no Lua scripts, which the store needs: if it is fakeredis, "
            "pip install 'fakeredis[lua]'"
        )
    return MemoryStoreBackendError(
        f"{server}: {mask(str(error), *addresses) or type(error).__name__}: "
        "check that it is running, reachable and accepts writes"
    )


def confirm_command(replicas: int, aof: bool, timeout: float) -> Command:
    """Return the command that waits for the confirmations that the caller wants, or ()."""
    arguments.require_count(replicas, "wait_replicas")
    wait = math.ceil(timeout * 500)  # half of it, so that the answer comes in time
    if aof:
        return "WAITAOF", 1, replicas, wait
    return ("WAIT", replicas, wait) if replicas else ()

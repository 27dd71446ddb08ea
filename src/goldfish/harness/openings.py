"""The openings of one storage: in this process and in others, one by one or all at once."""

import asyncio
import contextlib
import dataclasses
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError
from goldfish.harness.client import Client, Opened
from goldfish.harness.dialect import Dialect
from goldfish.harness.errors import OpeningError, StoreError
from goldfish.harness.forks import ForkServer
from goldfish.harness.local import LocalClient
from goldfish.harness.pods import Pod
from goldfish.harness.transcript import Transcript
from goldfish.history import FAULT, Call, History
from goldfish.services import reaper
from goldfish.targets.declaration import Target
from goldfish.targets.traits import BESIDE, TRAITS
from goldfish.world.sandbox import Sandbox

T = TypeVar("T")


@dataclass
class Record:
    """Every call of a check, and what the histories among them lost that were judged."""

    history: History = dataclasses.field(default_factory=History)
    acknowledged: int = 0
    lost: int = 0
    rounds: int = 0  # of workloads, by which their sessions are named
    asked: int = 0  # calls of workloads, by which their messages are named
    is_faultless: bool = False  # what broke under a fault also broke without one

    def add(self, history: History, acknowledged: int, lost: int) -> None:
        """Keep a history that was judged."""
        for call in history.calls:
            self.history.calls.append(call)
        self.acknowledged += acknowledged
        self.lost += lost


class Lanes:
    """One opening in this process, or one for each thread, as a place for many calls at once."""

    ended = False

    def __init__(self, clients: Sequence[LocalClient]) -> None:
        self._clients = clients

    @property
    def are_apart(self) -> bool:
        """Whether lanes have openings of their own."""
        return len({id(each.store) for each in self._clients}) > 1

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any:
        """Call the method on that lane, and return what it returns."""
        return await self.at(lane).call(method, *arguments, deadline=deadline, **options)

    def at(self, lane: int) -> LocalClient:
        """Return the opening that serves a lane: one may serve several."""
        return self._clients[lane % len(self._clients)]


@dataclass
class Openings:
    """What is open of the target's storage in one sandbox; ``client`` is the newest opening."""

    target: Target
    sandbox: Sandbox
    random: Random
    deadline: float
    fork_server: ForkServer | None = None
    record: Record = dataclasses.field(default_factory=Record)  # shared by what is made afresh
    transcript: Transcript = dataclasses.field(
        default_factory=Transcript
    )  # what was said to this storage

    def __post_init__(self) -> None:
        self._clients: list[Client] = []
        self._pods: list[Pod] = []

    def declare(self, target: Target) -> None:
        """Take over what the store declares, now that it was opened."""
        self.target = target
        # A summary is not the check's either, so it is left out of a history as replies are.
        self.transcript.answers = target.answers or target.summarises
        self.transcript.dialect = Dialect(**target.dialect)

    @property
    def client(self) -> Client:
        """The newest opening in this process."""
        return self._clients[-1]

    async def open(self, **options: Any) -> Client:
        """Open the storage here, once more; it becomes ``client``."""
        self._refuse_unclaimed(1)
        self._refuse_beside()
        opening = LocalClient.open(
            self.target, self.sandbox, self.transcript, deadline=self.deadline, **options
        )
        client = self._name(await self._count(opening), "here")
        self._clients.append(client)
        return client

    async def first(self) -> Client:
        """Return the newest opening in this process, which is made if there is none."""
        here = [client for client in self._clients if isinstance(client.opened, LocalClient)]
        return here[-1] if here else await self.open()

    async def elsewhere(self, **options: Any) -> Client:
        """Open the storage in another process; ``client`` stays what it was."""
        self._refuse_unclaimed(1)
        return await self._open_in(await self._fork(self.sandbox.description(), options))

    async def anew(self) -> Client:
        """Open the storage in a process of another program, as after a restart of everything.

        ``client`` stays what it was.
        """
        self._refuse_unclaimed(1)
        return await self._open_in(await self._fork(self.sandbox.description(), {}, apart=True))

    async def _open_in(self, pod: Pod) -> Client:
        client = self._name(await self._count(pod.open()), "pod")
        self._clients.insert(0, client)
        return client

    async def reopen(self, **options: Any) -> Client:
        """Close every opening, and open the storage once more."""
        await self.close()
        return await self.open(**options)

    async def pods(self, count: int, *, lanes: int = 1, apart: bool = False) -> list[Pod]:
        """Let other processes open the storage all at once.

        With ``apart`` every other one is of another program: nothing that its imports made, nor the
        seed of ``hash()``, is that of its neighbours.
        """
        self._refuse_unclaimed(count)
        first = self.sandbox.opening == 0 and count == 1
        born: list[Pod] = []
        for number in range(count):
            is_apart = apart and number % 2 == 1
            born.append(await self._fork(self.sandbox.description(), {}, apart=is_apart))
            self.sandbox.opening += 1
        self._pods += born
        shared = lanes if self.target.holds(BESIDE) else 1  # by all lanes, one after the other
        opening = asyncio.gather(*(pod.open(shared) for pod in born))
        opened = await _wrap_errors(opening, first=first)
        self.transcript.note_opening()
        return list(opened)

    async def kill_while_opening(self, count: int) -> None:
        """Let other processes open the storage all at once, and kill each at a random instant."""
        self._refuse_unclaimed(count)
        born = [await self._fork(self.sandbox.description(), {}) for _ in range(count)]
        self.sandbox.opening += count
        opening = [asyncio.create_task(pod.open()) for pod in born]
        start = time.perf_counter()
        for pod in born:
            await asyncio.sleep(self.random.uniform(0, 0.01))
            pod.kill()
        what = FAULT, "", FAULT, "kill all pods", None
        self.record.history.calls.append(Call(*what, start, time.perf_counter()))
        await asyncio.gather(*opening, return_exceptions=True)  # they were not to succeed

    async def callers(self, count: int) -> list[Client]:
        """Return so many callers of the opening in this process, who may all call at once."""
        lanes = await self.lanes(count)
        return [
            Client(lanes.at(place), self.deadline, f"task{place + 1}", self.record.history)
            for place in range(count)
        ]

    async def lanes(self, count: int) -> Lanes:
        """Return the opening in this process, for as many calls at once as its kind allows."""
        first = (await self.first()).opened
        assert isinstance(first, LocalClient)
        alone = {"one opening", "one at a time"}
        if self.target.claims in alone or alone & set(self.target.documented):
            return Lanes([first])

        async def another() -> LocalClient:
            if not self.target.holds(BESIDE):
                return first
            opened = (await self.open()).opened
            assert isinstance(opened, LocalClient)
            return opened

        return Lanes([first, *[await first.beside(another) for _ in range(count - 1)]])

    def kill(self, client: Client) -> None:
        """SIGKILL the other process that a client is in, and wait until it holds no lock."""
        assert isinstance(client.opened, Pod)
        client.closed = True
        start = time.perf_counter()
        client.opened.kill()
        reaper.wait_until_group_is_dead(client.opened.pid)  # so long it may hold what it locked
        what = FAULT, "", FAULT, f"kill {client.name}", None
        self.record.history.calls.append(Call(*what, start, time.perf_counter()))

    async def close(self) -> None:
        """Close every opening."""
        while self._clients:
            await self._clients.pop().close()

    async def discard(self) -> None:
        """Close what is open, whatever it says: the check is over."""
        for client in self._clients:
            with contextlib.suppress(Exception):
                await client.close()
        for pod in self._pods:
            pod.kill()

    def _refuse_unclaimed(self, more: int) -> None:
        """Raise if so many more openings are more than the target ever promised to allow."""
        others = sum(not client.closed for client in self._clients) + len(self._pods)
        if self.target.claims == "one at a time" and others + more > 1:
            raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, "one at a time only"))

    def _refuse_beside(self) -> None:
        """Raise if this process has it open, and the memory allows no other opening beside that."""
        here = [each for each in self._clients if isinstance(each.opened, LocalClient)]
        if not self.target.holds(BESIDE) and any(not each.closed for each in here):
            raise UnsupportedError(Reason.of(Why.LACKS_TRAIT, TRAITS[BESIDE].absence))

    def _name(self, opened: Opened, where: str) -> Client:
        name = f"{where}{self.sandbox.opening}"
        return Client(opened, self.deadline, name, self.record.history)

    async def _fork(
        self, sandbox: dict[str, Any], options: dict[str, Any], *, apart: bool = False
    ) -> Pod:
        """Return another process that is ready to open the storage."""
        if self.fork_server is None:
            self.fork_server = ForkServer(self.target)  # which says why there can be none
        server = self.fork_server.program if apart else self.fork_server
        return await Pod.fork(server, sandbox, options, self.transcript)

    async def _count(self, opening: Awaitable[T]) -> T:
        first = self.sandbox.opening == 0
        self.sandbox.opening += 1
        opened = await _wrap_errors(opening, first=first)
        self.transcript.note_opening()
        return opened


async def _wrap_errors(opening: Awaitable[T], *, first: bool) -> T:
    try:
        return await opening
    except StoreError as error:
        raise OpeningError(error, first=first) from error

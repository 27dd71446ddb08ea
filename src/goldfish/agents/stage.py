"""A stage: a mirror, a sandbox and the workers of one agent, all on one storage."""

import contextlib
import time
from dataclasses import dataclass, field

from goldfish.agents.proxy import DeadEnd
from goldfish.agents.service import ServiceWorker
from goldfish.agents.workers import PodWorker, Worker
from goldfish.errors import ServiceError
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError
from goldfish.harness.errors import OpeningError, RemoteError, StoreError
from goldfish.harness.forks import ForkServer
from goldfish.history import FAULT, Call, History
from goldfish.mirror import Mirror
from goldfish.mirror.environment import KEY, MODEL, make_environment
from goldfish.targets.agents import Service
from goldfish.targets.declaration import Target
from goldfish.world.sandbox import Sandbox

ALONE = {"one opening", "one at a time", "one process"}


@dataclass
class Stage:
    """Where an agent is tested: a mirror, a sandbox, and as many workers as a check wants."""

    target: Target
    sandbox: Sandbox
    deadline: float
    fork_server: ForkServer | None = None
    mirror: Mirror = field(default_factory=Mirror)
    dead_end: DeadEnd = field(default_factory=DeadEnd)
    workers: list[Worker] = field(default_factory=list)
    history: History = field(default_factory=History)

    async def open(self) -> None:
        """Start the mirror, and the servers that the agent needs."""
        self.mirror.start()
        await self.dead_end.open()
        self.sandbox.provide(self.target.services)
        self.sandbox.model = self.mirror.root

    async def close(self) -> None:
        """End every worker, and stop the mirror."""
        for worker in self.workers:
            with contextlib.suppress(Exception):  # the check is over, whatever it says
                worker.kill()
        self.workers = []
        self.mirror.stop()
        self.dead_end.close()

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead a worker's clients to the mirror."""
        return make_environment(self.mirror.root, proxy=self.dead_end.url)

    @property
    def places(self) -> list[int]:
        """The places of the workers among which turns are routed: of pods, the first."""
        return [0, 1] if self.is_service and self.target.claims not in ALONE else [0]

    @property
    def is_service(self) -> bool:
        """Whether a command starts the agent."""
        return self.target.agent is not None and self.target.agent.is_service

    async def worker(self, place: int = 0) -> Worker:
        """Return the worker at this place; it and those before it are started if need be."""
        if place and self.target.claims in ALONE:
            raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, f"{self.target.claims} only"))
        while len(self.workers) <= place:
            self.workers.append(await self.start_worker())
        if not self.workers[place].is_running:
            self.workers[place] = await self.start_worker()
        return self.workers[place]

    async def start_worker(self) -> Worker:
        """Start another worker; an OpeningError is what the agent raised."""
        first = self.sandbox.opening == 0
        self.sandbox.opening += 1
        name = f"worker{self.sandbox.opening}"
        if self.is_service:
            return await self._start_service(name, first=first)
        if self.fork_server is None:
            self.fork_server = ForkServer(self.target)  # which says why there can be none
        try:
            return await PodWorker.start(
                self.fork_server, self.sandbox.description(), self.environment, name
            )
        except StoreError as error:
            raise OpeningError(error, first=first) from error

    async def _start_service(self, name: str, *, first: bool) -> Worker:
        service, sandbox = self.target.factory, self.sandbox
        assert isinstance(service, Service)
        values = {
            "path": str(sandbox.path),
            "model_url": self.mirror.url,
            "model_name": MODEL,
            "model_key": KEY,
        }
        for name_of_value, kind in (("redis_url", "redis"), ("postgres_dsn", "postgres")):
            if kind in self.target.services:
                values[name_of_value] = getattr(sandbox, name_of_value)
        try:
            return await ServiceWorker.start(service, values, self.environment, name)
        except ServiceError as error:
            if first:
                raise
            again = StoreError("starting it again", RemoteError(str(error)))
            raise OpeningError(again, first=False) from error

    async def restart(self, worker: Worker) -> Worker:
        """Close a worker as a deployment does, and start another in its place."""
        start = time.perf_counter()
        await worker.close(deadline=self.deadline)
        self._note_fault(f"restart {worker.name}", start)
        return await self.worker(self.workers.index(worker))

    async def kill(self, worker: Worker) -> None:
        """SIGKILL a worker; the next one who asks for it gets another in its place."""
        start = time.perf_counter()
        worker.kill()
        self._note_fault(f"kill {worker.name}", start)

    def _note_fault(self, what: str, start: float) -> None:
        call = Call(FAULT, "", FAULT, what, None, start, time.perf_counter())
        self.history.calls.append(call)

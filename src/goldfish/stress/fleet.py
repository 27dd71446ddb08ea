"""A fleet: several openings of one storage at work at once, and a record of all they were asked."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

from goldfish.errors import mask
from goldfish.harness.errors import EndedError, StoreError
from goldfish.harness.memory import Memory, contents_of, identity, messages_in
from goldfish.harness.openings import Lanes
from goldfish.harness.patience import LateError, OverdueError, wait_patiently
from goldfish.harness.pods import Pod
from goldfish.history import FAULT, Call, History, Outcome
from goldfish.history.faults import PodFault
from goldfish.history.operations import ACTIONS
from goldfish.history.origin import Origin
from goldfish.messages import ChatMessage
from goldfish.stress.workload import Operation

FOREVER = 3600.0
LONGEST_ROUND = 30.0  # seconds in which a round asks: a pool may wait long after every cut
ROLES = ("user", "assistant")
ALONE = frozenset({"one opening", "one at a time", "one process"})  # none beside those there are

Nemesis = Callable[["Fleet"], Coroutine[Any, Any, None]]


class Place(Protocol):
    """Where a call can be sent: a pod, or the opening in this process."""

    ended: bool

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any: ...


class Fleet:
    """Places that serve calls; ``history`` has every call, with what came of it."""

    def __init__(self, memory: Memory, places: Sequence[Place], *, patience: float) -> None:
        self.memory = memory
        self.places = list(places)
        self.history = History()
        self.patience = patience
        self.saved: dict[str, list[Any]] = defaultdict(list)  # the snapshots of each session
        self.begun: set[str] = set()  # the sessions in which something was said
        self.over = asyncio.Event()  # set when there is nothing more to ask
        self._stuck = False
        self._give_up = 0.0

    @classmethod
    async def open(
        cls, memory: Memory, pods: int, *, lanes: int = 2, patience: float, apart: bool = False
    ) -> "Fleet":
        """Pods that open the storage all at once; without pods, the opening in this process."""
        if pods:
            places = await memory.pods(pods, lanes=lanes, apart=apart)
            return cls(memory, places, patience=patience)
        return cls(memory, [await memory.lanes(lanes)], patience=patience)

    @property
    def are_apart_here(self) -> bool:
        """Whether the callers are in this process, and each has an opening of its own."""
        return any(isinstance(place, Lanes) and place.are_apart for place in self.places)

    async def warm_up(self, lanes: int) -> None:
        """Ask something of each place and lane alone, so that all that is lazy is done."""
        for place in self.places:
            for lane in range(lanes):
                await place.call("get_history", "warm-up", deadline=self.patience, lane=lane)

    async def run(self, plan: Sequence[Operation], nemesis: Nemesis | None = None) -> None:
        """Ask all of it, each process one thing after the other, while the nemesis is at work."""
        self.over.clear()
        self._give_up = time.monotonic() + LONGEST_ROUND
        by_process = sorted(plan, key=lambda operation: operation.process)
        asking = [
            self._ask_all(list(operations))
            for _, operations in groupby(by_process, key=lambda operation: operation.process)
        ]
        trouble = asyncio.create_task(nemesis(self)) if nemesis is not None else None
        try:
            await asyncio.gather(*asking)
        finally:
            self.over.set()
            if trouble is not None:
                await trouble

    async def read_back(self, sessions: Iterable[str]) -> None:
        """Read every session through every place, as the last word on it."""
        for session in sessions:
            for at in range(len(self.places)):
                await self.ask(Operation("end", at, session, "read"))

    async def read_afresh(self, sessions: Iterable[str]) -> None:
        """Read every session through a process that is new, and so has no copy of its own.

        Where none can be opened nothing is learnt.
        """
        target = self.memory.target
        if target.location is None or target.claims in ALONE:
            return
        try:
            self.places += await self.memory.pods(1)
        except StoreError:
            return
        for session in sessions:
            await self.ask(Operation("end", len(self.places) - 1, session, "read"))

    async def ask(self, operation: Operation) -> Call:
        """Ask one thing, and record what came of it."""
        number = await self._route(operation.pod)
        operation = self._named(operation)
        call = call_store(self.places[number], operation)
        start = time.perf_counter()
        outcome, result, error, origin = await _await_answer(call, self.patience)
        done = Call(
            operation.process,
            operation.session,
            "read" if operation.action == "last" else operation.action,
            operation.value,
            result,
            start,
            time.perf_counter(),
            outcome or "unknown",
            error,
            self._get_name(number),
            timed_out=outcome is None,
            origin=origin,
        )
        self.history.calls.append(done)
        if operation.action == "save" and outcome == "ok":
            self.saved[operation.session].append(result)
        if operation.action == "add" and outcome == "ok":
            self.begun.add(operation.session)
        self._stuck = self._stuck or done.timed_out
        return done

    def _named(self, operation: Operation) -> Operation:
        """Return a rollback to one of the snapshots that exist; where there is none, a save.

        Where nothing was said yet, a read: not every memory can save what is empty.
        """
        if operation.action not in {"save", "rollback"}:
            return operation
        saved = self.saved[operation.session]
        if operation.session not in self.begun:
            return replace(operation, action="read", value=None)
        if operation.action == "save" or not saved:
            return replace(operation, action="save", value=None)
        return replace(operation, value=saved[operation.value % len(saved)])

    @contextmanager
    def fault(self, what: str | PodFault) -> Iterator[None]:
        """Record that something is done to the world while the block runs."""
        start = time.perf_counter()
        try:
            yield
        finally:
            end = time.perf_counter()
            self.history.calls.append(Call(FAULT, "", FAULT, str(what), None, start, end))

    def kill(self, number: int) -> None:
        """SIGKILL a pod; calls go to the others from now on."""
        self._pod(number).kill()

    def pause(self, number: int) -> None:
        """SIGSTOP a pod: who asks it waits."""
        self._pod(number).pause()

    def thaw(self, number: int) -> None:
        """Let a paused pod go on."""
        self._pod(number).thaw()

    async def replace(self, number: int, *, lanes: int = 2) -> None:
        """Start a new pod in the place of one that was killed."""
        (self.places[number],) = await self.memory.pods(1, lanes=lanes)

    async def pause_for(self, seconds: float) -> None:
        """Wait, but no longer than there is something to ask."""
        try:
            await asyncio.wait_for(self.over.wait(), seconds)
        except TimeoutError:
            return

    def _get_name(self, number: int) -> str:
        return f"{'pod' if isinstance(self.places[number], Pod) else 'here'}{number + 1}"

    def _pod(self, number: int) -> Pod:
        place = self.places[number]
        assert isinstance(place, Pod)
        return place

    async def _route(self, number: int) -> int:
        """Return the number of the place, or of the next one that is alive, once there is one."""
        count = len(self.places)
        order = [(number + step) % count for step in range(count)]
        give_up = time.monotonic() + self.patience
        while time.monotonic() < give_up:
            for each in order:
                if not self.places[each].ended:
                    return each
            await asyncio.sleep(0.002)
        return number

    async def _ask_all(self, operations: Sequence[Operation]) -> None:
        for operation in operations:
            # A store that is stuck would make each of the others wait as long.
            if self._stuck or time.monotonic() > self._give_up:
                return
            await self.ask(operation)


def call_store(place: Place, operation: Operation) -> Awaitable[Any]:
    """Call the method of the store that an operation stands for."""
    lane = sum(operation.process.encode())  # any number that goes with the process
    method, value = ACTIONS.get(operation.action, ACTIONS["read"]), operation.value
    if operation.action == "add":
        value = [_make_message(content, at) for at, content in enumerate(value)]
    arguments, options = method.arguments(operation.session, value)
    answer = place.call(method.name, *arguments, deadline=FOREVER, lane=lane, **options)
    if method.gives_ids:
        return _read_id(answer)
    return _read_contents(answer) if method.effect == "read" else answer


def _make_message(content: str, at: int) -> ChatMessage:
    return ChatMessage(role=ROLES[at % 2], content=content)


async def _read_contents(found: Awaitable[Any]) -> tuple[str, ...]:
    contents = contents_of(messages_in(await found))
    return tuple(each if isinstance(each, str) else repr(each) for each in contents)


async def _read_id(saved: Awaitable[Any]) -> Any:
    return identity(await saved)


async def _await_answer(
    call: Awaitable[Any], patience: float
) -> tuple[Outcome | None, Any, str, Origin | None]:
    """Return outcome, result, error and its origin; no outcome if no answer came in time."""
    try:
        return "ok", await wait_patiently(call, patience), "", None
    except OverdueError as overdue:
        text = f"no answer within {patience:g} s"
        if isinstance(late := overdue.blame(f"wedged: {text}"), LateError):
            raise late from None
        return None, None, text, None
    except StoreError as error:
        if isinstance(error.error, EndedError):
            return "unknown", None, str(error), None
        return "fail", None, mask(str(error)), error.origin

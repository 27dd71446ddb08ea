"""A history run again: the same calls, overlapping as they did, for some rounds."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.errors import HistoryError
from goldfish.findings.result import UnprovenError, Violation
from goldfish.harness.memory import Memory
from goldfish.history import FAULT, Call, History, find_tag
from goldfish.history.faults import PodFault, parse_pod_fault
from goldfish.judges import judge
from goldfish.judges.evidence import draw_proof
from goldfish.stress.fleet import Fleet
from goldfish.stress.withstand import warm_up
from goldfish.stress.workload import Operation

LONGEST_PAUSE = 0.002  # before a call that overlapped others: who comes first is left to chance
COLD_ROUNDS = 5
LANES = 3


@dataclass(frozen=True)
class Past:
    """Calls that showed a finding once, for so many pods, and how often to repeat them."""

    calls: Sequence[Call]
    pods: int
    rounds: int
    seconds: float

    def __post_init__(self) -> None:
        """Refuse faults that cannot be repeated."""
        for call in self.calls:
            if call.action == FAULT and not is_repeatable(call):
                raise HistoryError(
                    f"the fault {call.value!r} cannot be repeated here: keep the check itself in "
                    "your tests instead, with goldfish.suite(target, only=CODE)"
                )


def is_repeatable(fault: Call) -> bool:
    """Return True if the fault is one of pods, which needs nothing but the pods."""
    return parse_pod_fault(fault.value) is not None


async def relive(memory: Memory, past: Past) -> None:
    """Raise the violation, with its smallest history, if the memory breaks again."""
    give_up = time.monotonic() + past.seconds
    proven = False
    for _ in range(COLD_ROUNDS):  # what broke may have been the first calls that a storage saw
        async with memory.afresh() as fresh:
            proven = await _run_round(await _open_fleet(fresh, past), past, 0) or proven
    await warm_up(memory)
    fleet = await _open_fleet(memory, past)
    await fleet.warm_up(LANES)
    for number in range(1, past.rounds):
        if time.monotonic() > give_up:
            break
        proven = await _run_round(fleet, past, number) or proven
    if not proven:
        raise UnprovenError("no message that was acknowledged was read back")


async def _open_fleet(memory: Memory, past: Past) -> Fleet:
    return await Fleet.open(memory, past.pods, lanes=LANES, patience=memory.deadline)


async def _run_round(fleet: Fleet, past: Past, number: int) -> bool:
    """Run one round; return True if it proved anything; raise a violation if it shows one."""
    fleet.history = History()
    await _Round(fleet, past.calls, number).run()
    judgement = judge(fleet.history)
    for worst in judgement.findings[:1]:
        finding, lines = draw_proof(fleet.history, worst)
        raise Violation(f"{finding.kind}: {finding.summary}", *lines)
    return judgement.proven


class _Round:
    """One repetition of all calls, in sessions of its own."""

    def __init__(self, fleet: Fleet, calls: Sequence[Call], number: int) -> None:
        self._fleet = fleet
        self._calls = sorted(calls, key=lambda call: (call.start, call.end))
        self._number = number
        processes = sorted({call.process for call in calls if call.action != FAULT})
        self._pods = {process: at for at, process in enumerate(processes)}

    async def run(self) -> None:
        """Start each call when all have ended that had ended before it, then wait a little."""
        done: list[asyncio.Task[None]] = []
        for call in self._calls:
            before = [
                task
                for other, task in zip(self._calls, done, strict=False)
                if other.end < call.start
            ]
            done.append(asyncio.create_task(self._make_call(before, call)))
        await asyncio.gather(*done)
        sessions = dict.fromkeys(call.session for call in self._calls if call.session)
        await self._fleet.read_back(map(self._rename_session, sessions))

    async def _make_call(self, before: Sequence[asyncio.Task[None]], call: Call) -> None:
        if before:
            await asyncio.wait(before)
        await asyncio.sleep(self._fleet.memory.random.uniform(0, LONGEST_PAUSE))
        if call.action == FAULT:
            await self._repeat_fault(parse_pod_fault(call.value))
        else:
            await self._fleet.ask(self._make_operation(call))

    def _make_operation(self, call: Call) -> Operation:
        action = "last" if call.action == "read" and call.value is not None else call.action
        pod = self._pods[call.process] % len(self._fleet.places)
        return Operation(
            call.process, pod, self._rename_session(call.session), action, self._choose_value(call)
        )

    def _choose_value(self, call: Call) -> Any:
        if call.action == "add":
            return tuple(f"[{find_tag(each)}] lived again" for each in call.value)
        if call.action == "rollback":
            return self._find_snapshot(call)
        return None if call.action == "save" else call.value

    def _find_snapshot(self, call: Call) -> int:
        """Return the number of the snapshot; it has another name this time."""
        saved = [
            each.result or each.value
            for each in self._calls
            if each.action == "save" and each.session == call.session
        ]
        return saved.index(call.value) if call.value in saved else 0

    def _rename_session(self, session: str) -> str:
        return f"{session}-again{self._number}"

    async def _repeat_fault(self, fault: PodFault | None) -> None:
        assert fault is not None  # Past has refused the others
        count = len(self._fleet.places)
        victims = range(count) if fault.number is None else [(fault.number - 1) % count]
        with self._fleet.fault(fault):
            if fault.deed == "stop":
                await self._stop(victims[0])
            else:
                await self._kill(victims)

    async def _stop(self, victim: int) -> None:
        self._fleet.pause(victim)
        try:
            await asyncio.sleep(10 * LONGEST_PAUSE)
        finally:
            self._fleet.thaw(victim)

    async def _kill(self, victims: Sequence[int]) -> None:
        for victim in victims:
            self._fleet.kill(victim)
        for victim in victims:
            await self._fleet.replace(victim)

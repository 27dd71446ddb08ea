"""Runs a workload against the memory again and again, judges it, and shrinks what breaks."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from goldfish.findings.result import UnprovenError, Violation
from goldfish.harness.memory import Memory, Record
from goldfish.history import History
from goldfish.history.excerpt import make_excerpt
from goldfish.history.notation import draw_history
from goldfish.history.operations import ACTIONS
from goldfish.judges import Finding, Judgement, judge
from goldfish.judges.evidence import find_proof
from goldfish.stress.fleet import Fleet, Nemesis
from goldfish.stress.workload import Workload

SHRINK_SECONDS = 3.0
LONGEST = 60.0  # seconds of all rounds, once one of them has proven something
LATER = (0.2, 0.8)  # seconds to wait before what seems lost is read again
TRIES = 2  # of each smaller workload: a race does not show every time
CALM_TRIES = 3  # of the same workload without its nemesis

MakeNemesis = Callable[[Random], Nemesis]


async def withstand(
    memory: Memory,
    workload: Workload,
    *,
    rounds: int = 8,
    nemesis: MakeNemesis | None = None,
    cold: bool = False,
) -> None:
    """Raise the violation, with its smallest history, if the memory breaks under the workload.

    The nemesis is what does harm meanwhile. A call that passes the memory's deadline is unknown.
    With ``cold`` the workload is the first that the storage and its openings see.
    """
    test = _StressTest(_fit(workload, memory), nemesis, cold)
    proven, enough = False, time.monotonic() + LONGEST
    fleet = await test.open_fleet(memory)
    for _ in range(max(1, round(rounds * memory.effort))):
        seen = await test.run_round(fleet, memory.random.getrandbits(32), memory.record)
        memory.record.add(seen.history, seen.judgement.acknowledged, seen.judgement.lost)
        if seen.judgement.findings:
            raise await test.explain(memory, await test.look_again(fleet, seen))
        proven = proven or seen.judgement.proven
        if time.monotonic() > (min(memory.until, enough) if proven else memory.until):
            break
    if not proven:
        raise UnprovenError("no message that was acknowledged was read back")


@dataclass(frozen=True)
class _Seen:
    """What one round showed."""

    workload: Workload
    seed: int
    history: History
    judgement: Judgement
    are_apart: bool = False  # callers in this process, each with an opening of its own

    @property
    def finding(self) -> Finding:
        return self.judgement.findings[0]

    @property
    def seems_lost(self) -> bool:
        """Whether what was acknowledged is missing from all that was read later."""
        return any(finding.kind == "lost" for finding in self.judgement.findings)

    @property
    def sessions(self) -> list[str]:
        """The sessions that anything was asked of."""
        return list(dict.fromkeys(call.session for call in self.history.calls if call.session))


@dataclass(frozen=True)
class _StressTest:
    workload: Workload
    nemesis: MakeNemesis | None
    cold: bool

    async def open_fleet(self, memory: Memory) -> Fleet:
        """Return openings that are ready to be asked at once."""
        if not self.cold:
            await warm_up(memory)
        lanes = max(1, min(3, self.workload.processes // max(1, self.workload.pods)))
        fleet = await Fleet.open(
            memory,
            self.workload.pods,
            lanes=lanes,
            patience=memory.deadline,
            apart=self.workload.apart,
        )
        if not self.cold:
            await fleet.warm_up(lanes)
        return fleet

    async def run_round(self, fleet: Fleet, seed: int, record: Record) -> _Seen:
        """Ask what the seed says, in sessions of their own; read it all back, and judge."""
        random = Random(seed)
        record.rounds += 1
        plan = self.workload.plan(random, first=record.asked + 1, prefix=f"r{record.rounds}s")
        record.asked += len(plan)
        fleet.history = History()
        await fleet.run(plan, self.nemesis(random) if self.nemesis else None)
        await fleet.read_back(dict.fromkeys(operation.session for operation in plan))
        return _Seen(self.workload, seed, fleet.history, judge(fleet.history), fleet.are_apart_here)

    async def look_again(self, fleet: Fleet, seen: _Seen) -> _Seen:
        """Return what later reads show of what seems lost: a replica that lags is only stale."""
        for pause in LATER:
            if not seen.seems_lost:
                break
            await asyncio.sleep(pause)
            await fleet.read_back(seen.sessions)
            seen = replace(seen, judgement=judge(fleet.history))
        return await self.look_elsewhere(fleet, seen)

    async def look_elsewhere(self, fleet: Fleet, seen: _Seen) -> _Seen:
        """Return what a new process shows of what seems lost: where a cache lags, it is there."""
        if not seen.seems_lost:
            return seen
        await fleet.read_afresh(seen.sessions)
        return replace(seen, judgement=judge(fleet.history))

    async def explain(self, memory: Memory, seen: _Seen) -> Violation:
        """Return the violation, told without the nemesis if it shows without it as well."""
        if self.nemesis is not None:
            calm = replace(self, nemesis=None)
            if again := await calm.repeat(memory, seen):
                memory.record.is_faultless = True
                return _make_violation(await calm.shrink(memory, again), self.workload)
        return _make_violation(await self.shrink(memory, seen), self.workload)

    async def repeat(self, memory: Memory, seen: _Seen) -> _Seen | None:
        """Run the same workload a few times more; return a round with the same finding."""
        give_up = time.monotonic() + SHRINK_SECONDS
        for attempt in range(CALM_TRIES):
            again = await self.run_alone(memory, seen.seed + attempt, kind=seen.finding.kind)
            if again and again.finding.kind == seen.finding.kind:
                return again
            if time.monotonic() > give_up:
                break
        return None

    async def shrink(self, memory: Memory, seen: _Seen) -> _Seen:
        """Return the smallest round with the same finding that a few seconds of trying can show."""
        give_up = time.monotonic() + SHRINK_SECONDS
        smaller = seen.workload.smaller()
        while (workload := next(smaller, None)) and time.monotonic() < give_up:
            for attempt in range(TRIES):
                again = await replace(self, workload=workload).run_alone(
                    memory, seen.seed + attempt, kind=seen.finding.kind
                )
                if again and again.finding.kind == seen.finding.kind:
                    seen, smaller = again, again.workload.smaller()
                    break
        return seen

    async def run_alone(self, memory: Memory, seed: int, *, kind: str) -> _Seen | None:
        """Run one round on a storage of its own; return None if it shows nothing.

        What is to be stale again may seem lost at first.
        """
        async with memory.afresh() as fresh:
            fleet = await self.open_fleet(fresh)
            seen = await self.run_round(fleet, seed, Record())
            if kind == "stale":
                seen = await self.look_elsewhere(fleet, seen)
            return seen if seen.judgement.findings else None


async def warm_up(memory: Memory) -> None:
    """Let the storage be made before many ask for it, which other checks are about."""
    client = await memory.first()
    await client.add(memory.session("warm-up"), memory.messages(1))


def _fit(workload: Workload, memory: Memory) -> Workload:
    """Return the workload without what the memory does not have, or does not promise."""

    def has(action: str) -> bool:
        method = ACTIONS[action]
        # Every memory can add and read, and a fresh storage has no client yet that could be asked.
        return action in {"add", "read"} or memory.client.has(method.name, *method.keywords)

    mix = {each: n for each, n in workload.mix.items() if has(each)}
    if memory.target.has_whole_batches:
        return replace(workload, mix=mix)
    return replace(workload, mix=mix, batch=1, least=1)


def _make_violation(seen: _Seen, asked: Workload) -> Violation:
    finding, calls = find_proof(seen.history, seen.finding)
    lines = [*draw_history(calls), f"seen with {seen.workload}"]
    if seen.workload != asked:
        lines.append(f"made smaller from {asked}")
    if seen.are_apart:
        lines.append("each caller has an opening of its own (threads=True: they share one)")
    shown = make_excerpt(calls, finding.elements, seen.history.calls)
    return Violation(f"{finding.kind}: {finding.summary}", *lines, excerpt=shown)

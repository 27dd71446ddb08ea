"""What recording costs: a Redis workload with the history kept, and the same without, in turns.

python bench/recording.py [--rounds 30] [--pods 2]
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Awaitable, Sequence
from pathlib import Path
from random import Random
from statistics import median

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goldfish.harness.forks import ForkServer
from goldfish.harness.memory import Memory
from goldfish.stress.fleet import Fleet, call_store
from goldfish.stress.workload import Operation, Workload
from goldfish.targets.names import resolve
from goldfish.world.sandbox import Sandbox

PATIENCE = 30.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=30, help="pairs of runs")
    parser.add_argument("--pods", type=int, default=2)
    options = parser.parse_args(arguments)
    recorded, bare = asyncio.run(_measured(options.rounds, options.pods))
    print(f"recorded {median(recorded):,.0f} calls/s, not recorded {median(bare):,.0f} calls/s")
    # Neighbours in time are compared, because the machine is not equally fast all the time.
    ratios = [one / other for one, other in zip(recorded, bare, strict=True)]
    print(f"with recording: {median(ratios):.3f} of the throughput without (wanted: >= 0.9)")


async def _measured(rounds: int, pods: int) -> tuple[list[float], list[float]]:
    target = resolve("redis")
    sandbox, forks = Sandbox(), ForkServer(target)
    sandbox.provide(target.services)
    memory = Memory(target, sandbox, Random(1), PATIENCE, forks, code="CON01")
    try:
        fleet = await Fleet.open(memory, pods, patience=PATIENCE)
        workload = Workload(pods=pods, processes=8, sessions=8, operations=800, batch=2)
        recorded, bare = [], []
        for turn in range(rounds):
            bare.append(await _rate(_ask_bare(fleet, _plan(workload, turn, "b")), workload))
            recorded.append(await _rate(fleet.run(_plan(workload, turn, "r")), workload))
        return recorded, bare
    finally:
        await memory.discard()
        forks.close()
        sandbox.close()


def _plan(workload: Workload, turn: int, prefix: str) -> list[Operation]:
    return workload.plan(Random(turn), prefix=f"{prefix}{turn}-")


async def _rate(work: Awaitable[None], workload: Workload) -> float:
    began = time.perf_counter()
    await work
    return workload.operations / (time.perf_counter() - began)


async def _ask_bare(fleet: Fleet, plan: Sequence[Operation]) -> None:
    """The same calls by the same processes, of which nothing is kept."""

    async def ask_all(process: str) -> None:
        for operation in plan:
            if operation.process == process:
                await asyncio.wait_for(call_store(fleet.places[operation.pod], operation), PATIENCE)

    await asyncio.gather(*(ask_all(each) for each in dict.fromkeys(op.process for op in plan)))


if __name__ == "__main__":
    main()

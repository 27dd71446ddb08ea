"""Times saving a snapshot of a short and of a long history, and rolling back, in one run.

python bench/snapshots.py [--backend sqlite] [--quick] [--json FILE]
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.backends import BACKENDS
from bench.workloads import FILL_STEP, messages
from goldfish import GoldfishError, open_store
from goldfish.stores.base import BaseStore

MOST_GROWTH = 2.0  # a save of the long history may take this many times that of the short one


@dataclass(frozen=True)
class Sizes:
    """How long the histories are, and how often each step is timed."""

    short: int = 10
    long: int = 10_000
    samples: int = 200


@dataclass(frozen=True)
class Saving:
    """The median seconds of a step on a short and on a long history."""

    backend: str
    step: str
    short: int
    long: int
    short_seconds: float
    long_seconds: float

    @property
    def ratio(self) -> float:
        """How many times as long the step takes on the long history."""
        return self.long_seconds / self.short_seconds


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--backend", action="append", choices=[*BACKENDS, "memory"], help="only this one")
    add("--quick", action="store_true", help="tiny sizes: shows that it runs, judges nothing")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--directory", default=".", help="the disk for the SQLite files (default: here)")
    options = parser.parse_args(arguments)
    sizes = Sizes(long=100, samples=10) if options.quick else Sizes()
    results: list[Saving] = []
    for name in options.backend or [*BACKENDS, "memory"]:
        with tempfile.TemporaryDirectory(dir=options.directory) as directory:
            results += _measured(name, Path(directory).absolute(), sizes)
    for each in results:
        print(_line(each))
    if options.json:
        figures = [asdict(each) | {"ratio": each.ratio} for each in results]
        options.json.write_text(json.dumps(figures, indent=2) + "\n")


def _line(saving: Saving) -> str:
    met = saving.step != "save" or saving.ratio <= MOST_GROWTH
    aim = f" (at most {MOST_GROWTH:g}: {'met' if met else 'MISSED'})" * (saving.step == "save")
    return (
        f"{saving.backend:9} {saving.step:9} {saving.short_seconds * 1e6:9.0f} µs at "
        f"{saving.short:,} messages {saving.long_seconds * 1e6:9.0f} µs at {saving.long:,}: "
        f"x {saving.ratio:.2f}{aim}"
    )


def _measured(name: str, directory: Path, sizes: Sizes) -> list[Saving]:
    if name == "memory":
        return asyncio.run(_timed(name, "memory://", sizes))
    with BACKENDS[name](directory) as backend:
        return asyncio.run(_timed(name, backend.database(), sizes))


async def _timed(name: str, url: str, sizes: Sizes) -> list[Saving]:
    async with open_store(url) as store:
        for length in (sizes.short, sizes.long):
            for start in range(0, length, FILL_STEP):
                batch = messages(min(FILL_STEP, length - start))
                await store.add_messages(str(length), batch)
        saves = await _alternate(store, sizes, _save)
        rollbacks = await _alternate(store, sizes, _roll_back_one_turn)
    found = {"save": saves, "roll back": rollbacks}
    return [Saving(name, step, sizes.short, sizes.long, *each) for step, each in found.items()]


async def _save(store: BaseStore, session: str) -> float:
    """Save after a turn, as an agent does."""
    await store.add_messages(session, messages(2))
    began = perf_counter()
    await store.save_snapshot(session)
    return perf_counter() - began


async def _roll_back_one_turn(store: BaseStore, session: str) -> float:
    snapshot = await store.save_snapshot(session)
    await store.add_messages(session, messages(2))
    began = perf_counter()
    await store.rollback_to_snapshot(session, snapshot)
    return perf_counter() - began


async def _alternate(
    store: BaseStore, sizes: Sizes, step: Callable[[BaseStore, str], Awaitable[float]]
) -> tuple[float, float]:
    """The median seconds on the short and on the long history, each as often first as second."""
    times: dict[int, list[float]] = {sizes.short: [], sizes.long: []}
    for _ in range(sizes.samples // 2):
        for length in (sizes.short, sizes.long, sizes.long, sizes.short):
            times[length].append(await step(store, str(length)))
    return median(times[sizes.short]), median(times[sizes.long])


if __name__ == "__main__":
    try:
        main()
    except GoldfishError as error:
        sys.exit(str(error))

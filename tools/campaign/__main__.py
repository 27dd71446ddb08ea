"""Ask every specimen and every reference with many seeds: ``python -m tools.campaign --help``."""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from bench.load import keep_busy
from tools.campaign.asking import ask
from tools.campaign.results import (
    CONDITIONS,
    Condition,
    Seen,
    Unit,
    add_result,
    list_units,
    read_results,
)
from tools.campaign.subjects import list_subjects
from tools.campaign.table import count, write_table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / ".campaign" / "results.jsonl"
TABLE = ROOT / "docs" / "stability.json"
LOAD = 12  # processes that want a processor, on a busy machine


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign, or go on with it; return 1 if somebody who is right was blamed."""
    options = _parse(arguments)
    done = {each.unit: each for each in read_results(options.results)}
    names = [name for name in list_subjects() if options.only in name]
    if not names:
        sys.exit(f"no specimen and no reference has {options.only!r} in its name")
    if not options.table_only:
        deadline = time.monotonic() + options.max_time
        for condition in options.condition or CONDITIONS:
            units = [
                unit for unit in list_units(names, condition, options.seeds) if unit not in done
            ]
            for seen in _ask_all(condition, units, options.at_once, deadline):
                add_result(options.results, seen)
                done[seen.unit] = seen
    write_table(options.table, count(done.values()))
    return _summarise(list(done.values()))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--seeds", type=int, default=20, help="how many (default: 20)")
    add("--condition", action="append", choices=CONDITIONS, help="only this one")
    add("--only", default="", metavar="WORD", help="only those with this in their names")
    add("--at-once", type=int, default=os.cpu_count() or 1, help="(default: one per processor)")
    add("--max-time", type=float, default=float("inf"), metavar="SECONDS", help="then stop")
    add("--results", type=Path, default=RESULTS, help="where a campaign that was cut short goes on")
    add("--table", type=Path, default=TABLE, help="where to write the table")
    add("--table-only", action="store_true", help="ask nobody: write the table from the results")
    return parser.parse_args(arguments)


def _ask_all(
    condition: Condition, units: Sequence[Unit], at_once: int, deadline: float
) -> Iterator[Seen]:
    """Ask, several at once, until all are asked or the time is up; say what was not expected."""
    began = time.monotonic()
    busy = keep_busy(LOAD if condition == "busy" and units else 0)
    with busy, ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(ask, unit, deadline) for unit in units]
        try:
            for number, future in enumerate(as_completed(futures), 1):
                if seen := future.result():
                    _tell(f"{condition} {number}/{len(units)}", seen, time.monotonic() - began)
                    yield seen
        finally:
            _drop(futures)


def _drop(futures: Sequence["Future[Seen | None]"]) -> None:
    with contextlib.suppress(Exception):
        for future in futures:
            future.cancel()


def _tell(place: str, seen: Seen, seconds: float) -> None:
    print(f"{place}  {seconds:6.0f} s  {seen.unit.subject}, seed {seen.unit.seed}", flush=True)
    for answer in seen.answers:
        if not answer.as_expected:
            print(f"    {answer.code} {answer.verdict}: {answer.summary}", flush=True)


def _summarise(done: Sequence[Seen]) -> int:
    asked = [(each.is_right, answer) for each in done for answer in each.answers]
    wrong = [answer.as_expected for is_right, answer in asked if not is_right]
    right = [answer.as_expected for is_right, answer in asked if is_right]
    print(
        f"{sum(wrong)} of {len(wrong)} specimens caught, "
        f"{len(right) - sum(right)} of {len(right)} right answers blamed"
    )
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())

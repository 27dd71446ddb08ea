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
from tools.campaign.table import add_tables, count, pick_whole_seeds, read_table, write_table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / ".campaign" / "results.jsonl"
TABLE = ROOT / "docs" / "stability.json"
LOAD = 12  # subjects at once make a busy machine: each is a process that wants a processor


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign, or go on with it; return 1 if somebody who is right was blamed."""
    options = _parse(arguments)
    table = read_table(options.table)
    counted: dict[Condition, int] = table["seeds"]
    done = {
        each.unit: each
        for each in read_results(options.results)
        if each.unit.seed > counted[each.unit.condition]
    }
    names = [name for name in list_subjects() if options.only in name]
    if not names:
        sys.exit(f"no specimen and no reference has {options.only!r} in its name")
    deadline = time.monotonic() + options.max_time
    for condition in options.condition or CONDITIONS:
        units = list_units(names, condition, range(counted[condition] + 1, options.seeds + 1))
        missing = [unit for unit in units if unit not in done]
        for seen in _ask_all(condition, missing, options.at_once, deadline):
            add_result(options.results, seen)
            done[seen.unit] = seen
    whole = pick_whole_seeds(done.values(), names)
    write_table(options.table, add_tables(table, count(whole)))
    return _summarise(list(done.values()))


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--seeds", type=int, default=20, help="how many (default: 20)")
    add("--condition", action="append", choices=CONDITIONS, help="only this one")
    add("--only", default="", metavar="WORD", help="only those with this in their names")
    add("--at-once", type=int, default=os.cpu_count() or 1, help="(default: one per processor)")
    add("--max-time", type=float, default=float("inf"), metavar="SECONDS", help="then stop")
    add("--results", type=Path, default=RESULTS, help="where a seed that was cut short goes on")
    add("--table", type=Path, default=TABLE, help="the table: whole seeds are added to it")
    return parser.parse_args(arguments)


def _ask_all(
    condition: Condition, units: Sequence[Unit], at_once: int, deadline: float
) -> Iterator[Seen]:
    """Ask, several at once, until all are asked or the time is up; say what was not expected."""
    began = time.monotonic()
    if condition == "busy":
        at_once = max(at_once, LOAD)
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
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

"""Times our stores, the raw drivers and the peers side by side, in one run.

python bench/stores.py [--backend sqlite] [--quick] [--no-growth] [--json FILE]
"""

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from rich.console import Console

# Started as a script, Python looks beside this file instead of above it.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.backends import BACKENDS, Backend, absent_peers, contenders
from bench.figures import Growth, Rate
from bench.growth import append_growth, last_messages_growth
from bench.report import Results, as_json, render
from bench.workloads import QUICK, Sizes, append, at_once, read
from goldfish import GoldfishError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark as the command line asks."""
    options = _parser().parse_args(arguments)
    warnings.simplefilter("ignore", DeprecationWarning)  # the peers' own affairs
    sizes = QUICK if options.quick else Sizes()
    directory = Path(tempfile.mkdtemp(prefix="goldfish-bench-", dir=options.directory)).absolute()
    try:
        names = options.backend or list(BACKENDS)
        results = [_measure(name, directory, sizes, options.growth) for name in names]
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    console = Console(width=80)
    render(console, results)
    if options.quick:
        console.print("These figures come from a few turns only (--quick): judge nothing by them.")
    if options.json:
        options.json.write_text(json.dumps(as_json(results, sizes), indent=2) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    add = parser.add_argument
    add("--backend", action="append", choices=list(BACKENDS), help="only this one (repeatable)")
    add("--quick", action="store_true", help="tiny sizes: shows that it runs, judges nothing")
    add("--no-growth", dest="growth", action="store_false", help="leave out the full stores")
    add("--json", type=Path, metavar="FILE", help="also write all figures to this file")
    add("--directory", default=".", help="the disk for the SQLite files (default: here)")
    return parser


def _measure(name: str, directory: Path, sizes: Sizes, growth: bool) -> Results:
    report = _reporter(name)
    report("starting")
    with BACKENDS[name](directory) as backend:
        rates = asyncio.run(_rates(backend, sizes, report))
        growths = asyncio.run(_growths(backend, sizes, report)) if growth else []
    return Results(name, rates, growths, absent_peers(name))


async def _rates(backend: Backend, sizes: Sizes, report: Callable[[str], None]) -> list[Rate]:
    async with AsyncExitStack() as exits:
        racers = contenders(backend)
        for contender in racers:
            await contender.open()
            exits.push_async_callback(contender.exits.aclose)
        report("append, one at a time")
        rates = await append(racers, sizes)
        report(f"append, {sizes.tasks} sessions at once")
        rates += await at_once(racers, sizes)
        for length in sizes.histories:
            report(f"read histories of {length:,} messages")
            rates += await read(racers, sizes, length)
    return rates


async def _growths(backend: Backend, sizes: Sizes, report: Callable[[str], None]) -> list[Growth]:
    report("growth")
    growths = [await last_messages_growth(backend, sizes, report)]
    if backend.name == "sqlite":
        growths.append(await append_growth(backend, sizes, report))
    return growths


def _reporter(name: str) -> Callable[[str], None]:
    began = time.monotonic()

    def report(step: str) -> None:
        print(f"{name} {time.monotonic() - began:5.1f} s  {step}", file=sys.stderr, flush=True)

    return report


if __name__ == "__main__":
    try:
        main()
    except GoldfishError as error:
        sys.exit(str(error))

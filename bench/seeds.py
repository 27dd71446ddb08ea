"""Check memories with many seeds, several runs at once, and say what was not held.

python bench/seeds.py [--seeds 1-10] [--at-once 3] [--results DIR] sqlite redis dropin-langchain

Runs side by side make the machine as busy as shared continuous integration is, and busier. With a
directory for results, a campaign that was cut short goes on where it was.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Run:
    """One check of one memory with one seed."""

    target: str
    seed: int
    results: Path

    @property
    def report(self) -> Path:
        """Where its JSON report is, once it has ended."""
        return self.results / f"{self.target}-{self.seed}.json"

    def do(self, options: Sequence[str]) -> "Outcome":
        """Run it unless there is a report of it, and read what came of it."""
        if not self.report.exists():
            part = Path(f"{self.report}.part")
            command = [sys.executable, "-m", "goldfish", "check", self.target, *options]
            command += ["--seed", str(self.seed), "--json", str(part)]
            done = subprocess.run(command, capture_output=True, text=True)
            if not part.exists():
                return Outcome(self, {}, done.stderr.strip().splitlines()[-1:] or ["no report"])
            part.rename(self.report)
        (report,) = json.loads(self.report.read_text())["reports"]
        return Outcome(self, report, [])


@dataclass(frozen=True)
class Outcome:
    """What a run said of each promise."""

    run: Run
    report: dict[str, Any]
    problems: list[str]

    def count(self, verdict: str) -> int:
        """Return how many promises have the verdict."""
        return sum(check["verdict"] == verdict for check in self.report.get("checks", ()))

    def list_doubts(self) -> Iterator[str]:
        """Yield a line for each promise that is broken or unknown."""
        yield from self.problems
        for check in self.report.get("checks", ()):
            if check["verdict"] in {"broken", "unknown"}:
                yield f"{check['verdict']} {check['code']}: {check['summary']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the campaign; return 1 if a promise was broken or a run failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--seeds", type=_read_seeds, default="1-10", help="as in 1-10")
    parser.add_argument("--at-once", type=int, default=3, help="how many runs side by side")
    parser.add_argument("--results", type=Path, help="where reports are kept, for another run")
    parser.add_argument("--only", action="append", default=[], help="as goldfish check takes it")
    chosen = parser.parse_args(arguments)
    results = chosen.results or Path(tempfile.mkdtemp(prefix="goldfish-campaign-"))
    results.mkdir(parents=True, exist_ok=True)
    runs = [Run(target, seed, results) for seed in chosen.seeds for target in chosen.targets]
    options = [word for code in chosen.only for word in ("--only", code)]
    with ThreadPoolExecutor(chosen.at_once) as pool:
        outcomes = list(map(_tell, pool.map(lambda run: run.do(options), runs)))
    return _summarise(outcomes)


def _read_seeds(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def _tell(outcome: Outcome) -> Outcome:
    doubts = list(outcome.list_doubts())
    print(
        f"{outcome.run.target}, seed {outcome.run.seed}: {outcome.count('held')} held", flush=True
    )
    for line in doubts:
        print(f"    {line}", flush=True)
    return outcome


def _summarise(outcomes: Sequence[Outcome]) -> int:
    words = ("held", "broken", "unknown")
    counts = {word: sum(each.count(word) for each in outcomes) for word in words}
    failed = sum(bool(each.problems) for each in outcomes)
    told = ", ".join(f"{count} {word}" for word, count in counts.items())
    print(f"{len(outcomes)} runs: {told}; {failed} runs failed")
    return 1 if counts["broken"] or failed else 0


if __name__ == "__main__":
    sys.exit(main())

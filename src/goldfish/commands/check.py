"""``goldfish check``: hold targets to the catalogue, and say what came of it."""

import random
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from goldfish.baseline import Account, Known, account, read_baseline
from goldfish.check import Check, catalogue
from goldfish.errors import UsageError
from goldfish.report.html import as_html
from goldfish.report.json import as_json
from goldfish.report.junit import as_junit
from goldfish.report.page import Page
from goldfish.report.progress import Watcher, waiting, watcher
from goldfish.report.terminal import summarise
from goldfish.runner import Event, Finished, Plan, run
from goldfish.selection import select
from goldfish.shape import refuse_wrong_shape
from goldfish.target import Target
from goldfish.targets import resolve
from goldfish.verdict import Report, Result, Verdict

HELD, FAILED, INTERRUPTED = 0, 1, 130


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    targets: Sequence[str] = ()
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    suite: str = "standard"
    seed: int | None = None
    max_time: float | None = None
    workers: int = 4
    json: Path | None = None
    junit: Path | None = None
    baseline: Path | None = None
    save_runs: Path | None = None
    html: Path | None = None


def check(request: Request) -> int:
    """Run, report, and return the exit code; what is wrong with the request is found first."""
    checks = select(catalogue(), only=request.only, skip=request.skip, suite=request.suite)
    known = read_baseline(request.baseline, catalogue()) if request.baseline else {}
    plan = planned(request)
    for path in filter(None, (request.json, request.junit, request.html)):
        refuse_unwritable(path)
    targets = opened_once(request.targets or ["sqlite"])
    page = Page()
    accounts, interrupted = [], False
    for spec, target in targets.items():
        trial = Trial(target, checks, replace(plan, spelled=shlex.quote(spec)))
        accounts.append(account(trial.report(), _known_of(known, spec, target)))
        if len(accounts) > 1:
            page.write()
        summarise(page, accounts[-1], trial.seconds)
        if interrupted := trial.interrupted:
            break
    _write_files(request, accounts, page)
    return INTERRUPTED if interrupted else exit_code(accounts)


def exit_code(accounts: Sequence[Account]) -> int:
    """0 if all held, or broke as was known."""
    return HELD if all(each.passed for each in accounts) else FAILED


class Trial:
    """One target's run, which can be interrupted and still knows what it saw."""

    def __init__(self, target: Target, checks: Sequence[Check], plan: Plan) -> None:
        self.seconds = 0.0
        self.interrupted = False
        self._target = target
        self._checks = checks
        self._plan = plan
        self._seen: dict[str, Result] = {}

    def report(self) -> Report:
        """The runner's report, or after Ctrl-C one of what had been seen until then."""
        began = time.monotonic()
        try:
            with watcher(self._target.name, len(self._checks)) as watching:
                return run(
                    self._target,
                    self._checks,
                    self._plan,
                    lambda event: self._hear(event, watching),
                )
        except KeyboardInterrupt:
            self.interrupted = True
            results = tuple(self._seen.get(check.code) or _cut_off(check) for check in self._checks)
            return Report(self._target.name, self._plan.seed, results)
        finally:
            self.seconds = time.monotonic() - began

    def _hear(self, event: Event, watching: Watcher) -> None:
        if isinstance(event, Finished):
            self._seen[event.result.code] = event.result
        watching(event)


def _cut_off(check: Check) -> Result:
    why = "interrupted before it ended"
    return Result(check.code, check.name, check.promise, Verdict.UNKNOWN, why)


def planned(request: Request) -> Plan:
    """How to run what was asked for; a seed is chosen where none was given."""
    seed = random.SystemRandom().randrange(1_000_000) if request.seed is None else request.seed
    if request.workers < 1:
        raise UsageError(f"--workers {request.workers} cannot work: use 1 or more")
    if request.max_time is not None and not request.max_time > 0:
        raise UsageError(f"--max-time {request.max_time:g} is no time: use a number above 0")
    return Plan(
        seed=seed,
        workers=request.workers,
        max_time=request.max_time,
        grow=request.suite == "soak",
        save_runs=request.save_runs,
    )


def opened_once(specs: Sequence[str]) -> dict[str, Target]:
    """The targets by what the user wrote, none of which gives a store of the wrong shape."""
    targets = _distinct({spec: resolve(spec) for spec in specs})
    for target in targets.values():
        with waiting(f"opening {target.name}"):
            refuse_wrong_shape(target)
    return targets


def _distinct(targets: dict[str, Target]) -> dict[str, Target]:
    """The targets, each under a name of its own: where two share one, as the user wrote it."""
    names = [target.name for target in targets.values()]
    return {
        spec: target if names.count(target.name) == 1 else replace(target, name=spec)
        for spec, target in targets.items()
    }


def _known_of(known: dict[str, Known], spec: str, target: Target) -> Known:
    return {**known.get(target.name, {}), **known.get(spec, {})}


def refuse_unwritable(path: Path) -> None:
    """Raise before anything is run if the report could not be written in the end."""
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise UsageError(f"{path} cannot be written: {why}")


def _write_files(request: Request, accounts: Sequence[Account], page: Page) -> None:
    if request.json or request.junit or request.html or request.save_runs:
        page.write()
    if request.json:
        write_file(request.json, as_json([each.report for each in accounts]), page)
    if request.junit:
        write_file(request.junit, as_junit(accounts), page)
    if request.html:
        write_file(request.html, as_html(accounts), page)
    if request.save_runs:
        page.write(f"Every call is kept under {request.save_runs}: goldfish replay judges it again")


def write_file(path: Path, text: str, page: Page) -> None:
    """Write a report, and say so."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    page.write(f"Written: {path}")

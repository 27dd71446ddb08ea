"""``goldfish check``: run the catalogue against targets, and report."""

import random
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path

from goldfish.catalogue.editions import name_current
from goldfish.catalogue.registry import Check, catalogue
from goldfish.cli.trial import Trial
from goldfish.engine import WORKERS
from goldfish.engine.baseline import Account, Known, apply_baseline, read_baseline
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan
from goldfish.engine.selection import choose_for, select
from goldfish.engine.settings import Scope, choose_scope
from goldfish.engine.stopping import Stop, interrupt_on_signals
from goldfish.errors import UsageError, mask
from goldfish.harness.forks import start_early
from goldfish.report.badge import render_badge
from goldfish.report.github import annotate, suspend_commands
from goldfish.report.html import render_html
from goldfish.report.json import render_json
from goldfish.report.junit import render_junit
from goldfish.report.markdown import append_step_summary, render_markdown
from goldfish.report.page import Page
from goldfish.report.progress import show_status
from goldfish.report.terminal import Detail, summarise
from goldfish.targets.declaration import Target
from goldfish.targets.names import resolve

HELD, FAILED = 0, 1
STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    targets: Sequence[str] = ()
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    suite: str = "standard"
    seed: int | None = None
    max_time: float | None = None
    workers: int = WORKERS
    json: Path | None = None
    junit: Path | None = None
    baseline: Path | None = None
    save_runs: Path | None = None
    html: Path | None = None
    services: Sequence[str] = ()  # of commands that do not declare them
    detail: Detail = "usual"
    edition: str | None = None
    profile: Sequence[str] = ()
    repeat: int = 1
    badge: Path | None = None
    markdown: Path | None = None

    @property
    def quiet(self) -> bool:
        """Whether only verdicts are wanted."""
        return self.detail == "verdict"

    def spell(self, plan: Plan, target: str) -> Plan:
        """Return the plan for a target as the user wrote it, with the servers that it was given."""
        given = self.services if target.startswith("cmd:") else ()
        return replace(plan, spelled=target, services=tuple(given))


def check(request: Request) -> int:
    """Run, report, and return the exit code; what is wrong with the request is found first."""
    plan = make_plan(request)
    checks = select_checks(request, plan.scope)
    start_early()  # with the imports of this process, and before it has those of a target
    known = read_baseline(request.baseline, catalogue()) if request.baseline else {}
    _refuse_unwritable_reports(request)
    targets = resolve_targets(request.targets or ["sqlite"], request.services)
    for target in targets.values():
        choose_for(target, checks)  # which says so if there are none
    if known and not any(_find_known(known, *each) for each in targets.items()):
        names = ", ".join(f"[{name}]" for name in known)
        sys.stderr.write(f"goldfish: the baseline has only {names}, which is not asked here\n")
    page = Page(sys.stderr if _is_report_on_standard_output(request) else None)
    with interrupt_on_signals() as stop:
        with suspend_commands(page.file), _redirect_strangers(request):
            targets = open_targets(targets, stop, request.quiet)
            accounts, failures = [], []
            for spec, target in targets.items():
                chosen = choose_for(target, checks)
                trial = Trial(target, chosen, request.spell(plan, spec))
                report = trial.report(stop, request.quiet, request.repeat)
                accounts.append(apply_baseline(report, _find_known(known, spec, target)))
                _write_summary(page, request, accounts, trial)
                failures += [trial.failure] if trial.failure else []
        annotate(page.file, accounts, targets.values())
        append_step_summary(accounts)
        _write_files(request, accounts, page)
    for failure in failures:
        raise failure  # after the report of what was seen before it
    return stop.code if stop.asked else exit_code(accounts)


def exit_code(accounts: Sequence[Account]) -> int:
    """Return 0 if all held, or broke as was known; else 1."""
    return HELD if all(each.passed for each in accounts) else FAILED


def _write_summary(page: Page, request: Request, accounts: Sequence[Account], trial: Trial) -> None:
    if len(accounts) > 1 and not request.quiet:
        page.write()
    if trial.interrupted and not request.quiet:
        page.write("Interrupted: this is what was seen until then.", style="bold yellow")
    summarise(page, accounts[-1], trial.seconds, request.detail)


def make_plan(request: Request) -> Plan:
    """Return how to run what was asked for; a seed is chosen where none was given."""
    seed = random.SystemRandom().randrange(1_000_000) if request.seed is None else request.seed
    if request.workers < 1:
        raise UsageError(f"--workers must be 1 or more (got {request.workers})")
    if request.repeat < 1:
        raise UsageError(f"--repeat must be 1 or more (got {request.repeat})")
    if request.max_time is not None and not request.max_time > 0:
        raise UsageError(f"--max-time must be greater than 0 (got {request.max_time:g})")
    return Plan(
        seed=seed,
        workers=request.workers,
        max_time=request.max_time,
        grow=request.suite == "soak",
        save_runs=request.save_runs,
        scope=choose_scope(request.edition, request.profile),
    )


def select_checks(request: Request, scope: Scope) -> list[Check]:
    """Return the checks that were asked for."""
    for option, words in (("--only", request.only), ("--skip", request.skip)):
        if words and not any(word.strip(" ,") for word in words):
            raise UsageError(f"{option} names no check: write a code or a family, or leave it out")
    return select(
        catalogue(),
        only=request.only,
        skip=request.skip,
        suite=request.suite,
        edition=scope.edition or None,
        profiles=scope.profiles,
    )


def open_targets(targets: Mapping[str, Target], stop: Stop, quiet: bool) -> dict[str, Target]:
    """Open each target once, before anything is checked; a TargetError if one is not a memory."""
    opened = dict(targets)
    try:
        for spec, target in targets.items():
            with show_status(f"opening {target.name}", quiet=quiet):
                opened[spec] = open_target(target)
    except KeyboardInterrupt:
        stop.asked = True
    return opened


def resolve_targets(specs: Sequence[str], services: Sequence[str] = ()) -> dict[str, Target]:
    """Return the targets by their words; where two share a name, each has its words instead."""
    if services and not any(spec.startswith("cmd:") for spec in specs):
        raise UsageError("--service is for a command (cmd:…): a target in Python declares its own")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        targets = {spec: resolve(spec, services) for spec in specs}
    for each in said:
        sys.stderr.write(f"goldfish: {mask(str(each.message))}\n")
    names = [target.name for target in targets.values()]
    return {
        spec: target if names.count(target.name) == 1 else replace(target, name=spec)
        for spec, target in targets.items()
    }


def _find_known(known: dict[str, Known], spec: str, target: Target) -> Known:
    return {**known.get(target.name, {}), **known.get(spec, {})}


def _is_report_on_standard_output(request: Request) -> bool:
    return STANDARD_OUTPUT in _list_texts(request)


def _list_texts(request: Request) -> list[Path | None]:
    """Return the reports that may go to standard output."""
    return [request.json, request.junit, request.markdown]


def _redirect_strangers(request: Request) -> AbstractContextManager[object]:
    """Send what libraries print to standard error where standard output is a report."""
    return redirect_stdout(sys.stderr) if _is_report_on_standard_output(request) else nullcontext()


def _refuse_unwritable_reports(request: Request) -> None:
    texts = _list_texts(request)
    if texts.count(STANDARD_OUTPUT) > 1:
        raise UsageError("two reports cannot share standard output: name a file for one of them")
    for path in filter(None, (*texts, request.html, request.badge)):
        refuse_unwritable(path)


def refuse_unwritable(path: Path) -> None:
    """Raise before anything is run if the report could not be written in the end."""
    if path.is_dir() or not path.parent.is_dir():
        why = "it is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise UsageError(f"{path} cannot be written: {why}")


def _write_files(request: Request, accounts: Sequence[Account], page: Page) -> None:
    notes = [
        *write_report(request.json, lambda: render_json([each.report for each in accounts])),
        *write_report(request.junit, lambda: render_junit(accounts)),
        *write_report(request.html, lambda: render_html(accounts)),
        *write_report(request.markdown, lambda: render_markdown(accounts)),
        *write_report(request.badge, lambda: render_badge(accounts, _name_edition())),
    ]
    if request.save_runs:
        place = request.save_runs
        notes.append(f"Every call is kept under {place}: goldfish replay {place} judges it again")
    for note in ["", *notes] if notes and not request.quiet else []:
        page.write(note)


def _name_edition() -> str:
    return name_current(catalogue().values())


def write_report(path: Path | None, text: Callable[[], str]) -> list[str]:
    """Write a report, and say where."""
    if path is None:
        return []
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text())
        return []
    try:
        path.write_text(text(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return [f"Written: {path}"]

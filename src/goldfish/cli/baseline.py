"""``goldfish baseline``: write what is broken today as known failures, or drop what is mended."""

import shlex
from dataclasses import replace
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.cli.check import (
    Request,
    make_plan,
    open_targets,
    refuse_unwritable,
    resolve_targets,
    select_checks,
)
from goldfish.cli.trial import Trial
from goldfish.engine.baseline import Known, find_stale, read_baseline
from goldfish.engine.baseline_file import append_table, drop_entries, list_entries, render_table
from goldfish.engine.selection import choose_for
from goldfish.engine.stopping import Stop, interrupt_on_signals
from goldfish.errors import UsageError
from goldfish.findings.result import Report
from goldfish.report.page import Page


def write_baseline(request: Request, path: Path, *, update: bool) -> int:
    """Run the target, write the file, and say what is in it; an interrupted run writes nothing."""
    refuse_unwritable(path)
    (target,) = request.targets
    known = _read_known(path, target, update=update)
    with interrupt_on_signals() as stop:
        report = _run(request, stop)
    if stop.asked:
        Page().write(f"Interrupted: {path} is as it was.", style="bold yellow")
        return stop.code
    if update:
        _drop_mended(Page(), path, target, known, report)
    else:
        _add_table(Page(), path, target, report)
    return 0


def _read_known(path: Path, target: str, *, update: bool) -> Known:
    """Return the entries of the target; a UsageError if the file does not suit what is asked."""
    if not path.exists():
        if update:
            raise UsageError(f"there is no {path} to update: leave out --update to write it")
        return {}
    tables = read_baseline(path, catalogue())
    if update and target not in tables:
        raise UsageError(f'{path} has no table ["{target}"]: leave out --update to add it')
    if not update and target in tables:
        raise UsageError(f'{path} has a table ["{target}"]: --update drops what is mended in it')
    return tables.get(target, {})


def _run(request: Request, stop: Stop) -> Report:
    plan, targets = make_plan(request), resolve_targets(request.targets)
    checks = select_checks(request, plan.scope)
    ((spec, target),) = open_targets(targets, stop, quiet=False).items()
    trial = Trial(target, choose_for(target, checks), replace(plan, spelled=shlex.quote(spec)))
    report = trial.report(stop, runs=request.repeat)
    if trial.failure:
        raise trial.failure
    return report


def _add_table(page: Page, path: Path, target: str, report: Report) -> None:
    entries = list_entries(report)
    if not entries:
        page.write("Nothing is broken, so there is nothing to list.", style="bold green")
        return
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(append_table(text, render_table(target, entries)), encoding="utf-8")
    page.write(
        f"Written: {path}, with {len(entries)} known failure{'s'[len(entries) == 1 :]} of {target}"
    )
    page.write(f"Give each a reason, then: goldfish check {target} --baseline {path}")


def _drop_mended(page: Page, path: Path, target: str, known: Known, report: Report) -> None:
    stale = find_stale(report, known)
    if stale:
        text = path.read_text(encoding="utf-8")
        path.write_text(drop_entries(text, path, target, set(stale)), encoding="utf-8")
    kept = len(known) - len(stale)
    page.write(f"Dropped {len(stale)}, kept {kept}: {' '.join(stale) or 'nothing is mended'}")
    if new := [code for code in list_entries(report) if code not in known]:
        page.write(f"Broken and not listed: {' '.join(new)}", style="bold red")

"""``goldfish compare``: show several memories side by side, run now or read from reports."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from goldfish.cli.check import (
    Request,
    exit_code,
    make_plan,
    open_targets,
    refuse_unwritable,
    resolve_targets,
    select_checks,
    write_report,
)
from goldfish.cli.trial import Trial
from goldfish.engine.baseline import Account
from goldfish.engine.stopping import Stop, interrupt_on_signals
from goldfish.errors import UsageError
from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report
from goldfish.report.comparison_table import write_comparison
from goldfish.report.html import render_html
from goldfish.report.json import parse_reports, render_json
from goldfish.report.page import Page


def compare(request: Request) -> int:
    """Show the memories side by side; return 0 if all held."""
    sides = request.targets
    if len(sides) < 2 and not any(map(_is_file, sides)):
        raise UsageError(
            "compare needs at least two: name two targets, or reports written by --json"
        )
    for path in filter(None, (request.json, request.html)):
        refuse_unwritable(path)
    read = {side: _read_reports(Path(side)) for side in sides if _is_file(side)}
    page = Page()
    with interrupt_on_signals() as stop:
        fresh = _run_targets(request, [side for side in sides if side not in read], stop)
        reports = _name_apart(
            [(side, each) for side in sides for each in {**read, **fresh}.get(side, ())]
        )
        write_comparison(page, reports, FAMILIES)
        accounts = [Account(report) for report in reports]
        for note in [
            *write_report(request.json, lambda: render_json(reports)),
            *write_report(request.html, lambda: render_html(accounts)),
        ]:
            page.write(note)
    return stop.code if stop.asked else exit_code(accounts)


def _run_targets(request: Request, specs: Sequence[str], stop: Stop) -> dict[str, list[Report]]:
    """Run the same checks with the same seed on each target; return their reports."""
    if not specs:
        return {}
    plan, targets = make_plan(request), resolve_targets(specs, request.services)
    checks = select_checks(request, plan.scope)
    targets = open_targets(targets, stop, request.quiet)
    return {
        spec: [Trial(target, checks, request.spell(plan, spec)).report(stop)]
        for spec, target in targets.items()
    }


def _is_file(side: str) -> bool:
    return side.endswith(".json")


def _read_reports(path: Path) -> list[Report]:
    try:
        return parse_reports(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        why = f"cannot read {path}: {error.strerror}"
        raise UsageError(f"{why}; name a file that `goldfish check --json` wrote") from None


def _name_apart(reports: Sequence[tuple[str, Report]]) -> list[Report]:
    """Give each report a name of its own: where two share one, add the side it is from."""
    names = [report.target for _, report in reports]
    return [
        report
        if names.count(report.target) == 1
        else replace(report, target=f"{report.target} ({Path(side).stem})")
        for side, report in reports
    ]

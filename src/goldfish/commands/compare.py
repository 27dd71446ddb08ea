"""``goldfish compare``: several memories side by side, run now or read from reports."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from goldfish.baseline import Account
from goldfish.check import FAMILIES, catalogue
from goldfish.commands.check import (
    INTERRUPTED,
    Request,
    Trial,
    exit_code,
    opened_once,
    planned,
    refuse_unwritable,
    write_file,
)
from goldfish.errors import UsageError
from goldfish.report.html import as_html
from goldfish.report.json import as_json
from goldfish.report.page import Page
from goldfish.report.reading import reports_in
from goldfish.report.table import compare_on
from goldfish.selection import select
from goldfish.verdict import Report


def compare(request: Request) -> int:
    """Show all of them together; 0 if all held."""
    sides = request.targets
    if len(sides) < 2 and not any(map(_is_file, sides)):
        raise UsageError("a comparison needs two: name two targets, or reports of --json")
    for path in filter(None, (request.json, request.html)):
        refuse_unwritable(path)
    read = {side: _read(Path(side)) for side in sides if _is_file(side)}
    fresh, interrupted = _run(request, [side for side in sides if side not in read])
    reports = _distinct(
        [(side, each) for side in sides for each in {**read, **fresh}.get(side, ())]
    )
    page = Page()
    compare_on(page, reports, FAMILIES)
    accounts = [Account(report) for report in reports]
    if request.json:
        write_file(request.json, as_json(reports), page)
    if request.html:
        write_file(request.html, as_html(accounts), page)
    return INTERRUPTED if interrupted else exit_code(accounts)


def _run(request: Request, specs: Sequence[str]) -> tuple[dict[str, list[Report]], bool]:
    """The reports of the targets, held to the same checks with the same seed."""
    reports: dict[str, list[Report]] = {}
    if not specs:
        return reports, False
    checks = select(catalogue(), only=request.only, skip=request.skip, suite=request.suite)
    plan = planned(request)
    for spec, target in opened_once(specs).items():
        trial = Trial(target, checks, replace(plan, spelled=spec))
        reports[spec] = [trial.report()]
        if trial.interrupted:
            return reports, True
    return reports, False


def _is_file(side: str) -> bool:
    return side.endswith(".json")


def _read(path: Path) -> list[Report]:
    try:
        return reports_in(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        why = f"{path} cannot be read: {error.strerror}"
        raise UsageError(f"{why}: give a file that `goldfish check --json` wrote") from None


def _distinct(reports: Sequence[tuple[str, Report]]) -> list[Report]:
    """The reports, each under a name of its own: where two share one, with where it is from."""
    names = [report.target for _, report in reports]
    return [
        report
        if names.count(report.target) == 1
        else replace(report, target=f"{report.target} ({Path(side).stem})")
        for side, report in reports
    ]

"""A run at a glance: a row for each family, a column for each verdict."""

from collections import Counter

from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.page import Page

COLUMNS = ("broken", "held", "unknown", "not asked")
NAMES_FROM = 70  # columns: below that there is room for the letters of a family only


def write_family_table(page: Page, report: Report) -> None:
    """Write the table, which fits 40 columns."""
    named = page.width >= NAMES_FROM
    width = max(len(_label(family, named)) for family in FAMILIES) + 2
    heads = "".join(f"{head:>{_room(head)}}" for head in COLUMNS)
    page.write(heads, label=" " * width, style="bold")
    for family, counts in _counted(report).items():
        cells = "".join(f"{counts[head] or '.':>{_room(head)}}" for head in COLUMNS)
        page.write(cells, label=f"{_label(family, named):<{width}}", style=_style(counts))


def _counted(report: Report) -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = {}
    for result in report.results:
        rows.setdefault(result.family, Counter())[_column(result)] += 1
    return rows


def _column(result: Result) -> str:
    not_asked = result.verdict in {Verdict.UNSUPPORTED, Verdict.SKIPPED}
    return "not asked" if not_asked else result.verdict.value


def _label(family: str, named: bool) -> str:
    return f"{family} {FAMILIES[family]}" if named else family


def _room(head: str) -> int:
    return len(head) + 2


def _style(counts: Counter[str]) -> str:
    if counts["broken"]:
        return "red"
    return "yellow" if counts["unknown"] else ""

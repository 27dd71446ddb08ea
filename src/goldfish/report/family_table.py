"""The table that ends a long summary: how many checks of each family have which verdict."""

from collections import Counter

from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report, Result
from goldfish.report.comparison import was_asked
from goldfish.report.page import Page
from goldfish.report.words import NOT_ASKED

COLUMNS = ("broken", "held", "unknown", NOT_ASKED)
NAMES_FROM = 70  # columns: below that there is room for the letters of a family only


def write_family_table(page: Page, report: Report) -> None:
    """Write a row for each family and a column for each verdict; it fits 40 columns."""
    named = page.width >= NAMES_FROM
    width = max(len(_make_label(family, named)) for family in FAMILIES) + 2
    heads = "".join(f"{head:>{_get_width(head)}}" for head in COLUMNS)
    page.write(heads, label=" " * width, style="bold")
    for family, counts in _count(report).items():
        cells = "".join(f"{counts[head] or '.':>{_get_width(head)}}" for head in COLUMNS)
        page.write(
            cells, label=f"{_make_label(family, named):<{width}}", style=_choose_style(counts)
        )


def _count(report: Report) -> dict[str, Counter[str]]:
    rows: dict[str, Counter[str]] = {}
    for result in report.results:
        rows.setdefault(result.family, Counter())[_choose_column(result)] += 1
    return rows


def _choose_column(result: Result) -> str:
    return result.verdict.value if was_asked(result) else NOT_ASKED


def _make_label(family: str, named: bool) -> str:
    return f"{family} {FAMILIES[family]}" if named else family


def _get_width(head: str) -> int:
    return len(head) + 2


def _choose_style(counts: Counter[str]) -> str:
    if counts["broken"]:
        return "red"
    return "yellow" if counts["unknown"] else ""

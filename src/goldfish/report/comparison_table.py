"""A comparison on the terminal: a table of families, then the promises that make a difference."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len, set_cell_size

from goldfish.findings.result import Report
from goldfish.report.comparison import describe_result, find_differences, summarise_family
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls, sanitize_report, truncate

LONGEST_NAME = 24
MOST_DIFFERENCES = 30
BETWEEN = 2


def write_comparison(page: Page, reports: Sequence[Report], families: Mapping[str, str]) -> None:
    """Write how the reports compare: by family, then promise by promise."""
    reports = [sanitize_report(report) for report in reports]
    _write_table(page, _list_rows(reports, families))
    differing = find_differences(reports)
    page.write()
    if not differing:
        page.write("They agree on every promise that was asked of more than one of them.")
        return
    page.write("They differ in:")
    names = [_format_name(report) for report in reports]
    for each in differing[:MOST_DIFFERENCES]:
        page.write(each.promise, indent=2, label=f"{each.code} ", style="bold")
        pairs = zip(names, map(describe_result, each.results), strict=True)
        page.write("; ".join(f"{name} {what}" for name, what in pairs), indent=8)
    if len(differing) > MOST_DIFFERENCES:
        more = len(differing) - MOST_DIFFERENCES
        page.write(f"and {more} more, which --html shows", indent=2)


def _list_rows(reports: Sequence[Report], families: Mapping[str, str]) -> list[list[str]]:
    asked = {result.family for report in reports for result in report.results}
    return [
        ["", *map(_format_name, reports)],
        ["verdict", *(report.verdict.value for report in reports)],
        ["loss rate", *map(_format_rate, reports)],
        *(
            [name, *(summarise_family(report, family)[1] for report in reports)]
            for family, name in families.items()
            if family in asked
        ),
    ]


def _write_table(page: Page, rows: Sequence[Sequence[str]]) -> None:
    """Write the rows in columns; if the page is too narrow, one column after the other."""
    widths = [max(map(cell_len, column)) + BETWEEN for column in zip(*rows, strict=True)]
    if sum(widths) <= page.width:
        for row in rows:
            cells = zip(row, widths, strict=True)
            page.write("".join(set_cell_size(*cell) for cell in cells).rstrip())
        return
    first, *columns = zip(*rows, strict=True)
    for column in columns:
        page.write(column[0], style="bold")
        for name, cell in zip(first[1:], column[1:], strict=True):
            page.write(cell, indent=2, label=set_cell_size(name, widths[0]))


def _format_name(report: Report) -> str:
    return truncate(escape_controls(report.target), LONGEST_NAME)


def _format_rate(report: Report) -> str:
    return f"{100 * report.loss_rate:.1f} %" if report.acknowledged else "not measured"

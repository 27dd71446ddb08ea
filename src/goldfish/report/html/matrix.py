"""Tables of targets side by side: by family, and by the promises on which they differ."""

from collections.abc import Mapping, Sequence

from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.comparison import (
    Difference,
    describe_result,
    find_differences,
    summarise_family,
    was_asked,
)
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.results import select_results
from goldfish.report.words import NOT_ASKED

MARKS = {"held": "✓ ", "broken": "✗ ", "unknown": "? ", "none": ""}


def render_matrix(
    reports: Sequence[Report], families: Mapping[str, str], anchors: Sequence[str]
) -> Markup:
    """Return the table of families; a broken cell leads to the first of its findings."""
    asked = {
        family
        for family in families
        if any(summarise_family(report, family)[1] != NOT_ASKED for report in reports)
    }
    rows = [
        element(
            "tr",
            element("th", f"{name} ", element("span", family, class_="soft"), scope="row"),
            *(_render_cell(*pair, family) for pair in zip(reports, anchors, strict=True)),
        )
        for family, name in families.items()
        if family in asked
    ]
    others = ", ".join(name for family, name in families.items() if family not in asked)
    left_out = element("p", f"Not asked: {others}.", class_="soft") if others else ""
    return join(_render_table("Promises about", reports, rows), left_out)


def render_differences(reports: Sequence[Report], anchors: Sequence[str]) -> Markup:
    """Return the table of promises that some keep and others do not; empty for one report."""
    found = find_differences(reports)
    if len(reports) < 2 or not found:
        return Markup("")
    rows = [_render_difference(each, anchors) for each in found]
    return join(element("h2", "Where they differ"), _render_table("Promise", reports, rows))


def _render_table(first: str, reports: Sequence[Report], rows: Sequence[Markup]) -> Markup:
    targets = [element("th", report.target, scope="col") for report in reports]
    head = element("tr", element("th", first), *targets)
    table = element("table", element("thead", head), element("tbody", *rows), class_="matrix")
    return element("div", table, class_="scroll")


def _render_cell(report: Report, anchor: str, family: str) -> Markup:
    kind, text = summarise_family(report, family)
    text = f"{MARKS[kind]}{text}"
    broken = [each for each in select_results(report, Verdict.BROKEN) if each.family == family]
    return element("td", _link(text, anchor, broken[0]) if broken else text, class_=kind)


def _render_difference(difference: Difference, anchors: Sequence[str]) -> Markup:
    promise = element("td", element("code", difference.code), f" {difference.promise}")
    pairs = zip(difference.results, anchors, strict=True)
    return element("tr", promise, *(_render_verdict(*pair) for pair in pairs))


def _render_verdict(result: Result | None, anchor: str) -> Markup:
    kind = result.verdict.value if was_asked(result) else "none"
    text = f"{MARKS[kind]}{describe_result(result)}"
    is_broken = result is not None and result.verdict is Verdict.BROKEN
    contents = _link(text, anchor, result) if result and is_broken else text
    return element("td", contents, class_=kind)


def _link(text: str, anchor: str, result: Result) -> Markup:
    return element("a", text, href=f"#{anchor}-{result.code}")

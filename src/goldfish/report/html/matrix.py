"""Families of promises down, targets across: where it holds and where it breaks."""

from collections.abc import Mapping, Sequence

from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.comparison import (
    NOT_ASKED,
    Difference,
    describe_result,
    find_differences,
    summarise_family,
)
from goldfish.report.html.markup import Markup, element, join

MARKS = {"held": "✓ ", "broken": "✗ ", "unknown": "? ", "none": ""}


def render_matrix(
    reports: Sequence[Report], families: Mapping[str, str], anchors: Sequence[str]
) -> Markup:
    """The table; a broken cell leads to the first of its findings."""
    asked = {
        family
        for family in families
        if any(summarise_family(report, family)[1] != NOT_ASKED for report in reports)
    }
    rows = [
        element(
            "tr",
            element("th", f"{name} ", element("span", family, class_="soft"), scope="row"),
            *(_cell(*pair, family) for pair in zip(reports, anchors, strict=True)),
        )
        for family, name in families.items()
        if family in asked
    ]
    others = ", ".join(name for family, name in families.items() if family not in asked)
    left_out = element("p", f"Not asked: {others}.", class_="soft") if others else ""
    return join(_table("Promises about", reports, rows), left_out)


def render_differences(reports: Sequence[Report], anchors: Sequence[str]) -> Markup:
    """The promises that some keep and others do not, if there are several reports."""
    found = find_differences(reports)
    if len(reports) < 2 or not found:
        return Markup("")
    rows = [_difference(each, anchors) for each in found]
    return join(element("h2", "Where they differ"), _table("Promise", reports, rows))


def _table(first: str, reports: Sequence[Report], rows: Sequence[Markup]) -> Markup:
    targets = [element("th", report.target, scope="col") for report in reports]
    head = element("tr", element("th", first), *targets)
    table = element("table", element("thead", head), element("tbody", *rows), class_="matrix")
    return element("div", table, class_="scroll")


def _cell(report: Report, anchor: str, family: str) -> Markup:
    kind, text = summarise_family(report, family)
    text = f"{MARKS[kind]}{text}"
    broken = [
        each for each in report.results if each.family == family and each.verdict is Verdict.BROKEN
    ]
    return element("td", _link(text, anchor, broken[0]) if broken else text, class_=kind)


def _difference(difference: Difference, anchors: Sequence[str]) -> Markup:
    promise = element("td", element("code", difference.code), f" {difference.promise}")
    pairs = zip(difference.results, anchors, strict=True)
    return element("tr", promise, *(_verdict(*pair) for pair in pairs))


def _verdict(result: Result | None, anchor: str) -> Markup:
    text = describe_result(result)
    kind = text.partition(":")[0]
    kind = kind if kind in MARKS else "none"
    broken = result is not None and result.verdict is Verdict.BROKEN
    contents = _link(f"✗ {text}", anchor, result) if result and broken else f"{MARKS[kind]}{text}"
    return element("td", contents, class_=kind)


def _link(text: str, anchor: str, result: Result) -> Markup:
    return element("a", text, href=f"#{anchor}-{result.code}")

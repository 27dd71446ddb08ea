"""Families of promises down, targets across: where it holds and where it breaks."""

from collections.abc import Mapping, Sequence

from goldfish.report.html.markup import Markup, element
from goldfish.verdict import Report, Result, Verdict


def matrix(
    reports: Sequence[Report], families: Mapping[str, str], anchors: Sequence[str]
) -> Markup:
    """The table; a broken cell leads to the first of its findings."""
    head = element("tr", element("th", "Promises about"), *(_target(each) for each in reports))
    asked = {result.family for report in reports for result in report.results}
    rows = [
        element(
            "tr",
            element("th", f"{name} ", element("span", family, class_="soft"), scope="row"),
            *(_cell(*pair, family) for pair in zip(reports, anchors, strict=True)),
        )
        for family, name in families.items()
        if family in asked
    ]
    table = element("table", element("thead", head), element("tbody", *rows), class_="matrix")
    return element("div", table, class_="scroll")


def _target(report: Report) -> Markup:
    return element("th", report.target, scope="col")


def _cell(report: Report, anchor: str, family: str) -> Markup:
    results = [result for result in report.results if result.family == family]
    broken, held, unknown = (
        [each for each in results if each.verdict is verdict]
        for verdict in (Verdict.BROKEN, Verdict.HELD, Verdict.UNKNOWN)
    )
    if broken:
        text = f"✗ {len(broken)} of {len(broken) + len(held) + len(unknown)} broken"
        return element("td", _link(text, anchor, broken[0]), class_="broken")
    if unknown:
        return element("td", f"? {len(unknown)} unknown, {len(held)} held", class_="unknown")
    if held:
        return element("td", f"✓ {len(held)} held", class_="held")
    return element("td", "not asked", class_="none")


def _link(text: str, anchor: str, result: Result) -> Markup:
    return element("a", text, href=f"#{anchor}-{result.code}")

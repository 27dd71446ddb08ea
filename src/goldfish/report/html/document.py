"""The page as a whole: the verdict, the matrix of families, then every finding."""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from goldfish.engine.baseline import Account
from goldfish.findings.families import FAMILIES
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.causes import list_causes
from goldfish.report.conclusion import describe_run
from goldfish.report.html.finding import render_cause, render_finding
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.html.matrix import render_differences, render_matrix
from goldfish.report.html.other_verdicts import render_other_verdicts
from goldfish.report.html.plots import render_plots
from goldfish.report.html.style import STYLE
from goldfish.report.html.summary import (
    describe_loss,
    make_headline,
    make_lead,
)
from goldfish.report.ranking import rank_causes, rank_results
from goldfish.report.results import select_results
from goldfish.report.sanitize import sanitize_report


def render_html(accounts: Sequence[Account]) -> str:
    """Return all reports as one page that fetches nothing and runs nothing."""
    accounts = [replace(each, report=sanitize_report(each.report)) for each in accounts]
    reports = [each.report for each in accounts]
    anchors = [f"t{number}" for number in range(1, len(accounts) + 1)]
    page = element(
        "html",
        element("head", *_render_head(make_headline(reports))),
        element("body", element("main", *_render_contents(accounts, reports, anchors))),
        lang="en",
    )
    # What no encoding can carry was made visible by the markup; nothing is left to fail here.
    return f"<!doctype html>\n{page}\n"


def _render_head(title: str) -> list[Markup]:
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return [
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", f"goldfish: {title}"),
        Markup(f"<style>{STYLE}</style>"),
    ]


def _render_contents(
    accounts: Sequence[Account], reports: Sequence[Report], anchors: Sequence[str]
) -> list[Markup]:
    return [
        element("p", "goldfish: does this memory forget?", class_="soft"),
        element("h1", make_headline(reports)),
        *(element("p", line, class_="lead") for line in make_lead(reports)),
        *_render_counts(reports),
        render_matrix(reports, FAMILIES, anchors)
        if any(each.results for each in reports)
        else Markup(""),
        render_differences(reports, anchors),
        *(
            _render_target(*pair, alone=len(accounts) == 1)
            for pair in zip(accounts, anchors, strict=True)
        ),
        _render_footer(reports),
    ]


def _render_counts(reports: Sequence[Report]) -> list[Markup]:
    """Return counts and loss rate of one target; of several, a table with a row for each."""
    if len(reports) != 1:
        return [_render_overview(reports)] if reports else []
    (report,) = reports
    counts = report.counts
    counted = [
        (str(counts["broken"]), "promises broken", "bad" if counts["broken"] else ""),
        (str(counts["held"]), "promises held", "good" if counts["held"] else ""),
        (
            str(counts["unknown"]),
            "unknown",
            "doubt" if counts["unknown"] else "",
        ),
        (*describe_loss(report), "bad" if report.lost else ""),
    ]
    cards = [
        element("div", element("b", number, class_=kind or None), what, class_="figure")
        for number, what, kind in counted
    ]
    return [element("div", *cards, class_="figures")]


def _render_overview(reports: Sequence[Report]) -> Markup:
    names = ("Target", "Verdict", "Broken", "Held", "Unknown", "Loss rate", "Seed")
    head = element("tr", *(element("th", name) for name in names))
    rows = [element("tr", *_render_row(report)) for report in reports]
    table = element("table", element("thead", head), element("tbody", *rows))
    return join(element("div", table, class_="scroll"), element("h2", "By family"))


def _render_row(report: Report) -> list[Markup]:
    counts = report.counts
    rate, _ = describe_loss(report)
    cells = [counts["broken"], counts["held"], counts["unknown"], rate, report.seed]
    return [
        element("th", report.target),
        element("td", report.verdict.value, class_=report.verdict.value),
        *(element("td", str(cell)) for cell in cells),
    ]


def _render_target(account: Account, anchor: str, *, alone: bool) -> Markup:
    report = account.report
    causes = rank_causes(list_causes(report, account.known))
    told = {code for cause in causes for code in cause.codes}
    broken = select_results(report, Verdict.BROKEN)
    expected = rank_results([each for each in broken if each.code not in told])
    title = "What is broken" if alone else f"{report.target}: what is broken"
    articles = [render_cause(each, anchor, first=each is causes[0]) for each in causes]
    articles += [
        render_finding(
            each, anchor, account.known.get(each.code), first=not causes and each is expected[0]
        )
        for each in expected
    ]
    if len(articles) > 1:  # the one that shows most, then where to find the others
        firsts = [*(cause.first for cause in causes), *expected]
        articles[1:1] = [_render_index(firsts, anchor, len(causes))]
    heading = element("h2", title) if broken else Markup("")
    return element(
        "section",
        heading,
        *articles,
        render_plots(report),
        *render_other_verdicts(account, alone=alone),
        id=anchor,
    )


def _render_index(broken: Sequence[Result], anchor: str, causes: int) -> Markup:
    links = [
        element(
            "li",
            element("a", f"{each.code} {each.finding}", href=f"#{anchor}-{each.code}"),
            f" {each.promise}",
        )
        for each in broken
    ]
    what = "causes" if causes == len(broken) else "findings"
    title = element("h4", f"All {len(broken)} {what}, the gravest first")
    return join(title, element("ul", *links, class_="index"))


def _render_footer(reports: Sequence[Report]) -> Markup:
    runs = dict.fromkeys(", ".join(describe_run(report)) for report in reports)
    how = "; ".join(runs) or "no run"
    return element("footer", element("p", f"goldfish {version('goldfish')}, {how}."))

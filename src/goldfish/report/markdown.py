"""The report in Markdown, for the summary of a job or a comment: what is broken, and how to see it.

Texts of strangers are code spans, so that none of them is markup, a link or a mention.
"""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from goldfish.engine.baseline import Account
from goldfish.findings.causes import Cause
from goldfish.findings.result import Report, Verdict
from goldfish.report.causes import list_causes, locate, state_others
from goldfish.report.conclusion import describe_run
from goldfish.report.ranking import rank_causes
from goldfish.report.results import group_by_reason, select_results, state_finding
from goldfish.report.sanitize import escape_controls, sanitize_report, shorten
from goldfish.report.words import NOT_ASKED, NOT_CLAIMED, name_verdict

COLUMNS = ("broken", "held", "unknown", NOT_ASKED, NOT_CLAIMED)
MOST_CAUSES = 20  # of one target: a summary is not the report
LONGEST = 300
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


def render_markdown(accounts: Sequence[Account]) -> str:
    """Return all reports: a table of the targets, then what is wrong with each."""
    lines = ["## goldfish: does this memory forget?", "", *_draw_table(accounts)]
    for account in accounts:
        lines += _list_failures(account)
    return "\n".join(lines) + "\n"


def append_step_summary(accounts: Sequence[Account]) -> None:
    """Add the report to the summary of a GitHub job, if this runs in one."""
    path = os.environ.get(STEP_SUMMARY)
    if path and os.environ.get("GITHUB_ACTIONS") == "true":
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(render_markdown(accounts))


def _draw_table(accounts: Sequence[Account]) -> list[str]:
    head = ["target", "verdict", *COLUMNS, "asked as"]
    rows = [head, ["---"] * len(head), *map(_list_cells, accounts)]
    return [f"| {' | '.join(row)} |" for row in rows]


def _list_cells(account: Account) -> list[str]:
    report = account.report
    counted = Counter(map(name_verdict, report.results))
    known = f" ({len(account.known)} known)" if account.known else ""
    cells = [f"{counted[each]}{known if each == 'broken' else ''}" for each in COLUMNS]
    verdict = "broken as known" if account.known and account.passed else report.verdict.value
    return [_code(report.target), f"**{verdict}**", *cells, ", ".join(describe_run(report))]


def _list_failures(account: Account) -> list[str]:
    report = sanitize_report(account.report)
    causes = rank_causes(list_causes(report, account.known))
    lines = [line for cause in causes[:MOST_CAUSES] for line in _list_cause(cause)]
    if more := len(causes) - MOST_CAUSES:
        lines += [f"- and {more} more causes, which the report has"] if more > 0 else []
    lines += [
        f"- **{code}** {_code(f'stale: {why}')}: remove it from the baseline"
        for code, why in account.stale.items()
    ]
    lines += _list_unknown(report)
    return ["", f"### {_code(report.target)}", "", *lines] if lines else []


def _list_cause(cause: Cause) -> list[str]:
    first = cause.first
    where = f" {_code(locate(cause))}" if locate(cause) else ""
    others = f" {state_others(cause)}." if cause.others else ""
    return [
        f"- **{first.code}** {_code(first.promise)}  ",
        f"  {_code(state_finding(first))}{where}.{others}  ",
        f"  {_code(first.reproduce)}",
    ]


def _list_unknown(report: Report) -> list[str]:
    groups = group_by_reason(select_results(report, Verdict.UNKNOWN))
    return [
        f"- unknown: {len(group)} promises, such as **{group[0].code}**: {_code(str(reason))}"
        for reason, group in groups.items()
    ]


def _code(text: str) -> str:
    """Return a text as a code span that nothing in it can end, also in a table."""
    plain = shorten(escape_controls(text), LONGEST).replace("`", "'").replace("|", "¦")
    return f"`{plain}`" if plain.strip() else ""

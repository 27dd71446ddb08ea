"""The HTML page of stored histories, with what the judges find in them."""

import shlex
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.engine.baseline import Account
from goldfish.findings.reason import Reason
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history import History
from goldfish.history.excerpt import make_excerpt
from goldfish.history.metrics import measure
from goldfish.history.notation import draw_history
from goldfish.judges import Finding, judge
from goldfish.judges.evidence import find_proof
from goldfish.report.html import render_html

NO_CHECK = "CON00"  # the code of a history that names no check


def render_page(judged: Sequence[History], run: Path) -> str:
    """Render all histories of a run, with a report for each target."""
    results: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for history in judged:
        results[history.about.target, history.about.seed].append(_make_result(history, run))
    return render_html(
        [
            Account(Report(target or "history", seed, tuple(found)))
            for (target, seed), found in results.items()
        ]
    )


def _make_result(history: History, run: Path) -> Result:
    judgement = judge(history)
    check = catalogue().get(history.about.code)
    result = Result(
        check.code if check else NO_CHECK,
        check.name if check else "history",
        check.promise if check else "No correct memory gives these answers.",
        Verdict.HELD if judgement.proven else Verdict.UNKNOWN,
        reproduce=f"goldfish replay {shlex.quote(str(run))}",
        acknowledged=judgement.acknowledged,
        lost=judgement.lost,
        figures=measure(history.calls),
    )
    return _make_broken(result, history, judgement.findings[0]) if judgement.findings else result


def _make_broken(result: Result, history: History, worst: Finding) -> Result:
    finding, calls = find_proof(history, worst)
    return replace(
        result,
        verdict=Verdict.BROKEN,
        reason=Reason.stated(finding.summary),
        finding=finding.kind,
        evidence=tuple(draw_history(calls)),
        excerpt=make_excerpt(calls, finding.elements, history.calls),
    )

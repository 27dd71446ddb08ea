"""The report for machines: stable, versioned, and safe for any text."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from goldfish.findings.result import Report, Result
from goldfish.history import Call, fields_of
from goldfish.history.excerpt import Excerpt
from goldfish.report.discretion import discreet

SCHEMA = 1


def as_json(reports: Sequence[Report]) -> str:
    """All reports as one document, in ASCII: lone surrogates are escapes there."""
    document = {
        "schema": SCHEMA,
        "goldfish": version("goldfish"),
        "reports": [_report(discreet(report)) for report in reports],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _report(report: Report) -> dict[str, Any]:
    return {
        "target": report.target,
        "seed": report.seed,
        "verdict": report.verdict.value,
        "counts": report.counts,
        "loss_rate": report.loss_rate,
        "acknowledged": report.acknowledged,
        "lost": report.lost,
        "promises": report.promises,
        "checks": [_check(result) for result in report.results],
    }


def _check(result: Result) -> dict[str, Any]:
    return {
        "code": result.code,
        "name": result.name,
        "family": result.family,
        "verdict": result.verdict.value,
        "finding": result.finding,
        "summary": result.summary,
        "evidence": list(result.evidence),
        "seconds": round(result.seconds, 3),
        "reproduce": result.reproduce,
        "documented": result.documented,
        "promise": result.promise,
        "acknowledged": result.acknowledged,
        "lost": result.lost,
        "history": _history(result.excerpt),
        "figures": asdict(result.figures) if result.figures else None,
    }


def _history(excerpt: Excerpt | None) -> dict[str, Any] | None:
    """The calls that show what is broken, as in the files of --save-runs."""
    if excerpt is None:
        return None
    return {
        "calls": [_call(call) for call in excerpt.calls],
        "about": list(excerpt.about),
        "beside": [_call(call) for call in excerpt.beside],
    }


def _call(call: Call) -> dict[str, Any]:
    return fields_of(call._replace(start=round(call.start, 6), end=round(call.end, 6)))

"""The report for machines, written and read: stable, versioned, and safe for any text."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from typing import Any

from goldfish.errors import UsageError
from goldfish.findings.absence import Absence
from goldfish.findings.causes import Cause, find_causes
from goldfish.findings.reason import Reason
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history import Call
from goldfish.history.dialogue import parse_dialogue
from goldfish.history.excerpt import Excerpt
from goldfish.history.metrics import Figures
from goldfish.history.model import parse_call, spell_out_call
from goldfish.history.origin import parse_origin
from goldfish.report.causes import diagnose
from goldfish.report.cost import describe_cost
from goldfish.report.sanitize import sanitize_report

SCHEMA = 1


def render_json(reports: Sequence[Report]) -> str:
    """Return all reports as one document, in ASCII: lone surrogates are escapes there."""
    document = {
        "schema": SCHEMA,
        "goldfish": version("goldfish"),
        "reports": [_spell_report(sanitize_report(report)) for report in reports],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def parse_reports(text: str, name: str) -> list[Report]:
    """Return the reports of a document that --json wrote; ``name`` is what an error calls it."""
    try:
        document = json.loads(text)
        if document["schema"] > SCHEMA:
            raise ValueError("it was written by a newer goldfish")
        return [_parse_report(each) for each in document["reports"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{name} is not a report of goldfish ({type(error).__name__}: {error}): "
            "give a file that `goldfish check --json` wrote"
        ) from error


def _spell_report(report: Report) -> dict[str, Any]:
    return {
        "target": report.target,
        "seed": report.seed,
        "verdict": report.verdict.value,
        "counts": report.counts,
        "loss_rate": report.loss_rate,
        "acknowledged": report.acknowledged,
        "lost": report.lost,
        "promises": report.promises,
        "does_not": [asdict(each) for each in report.absences],
        "checks": [_spell_result(result) for result in report.results],
        "backend": report.backend,
        "causes": [_spell_cause(cause) for cause in find_causes(report.results)],
        "notes": report.notes,
        "cost": describe_cost(report),
        "edition": report.edition,
        "profile": report.profile,
        "runs": report.runs,
        "place": report.place,
    }


def _spell_cause(cause: Cause) -> dict[str, Any]:
    """Return the checks that break for one reason; the first is the one to look at."""
    return {
        "mechanism": cause.mechanism.value,
        "code": cause.first.code,
        "finding": cause.first.finding,
        "summary": diagnose(cause) or cause.first.summary,
        "codes": list(cause.codes),
    }


def _spell_result(result: Result) -> dict[str, Any]:
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
        "history": _spell_excerpt(result.excerpt),
        "figures": asdict(result.figures) if result.figures else None,
        "origin": result.origin.spell_out() if result.origin else None,
        "conditions": sorted(result.conditions),
        "basic": result.is_basic,
        "prompts": asdict(result.dialogue) if result.dialogue else None,
        "notes": list(result.notes),
        "said": dict(result.said),
    }


def _spell_excerpt(excerpt: Excerpt | None) -> dict[str, Any] | None:
    """Return the calls that show what is broken, as in the files of --save-runs."""
    if excerpt is None:
        return None
    return {
        "calls": [_spell_call(call) for call in excerpt.calls],
        "about": list(excerpt.about),
        "beside": [_spell_call(call) for call in excerpt.beside],
    }


def _spell_call(call: Call) -> dict[str, Any]:
    return spell_out_call(call._replace(start=round(call.start, 6), end=round(call.end, 6)))


def _parse_report(fields: dict[str, Any]) -> Report:
    backend = fields.get("backend", "")
    results = tuple(replace(_parse_result(each), backend=backend) for each in fields["checks"])
    absences = tuple(Absence(**each) for each in fields.get("does_not", ()))
    promises = fields.get("promises", "")
    return Report(
        fields["target"],
        fields["seed"],
        results,
        promises,
        absences,
        fields.get("edition", ""),
        fields.get("profile", ""),
        fields.get("runs", 1),
        fields.get("place", ""),
    )


def _parse_result(fields: dict[str, Any]) -> Result:
    get = fields.get
    return Result(
        fields["code"],
        fields["name"],
        get("promise") or _read_aloud(fields["name"]),
        Verdict(fields["verdict"]),
        Reason.stated(fields["summary"]),
        fields["finding"],
        tuple(fields["evidence"]),
        fields["seconds"],
        fields["reproduce"],
        get("acknowledged", 0),
        get("lost", 0),
        get("documented", ""),
        _parse_excerpt(get("history")),
        _parse_figures(get("figures")),
        parse_origin(fields["origin"]) if get("origin") else None,
        frozenset(get("conditions", ())),
        is_basic=get("basic", False),
        dialogue=parse_dialogue(fields["prompts"]) if get("prompts") else None,
        notes=tuple(get("notes", ())),
        said=tuple(get("said", {}).items()),
    )


def _read_aloud(name: str) -> str:
    """Return a promise from the name of its check, for reports that do not have it yet."""
    return f"{name.replace('_', ' ').capitalize()}."


def _parse_excerpt(fields: dict[str, Any] | None) -> Excerpt | None:
    if fields is None:
        return None
    calls, beside = (tuple(map(parse_call, fields[name])) for name in ("calls", "beside"))
    return Excerpt(calls, tuple(fields["about"]), beside)


def _parse_figures(fields: dict[str, Any] | None) -> Figures | None:
    if fields is None:
        return None
    return Figures(**{name: tuple(map(tuple, rows)) for name, rows in fields.items()})

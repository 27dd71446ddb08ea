"""The report for machines, read back."""

import json
from typing import Any

from goldfish.errors import UsageError
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history import call_of
from goldfish.history.excerpt import Excerpt
from goldfish.history.metrics import Figures
from goldfish.report.json import SCHEMA


def reports_in(text: str, name: str) -> list[Report]:
    """The reports of a document that --json wrote; ``name`` is what an error calls it."""
    try:
        document = json.loads(text)
        if document["schema"] > SCHEMA:
            raise ValueError("it was written by a newer goldfish")
        return [_report(each) for each in document["reports"]]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(
            f"{name} is not a report of goldfish ({type(error).__name__}: {error}): "
            "give a file that `goldfish check --json` wrote"
        ) from error


def _report(found: dict[str, Any]) -> Report:
    results = tuple(map(_result, found["checks"]))
    return Report(found["target"], found["seed"], results, found.get("promises", ""))


def _result(found: dict[str, Any]) -> Result:
    get = found.get
    return Result(
        found["code"],
        found["name"],
        get("promise") or _read_aloud(found["name"]),
        Verdict(found["verdict"]),
        found["summary"],
        found["finding"],
        tuple(found["evidence"]),
        found["seconds"],
        found["reproduce"],
        get("acknowledged", 0),
        get("lost", 0),
        get("documented", ""),
        _excerpt(get("history")),
        _figures(get("figures")),
    )


def _read_aloud(name: str) -> str:
    """A promise from the name of its check, for reports that do not have it yet."""
    return f"{name.replace('_', ' ').capitalize()}."


def _excerpt(found: dict[str, Any] | None) -> Excerpt | None:
    if found is None:
        return None
    calls, beside = (tuple(map(call_of, found[name])) for name in ("calls", "beside"))
    return Excerpt(calls, tuple(found["about"]), beside)


def _figures(found: dict[str, Any] | None) -> Figures | None:
    if found is None:
        return None
    return Figures(**{name: tuple(map(tuple, rows)) for name, rows in found.items()})

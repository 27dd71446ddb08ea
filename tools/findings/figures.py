"""From the runs of all targets to the figures of the table; no Markdown here."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from tools.findings.libraries import LIBRARIES, OURS, library_of

SCHEMA = 1
WORDS = ("held", "broken", "documented", "unsupported", "unclaimed", "unknown", "skipped")
CODE = re.compile(r"\b[A-Z]{3}\d\d\b")
RANGE = re.compile(r"\b([A-Z]{3})(\d\d)\s+to\s+\1(\d\d)\b")
NOT_CLAIMED = "not claimed: "
TO_DO = "What to do:"


def figures(
    runs: Iterable[Mapping[str, Any]],
    known: Mapping[str, Any],
    scripts: Sequence[Mapping[str, Any]],
    asked: Mapping[str, Any],
) -> dict[str, Any]:
    """All that the page says, as one document for machines."""
    order = [OURS.title, *(each.title for each in LIBRARIES)]
    rows = [_row(run, known, scripts) for run in runs]
    rows.sort(key=lambda row: (order.index(row["library"]) or len(order), row["target"]))
    return {
        "schema": SCHEMA,
        "asked": dict(asked),
        "python": known["python"],
        "versions": known["versions"],
        "families": known["families"],
        "targets": rows,
        "scripts": [dict(each) for each in scripts],
    }


def word(check: Mapping[str, Any]) -> str:
    """The verdict, with what is documented and what was never claimed told apart."""
    if check["verdict"] == "broken" and check.get("documented"):
        return "documented"
    if check["verdict"] == "unsupported" and check["summary"].startswith(NOT_CLAIMED):
        return "unclaimed"
    return str(check["verdict"])


def counted(checks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How many ended with each word."""
    counts = Counter(map(word, checks))
    return {each: counts[each] for each in WORDS}


def _row(
    run: Mapping[str, Any], known: Mapping[str, Any], scripts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    library = library_of(run["target"])
    checks = run.get("checks", [])
    families = {
        family: counted(each for each in checks if each["family"] == family)
        for family in known["families"]
    }
    return {
        "target": run["target"],
        "library": library.title,
        "about": known["targets"].get(run["target"], {}).get("about", ""),
        "versions": _versions(library.packages, run, known),
        "promises": run.get("promises", ""),
        "error": run["error"],
        "counts": counted(checks),
        "acknowledged": run.get("acknowledged", 0),
        "lost": run.get("lost", 0),
        "loss_rate": run.get("loss_rate", 0.0),
        "seconds": run.get("seconds", 0.0),
        "families": families,
        "held": [each["code"] for each in checks if each["verdict"] == "held"],
        "findings": [
            _finding(each, known, scripts_of(run["target"], each["code"], scripts))
            for each in checks
            if each["verdict"] == "broken"
        ],
        "unknown": [
            {"code": each["code"], "why": each["summary"]}
            for each in checks
            if each["verdict"] == "unknown"
        ],
        "not_asked": [each["code"] for each in checks if each["verdict"] == "skipped"],
    }


def _versions(
    packages: Iterable[str], run: Mapping[str, Any], known: Mapping[str, Any]
) -> dict[str, str]:
    """Those of the environment in which the target was asked."""
    installed = run.get("versions") or known["versions"]
    return {name: installed[name] for name in packages if name in installed}


def _finding(
    check: Mapping[str, Any], known: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    keys = ("code", "finding", "summary", "evidence", "documented", "reproduce")
    return {
        **{key: check.get(key, "") for key in keys},
        "promise": known["promises"].get(check["code"], check["name"].replace("_", " ")),
        "scripts": [each["script"] for each in shown],
        "shown": any(each["exit"] == 1 for each in shown),
    }


def scripts_of(
    target: str, code: str, scripts: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The scripts about a check: those named after it, or else those that say they are behind it.

    ``DUR29_faiss`` is about targets with that word in their names only.
    """
    own = [each for each in scripts if _is_about(each, target)]
    named = [each for each in own if PurePosixPath(each["script"]).stem[:5] == code]
    return named or [each for each in own if code in codes_in(each["about"])]


def _is_about(script: Mapping[str, Any], target: str) -> bool:
    _, *kinds = PurePosixPath(script["script"]).stem.split("_")
    return script["library"] == library_of(target).folder and set(kinds) <= set(target.split("-"))


def codes_in(about: str) -> set[str]:
    """The checks that a text names, also by the first and the last of several."""
    codes = set(CODE.findall(about))
    for family, first, last in RANGE.findall(about):
        codes |= {f"{family}{number:02}" for number in range(int(first), int(last) + 1)}
    return codes


def advice(about: str) -> str:
    """What a script's docstring tells its reader to do; nothing if it does not say."""
    for paragraph in about.split("\n\n"):
        flat = " ".join(paragraph.split())
        if TO_DO in flat:
            return flat.partition(TO_DO)[2].partition(" Exit 1")[0].strip()
    return ""

"""Computes the figures of the findings from the runs of all targets; no Markdown here."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from tools.findings.commands import LIBRARIES, library_of

SCHEMA = 1
WORDS = ("held", "broken", "documented", "unsupported", "unclaimed", "unknown", "skipped")
TESTED = ("held", "broken", "documented", "unknown")
CODE = re.compile(r"\b[A-Z]{3}\d\d\b")
RANGE = re.compile(r"\b([A-Z]{3})(\d\d)\s+to\s+\1(\d\d)\b")
NOT_CLAIMED = "not claimed: "
TO_DO = "What to do:"
EXIT = re.compile(r"\s*Exit 1 if [^.]*\.")


def compute_figures(
    runs: Iterable[Mapping[str, Any]],
    known: Mapping[str, Any],
    scripts: Sequence[Mapping[str, Any]],
    asked: Mapping[str, Any],
) -> dict[str, Any]:
    """Return all that the pages say, as one document for machines."""
    rows = _sort_rows(_row(run, known, scripts) for run in runs)
    return {
        "schema": SCHEMA,
        "asked": dict(asked),
        "python": known["python"],
        "versions": known["versions"],
        "families": known["families"],
        "targets": rows,
        "scripts": [dict(each) for each in scripts],
    }


def keep_rows(figures: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures with the stored rows of targets that were not run, each with its day."""
    fresh = [{**each, "day": figures["asked"]["day"]} for each in figures["targets"]]
    names = {each["target"] for each in fresh}
    day = stored["asked"]["day"]
    old = [{"day": day, **each} for each in stored["targets"] if each["target"] not in names]
    versions = {**stored["versions"], **figures["versions"]}  # of what is not installed here, too
    return {**figures, "versions": versions, "targets": _sort_rows([*fresh, *old])}


def _sort_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows by library and name; our own stores, which are in no library, come last."""
    order = [each.title for each in LIBRARIES]
    return sorted(
        rows, key=lambda row: ([*order, row["library"]].index(row["library"]), row["target"])
    )


def verdict_word(check: Mapping[str, Any]) -> str:
    """Return the verdict, or a word of its own for what is documented or was never claimed."""
    if check["verdict"] == "broken" and check.get("documented"):
        return "documented"
    if check["verdict"] == "unsupported" and check["summary"].startswith(NOT_CLAIMED):
        return "unclaimed"
    return str(check["verdict"])


def count_verdicts(checks: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many checks ended with each word."""
    counts = Counter(map(verdict_word, checks))
    return {each: counts[each] for each in WORDS}


def count_tested(counts: Mapping[str, int]) -> int:
    """Return how many checks were run to an end, by their counts."""
    return sum(counts.get(each, 0) for each in TESTED)


def _row(
    run: Mapping[str, Any], known: Mapping[str, Any], scripts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    library = library_of(run["target"])
    checks = run.get("checks", [])
    families = {
        family: count_verdicts(each for each in checks if each["family"] == family)
        for family in known["families"]
    }
    return {
        "target": run["target"],
        "library": library.title,
        "about": known["targets"].get(run["target"], {}).get("about", ""),
        "versions": _versions(library.distributions, run, known),
        "promises": run.get("promises", ""),
        "error": run["error"],
        **({"seed": run["seed"]} if "seed" in run else {}),
        "counts": count_verdicts(checks),
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
    """Return the versions in the environment in which the target was run."""
    installed = run.get("versions") or known["versions"]
    return {name: installed[name] for name in packages if name in installed}


def _finding(
    check: Mapping[str, Any], known: Mapping[str, Any], scripts: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    keys = ("code", "finding", "summary", "evidence", "documented", "reproduce")
    return {
        **{key: check.get(key, "") for key in keys},
        "promise": known["promises"].get(check["code"], check["name"].replace("_", " ")),
        "scripts": [each["script"] for each in scripts],
        "shown": any(each["exit"] == 1 for each in scripts),
    }


def scripts_of(
    target: str, code: str, scripts: Sequence[Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """Return the scripts named after a check, or else those whose docstrings name it.

    ``DUR29_faiss`` is about targets with that word in their names only.
    """
    own = [each for each in scripts if _is_about(each, target)]
    named = [each for each in own if PurePosixPath(each["script"]).stem[:5] == code]
    return named or [each for each in own if code in codes_in(each["about"])]


def _is_about(script: Mapping[str, Any], target: str) -> bool:
    _, *kinds = PurePosixPath(script["script"]).stem.split("_")
    return script["library"] == library_of(target).prefix and set(kinds) <= set(target.split("-"))


def codes_in(about: str) -> set[str]:
    """Return the checks that a text names, also by the first and the last of several."""
    codes = set(CODE.findall(about))
    for family, first, last in RANGE.findall(about):
        codes |= {f"{family}{number:02}" for number in range(int(first), int(last) + 1)}
    return codes


@dataclass(frozen=True)
class About:
    """What the docstring of a script says: its first sentence, the reason, and what to do."""

    title: str
    text: str
    advice: str


def parse_script(about: str) -> About:
    """Return the parts of a script's docstring, without the sentence about its exit code."""
    title, *paragraphs = [" ".join(each.split()) for each in about.split("\n\n")]
    text, _, advice = " ".join(paragraphs).partition(TO_DO)
    return About(
        EXIT.sub("", title).rstrip("."), EXIT.sub("", text).strip(), EXIT.sub("", advice).strip()
    )

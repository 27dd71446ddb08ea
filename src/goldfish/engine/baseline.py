"""Known failures, each with its reason, in a TOML file that a run is held against."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldfish.errors import UsageError
from goldfish.findings.result import Report, Verdict
from goldfish.targets.lookup import suggest_name

FORM = 'write [target] and under it CODE = "the reason"'
NO_REASON = "no reason was given yet"


@dataclass(frozen=True)
class Entry:
    """A known failure: what was found when it was listed, why it may stay, where to read on."""

    reason: str = ""
    finding: str = ""
    link: str = ""
    sometimes: bool = False  # it breaks in some runs only: a run in which it holds proves nothing

    def __str__(self) -> str:
        """Return what a report says of it."""
        return f"{self.reason or NO_REASON}{f' ({self.link})' if self.link else ''}"


FIELDS = {"reason": str, "finding": str, "link": str, "sometimes": bool}
Known = Mapping[str, Entry]  # by code


@dataclass(frozen=True)
class Account:
    """A report, and which of its failures were known; ``stale`` tells what no longer fails."""

    report: Report
    known: Mapping[str, str] = field(default_factory=dict)
    stale: Mapping[str, str] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing is broken but what was known, nothing unknown and nothing stale."""
        if self.stale:
            return False
        new = {result.verdict for result in self.report.results if result.code not in self.known}
        if self.known:
            return not new & {Verdict.BROKEN, Verdict.UNKNOWN}
        return self.report.verdict is Verdict.HELD


def read_baseline(path: Path, codes: Collection[str]) -> dict[str, Known]:
    """Return the known failures of each target; a UsageError if the file says anything else."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # also bad UTF-8 and bad TOML
        reason = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"the baseline {path} cannot be read: {reason}; {FORM}") from None
    return {
        target: _parse_entries(path, target, entries, codes) for target, entries in tables.items()
    }


def apply_baseline(report: Report, known: Known) -> Account:
    """Compare a report with the known failures of its target."""
    verdicts = {result.code: result.verdict for result in report.results}
    broken = {code: str(known[code]) for code in known if verdicts.get(code) is Verdict.BROKEN}
    return Account(report, broken, find_stale(report, known))


def find_stale(report: Report, known: Known) -> dict[str, str]:
    """Return the entries that do not fail any more, each with what is so now."""
    verdicts = {result.code: result.verdict for result in report.results}
    gone = {Verdict.HELD: "held", Verdict.UNSUPPORTED: "not asked of it any more"}
    return {
        code: f"listed as known, but {gone[verdicts[code]]}"
        for code, entry in known.items()
        if verdicts.get(code) in gone
        if not (entry.sometimes and verdicts[code] is Verdict.HELD)
    }


def _parse_entries(path: Path, target: str, entries: Any, codes: Collection[str]) -> Known:
    if not isinstance(entries, dict):
        raise UsageError(f"the baseline {path} has {target!r} outside a table: {FORM}")
    return {code: _parse_entry(path, target, code, entries[code], codes) for code in entries}


def _parse_entry(path: Path, target: str, code: str, told: Any, codes: Collection[str]) -> Entry:
    if code not in codes:
        if isinstance(told, dict):
            name = f'["{target}.{code}"]'
            raise UsageError(f"the baseline {path} has a table without quotes: write {name}")
        see = "`goldfish checks` lists them"
        raise UsageError(f"the baseline {path}: {suggest_name('check', code, codes, see=see)}")
    if isinstance(told, str) and told.strip():
        return Entry(told)
    if not isinstance(told, dict):
        raise UsageError(f'the baseline {path} gives no reason: write {code} = "the reason"')
    for name, value in told.items():
        if name not in FIELDS or not isinstance(value, FIELDS[name]):
            fields = ", ".join(f"{each} ({kind.__name__})" for each, kind in FIELDS.items())
            raise UsageError(f"the baseline {path}: {code} has {name} = {value!r}; use {fields}")
    return Entry(**told)

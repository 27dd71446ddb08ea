"""Known failures, each with its reason, in a TOML file that a run is held against."""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldfish.errors import UsageError
from goldfish.findings.result import Report, Verdict
from goldfish.targets.lookup import suggest_name

Known = Mapping[str, str]  # the reason of each code
FORM = 'write [target] and under it CODE = "the reason"'


@dataclass(frozen=True)
class Account:
    """A report, and which of its failures were known; ``stale`` tells what no longer fails."""

    report: Report
    known: Known = field(default_factory=dict)
    stale: Known = field(default_factory=dict)

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
    broken = {code: known[code] for code in known if verdicts.get(code) is Verdict.BROKEN}
    stale = {
        code: f"listed as known, but {verdicts[code].value}"
        for code in known
        if verdicts.get(code) in {Verdict.HELD, Verdict.UNSUPPORTED}
    }
    return Account(report, broken, stale)


def _parse_entries(path: Path, target: str, entries: Any, codes: Collection[str]) -> Known:
    if not isinstance(entries, dict):
        raise UsageError(f"the baseline {path} has {target!r} outside a table: {FORM}")
    for code, reason in entries.items():
        if isinstance(reason, dict):
            name = f'["{target}.{code}"]'
            raise UsageError(f"the baseline {path} has a table without quotes: write {name}")
        if code not in codes:
            see = "`goldfish checks` lists them"
            raise UsageError(f"the baseline {path}: {suggest_name('check', code, codes, see=see)}")
        if not isinstance(reason, str) or not reason.strip():
            raise UsageError(f'the baseline {path} gives no reason: write {code} = "the reason"')
    return dict(entries)

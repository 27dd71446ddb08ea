"""A badge for a README, as the endpoint format of shields.io: edition, profile and counts."""

import json
from collections.abc import Sequence

from goldfish.engine.baseline import Account
from goldfish.findings.result import Verdict

COLOURS = {Verdict.HELD: "brightgreen", Verdict.BROKEN: "red", Verdict.UNKNOWN: "yellow"}


def render_badge(accounts: Sequence[Account], edition: str) -> str:
    """Return the badge of all targets; ``edition`` is the newest, for runs that pin none."""
    reports = [account.report for account in accounts]
    first = reports[0]
    words = ["goldfish", first.edition or edition, first.profile]
    return (
        json.dumps(
            {
                "schemaVersion": 1,
                "label": " ".join(filter(None, words)),
                "message": _count(accounts),
                "color": _choose_colour(accounts),
            },
            indent=2,
        )
        + "\n"
    )


def _count(accounts: Sequence[Account]) -> str:
    counts = dict.fromkeys((Verdict.BROKEN, Verdict.UNKNOWN, Verdict.HELD), 0)
    known = sum(len(account.known) for account in accounts)
    for account in accounts:
        for result in account.report.results:
            if result.verdict in counts:
                counts[result.verdict] += 1
    parts = [
        f"{count} {verdict.value}" + (f" ({known} known)" if _is_known(verdict, known) else "")
        for verdict, count in counts.items()
        if count
    ]
    return ", ".join(parts) or "nothing was checked"


def _is_known(verdict: Verdict, known: int) -> bool:
    return verdict is Verdict.BROKEN and known > 0


def _choose_colour(accounts: Sequence[Account]) -> str:
    """Return the colour of the worst verdict; what broke as known is not green, and not red."""
    if all(account.passed for account in accounts):
        return "yellowgreen" if any(account.known for account in accounts) else "brightgreen"
    verdicts = [account.report.verdict for account in accounts if not account.passed]
    return COLOURS[Verdict.BROKEN if Verdict.BROKEN in verdicts else Verdict.UNKNOWN]

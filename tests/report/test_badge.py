"""A badge as shields.io reads it."""

import json
from typing import Any

import pytest

from goldfish.engine.baseline import Account
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.badge import render_badge


def account(edition: str = "", known: dict[str, str] | None = None, **verdicts: str) -> Account:
    """Return an account of these verdicts by code."""
    results = tuple(Result(code, "n", "P.", Verdict(each)) for code, each in verdicts.items())
    profile = "shared" if edition else ""
    return Account(Report("t", 1, results, edition=edition, profile=profile), known or {})


@pytest.mark.parametrize(
    ("given", "label", "message", "color"),
    [
        (account(DUR02="held"), "goldfish 2027.2", "1 held", "brightgreen"),
        (
            account("2026.11", DUR02="broken", ISO01="held"),
            "goldfish 2026.11 shared",
            "1 broken, 1 held",
            "red",
        ),
        (account(DUR02="unknown", ISO01="held"), "goldfish 2027.2", "1 unknown, 1 held", "yellow"),
        (
            account(known={"DUR02": "a dict"}, DUR02="broken", ISO01="held"),
            "goldfish 2027.2",
            "1 broken (1 known), 1 held",
            "yellowgreen",
        ),
        (account(DUR02="skipped"), "goldfish 2027.2", "nothing was checked", "yellow"),
    ],
)
def test_a_badge_names_edition_profile_and_counts(
    given: Account, label: str, message: str, color: str
) -> None:
    """Green only if all held; what broke as known is neither green nor red."""
    badge: dict[str, Any] = json.loads(render_badge([given], "2027.2"))
    assert badge == {"schemaVersion": 1, "label": label, "message": message, "color": color}

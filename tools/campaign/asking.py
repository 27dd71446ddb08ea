"""Asking one subject with one seed, in a process of its own."""

import time
from functools import cache

from goldfish.engine.runner import run
from tools.campaign.results import Answer, Seen, Unit
from tools.campaign.subjects import Subject, list_subjects


def ask(unit: Unit, deadline: float) -> Seen | None:
    """Return what the checks say; None once the time is up, by a clock that processes share."""
    if time.monotonic() > deadline:
        return None
    subject = _find_subjects()[unit.subject]
    report = run(subject.target, subject.checks, subject.plan(unit.seed))
    answers = []
    for result in report.results:
        as_expected = subject.is_as_expected(result)
        summary = "" if as_expected else result.summary
        answers.append(Answer(result.code, result.verdict.value, as_expected, summary))
    return Seen(unit, subject.finding is None, tuple(answers))


@cache
def _find_subjects() -> dict[str, Subject]:
    return list_subjects()

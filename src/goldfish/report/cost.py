"""What the prompts of an agent cost, in one sentence: their size, and what caches can reuse."""

from goldfish.findings.result import Report, Result
from goldfish.history.metrics import Figures

LEAST = 5  # turns


def find_longest(report: Report) -> tuple[Result, Figures] | None:
    """Return the check with the longest conversation, and its figures; None if there is none."""
    measured = [
        (result, result.figures)
        for result in report.results
        if result.figures and len(result.figures.prompts) >= LEAST
    ]
    return max(measured, key=lambda pair: len(pair[1].prompts), default=None)


def describe_cost(report: Report) -> str:
    """Return how large prompts became and how stable their beginning is; empty for a memory."""
    found = find_longest(report)
    if found is None:
        return ""
    prompts = found[1].prompts
    before = sum(size for _, size, _ in prompts[:-1])
    share = sum(stable for _, _, stable in prompts[1:]) / before if before else 0.0
    number, size, _ = prompts[-1]
    return (
        f"The prompt of turn {number} has {size:,} bytes. From the beginning, {100 * share:.0f} % "
        f"of a prompt is byte for byte as in the turn before ({found[0].code}): "
        "what a provider's cache can reuse."
    )

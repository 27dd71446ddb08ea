"""Reports to be told, with all that may be in them."""

from dataclasses import replace

from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history.origin import Frame, Origin

NASTY = (
    "[bold]x[/bold] \x1b[31mred\x00 \ud800 \u202e redis://me:hunter2@host/0 <&> " + "y" * 5_000_000
)
PROMISE = "What was acknowledged is still there after the store is closed and opened again."


def result(code: str, verdict: Verdict, summary: str | Reason = "", *evidence: str) -> Result:
    """One result with a command that reproduces it."""
    reason = summary if isinstance(summary, Reason) else Reason.stated(summary)
    finding = "lost" if verdict is Verdict.BROKEN else None
    command = f"goldfish check sqlite --only {code} --seed 7"
    return Result(code, "a_name", PROMISE, verdict, reason, finding, evidence, 0.25, command)


def results_of_many_causes(family: str, count: int) -> tuple[Result, ...]:
    """Return broken promises, each by an error in a line of its own."""
    broken = [
        result(f"{family}{number:02}", Verdict.BROKEN, "gone") for number in range(1, count + 1)
    ]
    places = [Frame("memory.py", line, "add_messages") for line in range(1, count + 1)]
    return tuple(
        replace(each, origin=Origin("KeyError", "", "add_messages", place, place))
        for each, place in zip(broken, places, strict=True)
    )


LINES = [f"line {number}" for number in range(2, 28)]
NASTY_REPORT = Report(
    "sqlite",
    7,
    (
        result("ISO01", Verdict.HELD),
        result("DUR02", Verdict.BROKEN, NASTY, NASTY, *LINES),
        result("DUR03", Verdict.UNKNOWN, f"the target did not open: {NASTY}"),
        result("TTL01", Verdict.UNSUPPORTED, Reason.of(Why.LACKS_METHOD, "set_ttl")),
        result("TTL02", Verdict.UNSUPPORTED, Reason.of(Why.LACKS_METHOD, "set_ttl")),
        result("CON01", Verdict.UNSUPPORTED, Reason.of(Why.NOT_CLAIMED, "one process only")),
        result("CON02", Verdict.SKIPPED, "the time was up"),
    ),
)

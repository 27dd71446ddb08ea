"""``goldfish demo``: a memory that forgets, how goldfish catches it, and the same fixed."""

import inspect
from typing import Any

from goldfish.catalogue.registry import catalogue
from goldfish.cli.demo import forgetful, mended
from goldfish.cli.trial import Trial
from goldfish.engine.baseline import Account
from goldfish.engine.runner import Plan
from goldfish.engine.selection import select
from goldfish.engine.stopping import Stop, interrupt_on_signals
from goldfish.findings.result import Verdict
from goldfish.report.page import Page
from goldfish.report.terminal import summarise

EXPECTED, UNEXPECTED = 0, 1
PROMISES = ("DUR02", "DUR03", "CON01")
SEED = 7
NEXT = (
    ("goldfish init", "write tests/test_memory.py for your own memory"),
    ("goldfish explain CON01", "the incident behind this promise, and the fix"),
    ("goldfish check NAME", "check a memory that goldfish knows; goldfish targets lists them"),
)


def demo() -> int:
    """Show both memories; return 0 if the first is broken and the second held."""
    page = Page()
    with interrupt_on_signals() as stop:
        before = _show_memory(page, stop, forgetful, "1. A memory that forgets", FORGETS)
        after = _show_memory(page, stop, mended, "2. The same with the fix", KEEPS)
    if stop.asked:
        return stop.code
    page.write("What next?", style="bold")
    for command, about in NEXT:
        page.write(about, label=f"  {command:<24}")
    return EXPECTED if (before, after) == (Verdict.BROKEN, Verdict.HELD) else UNEXPECTED


FORGETS = (
    "It stores a conversation as one JSON list in SQLite. That works as long as one process "
    "writes at a time. goldfish lets several write at once, and reads back what is left:"
)
KEEPS = "Each message is a row of its own, so no writer overwrites what another one added:"


def _show_memory(page: Page, stop: Stop, module: Any, title: str, story: str) -> Verdict | None:
    """Show a memory's code and its verdict; do nothing once a stop was requested."""
    if stop.asked:
        return None
    page.write(title, style="bold")
    page.write()
    for line in inspect.getsource(module.Memory.add_messages).splitlines():
        page.write_code(line)
    page.write()
    page.write(story)
    spec = f"{module.__name__}:memory"
    page.write()
    page.write(f"$ goldfish check {spec} --only {','.join(PROMISES)}", style="bold")
    trial = Trial(module.memory, select(catalogue(), only=PROMISES), Plan(SEED, spelled=spec))
    report = trial.report(stop)
    summarise(page, Account(report), trial.seconds)
    page.write()
    return report.verdict

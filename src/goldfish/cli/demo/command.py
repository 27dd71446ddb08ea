"""``goldfish demo``: a memory that forgets, how it is caught, and the same with the fix."""

import inspect
from typing import Any

from goldfish.catalogue.registry import catalogue
from goldfish.cli.demo import forgetful, mended
from goldfish.cli.trial import Trial
from goldfish.engine.baseline import Account
from goldfish.engine.runner import Plan
from goldfish.engine.selection import select
from goldfish.engine.stopping import Stop, stoppable
from goldfish.findings.result import Verdict
from goldfish.report.page import Page
from goldfish.report.terminal import summarise

AS_TOLD, OTHERWISE = 0, 1
PROMISES = ("DUR02", "DUR03", "CON01")
SEED = 7
NEXT = (
    ("goldfish init", "writes tests/test_memory.py for your own memory"),
    ("goldfish explain CON01", "the incident behind that promise, and the fix"),
    ("goldfish check NAME", "a memory that others wrote; goldfish targets lists them"),
)


def demo() -> int:
    """Tell the story; 0 if it went as it is told."""
    page = Page()
    with stoppable() as stop:
        before = _shown(page, stop, forgetful, "1. A memory that forgets", FORGETS)
        after = _shown(page, stop, mended, "2. The same with the fix", KEEPS)
    if stop.asked:
        return stop.code
    page.write("What next?", style="bold")
    for command, about in NEXT:
        page.write(about, label=f"  {command:<24}")
    return AS_TOLD if (before, after) == (Verdict.BROKEN, Verdict.HELD) else OTHERWISE


FORGETS = (
    "It keeps a conversation as one JSON list in SQLite. One process at a time finds nothing "
    "wrong with it. goldfish lets several write at once, and reads what is left:"
)
KEEPS = "Each message is a row of its own, so nobody writes back what they read too early:"


def _shown(page: Page, stop: Stop, module: Any, title: str, story: str) -> Verdict | None:
    """A memory's code, and what becomes of its promises; nothing once somebody asked to stop."""
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

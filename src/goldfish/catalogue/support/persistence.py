"""Whether a server keeps what it acknowledges: one that does not makes every restart a loss."""

from collections.abc import Iterator
from contextlib import contextmanager

from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory


@contextmanager
def blame_forgetful_server(memory: Memory) -> Iterator[None]:
    """Say so where the server, and not the store, is what forgets."""
    try:
        yield
    except Violation as violation:
        forgets = memory.sandbox.faults.server(memory.target.services[0]).forgets
        if not forgets or violation.finding not in {"lost", "swallowed"}:
            raise
        told = f"lost: {forgets}: a restart forgets all that was acknowledged"
        raise Violation(told, violation.summary, *violation.evidence) from violation

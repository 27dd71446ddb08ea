"""Stores that forget when they are closed, or that live in one process."""

import os
from types import SimpleNamespace
from typing import Any

from goldfish.specimens import specimen
from goldfish.specimens.reference import Reference


@specimen("wiped-on-open", caught_by="DUR02", finding="lost", explains=("CLR", "TRM", "ORD", "TTL"))
class WipedOnOpen(Reference):
    """Every opening begins with an empty table, as a leftover of the tests."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.db.execute("DELETE FROM messages")


@specimen("in-this-process", caught_by="DUR03", finding="lost")
class InThisProcess(Reference):
    """A file per process: another one sees nothing."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        own = sandbox.path / str(os.getpid())
        own.mkdir(exist_ok=True)
        super().__init__(SimpleNamespace(path=own), ttl=ttl)

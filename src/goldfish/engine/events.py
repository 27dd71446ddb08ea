"""What happens in a run, as a stream of events that reporters consume."""

from collections.abc import Callable
from dataclasses import dataclass

from goldfish.catalogue.registry import Check
from goldfish.findings.result import Report, Result
from goldfish.targets.declaration import Target


@dataclass(frozen=True)
class Opened:
    """The target was opened for the first time: its interface and its declarations are known."""

    target: Target


@dataclass(frozen=True)
class Started:
    """A check begins."""

    target: str
    check: Check
    total: int


@dataclass(frozen=True)
class Finished:
    """A check has its result."""

    target: str
    result: Result
    total: int


@dataclass(frozen=True)
class Interrupted:
    """The run was cut off; the report says what was seen until then."""

    report: Report


Event = Opened | Started | Finished | Interrupted
Listener = Callable[[Event], None]

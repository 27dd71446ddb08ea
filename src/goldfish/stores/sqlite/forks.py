"""SQLite files that are open when the process forks: no connection reaches the child.

SQLite keeps its locks per process. A child that inherits a connection, or opens another one beside
it, believes in locks that only its parent holds, and may lose what it was told is written. So all
connections are closed before a fork, and parent and child each open their own when they need one.
"""

import os
import time
import weakref
from typing import Protocol

from goldfish.stores.sqlite.file import SQLiteFile

HOLD_SECONDS = 5.0  # for which a fork waits for the calls that are under way


class Lanes(Protocol):
    """The connections of one store, as far as a fork is concerned."""

    file: SQLiteFile

    def hold(self, until: float) -> None: ...
    def go_on(self) -> None: ...
    def begin_anew(self) -> None: ...
    @property
    def crossed(self) -> bool: ...


_known: "weakref.WeakSet[Lanes]" = weakref.WeakSet()


def watch(lanes: Lanes) -> None:
    """Close the connections of these lanes before each fork."""
    _known.add(lanes)


def is_crossed(file: SQLiteFile) -> bool:
    """Return whether a connection to this file came here from the parent process."""
    return any(lanes.crossed and lanes.file.is_same_as(file) for lanes in list(_known))


def _hold_all() -> None:
    until = time.monotonic() + HOLD_SECONDS
    for lanes in list(_known):
        lanes.hold(until)


def _go_on() -> None:
    for lanes in list(_known):
        lanes.go_on()


def _begin_anew() -> None:
    for lanes in list(_known):
        lanes.begin_anew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_go_on, after_in_child=_begin_anew)

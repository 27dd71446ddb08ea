"""What a forked child must not share with its parent: connections, and calls under way."""

import os
import weakref
from typing import Protocol


class Forked(Protocol):
    """Something that holds what belongs to one process."""

    def after_fork(self) -> None:
        """Let go of what belongs to the parent, without touching it."""


_known: "weakref.WeakSet[Forked]" = weakref.WeakSet()


def call_after_fork(thing: Forked) -> None:
    """Call the thing's ``after_fork`` in every child that is forked from now on."""
    _known.add(thing)


def _call_all() -> None:
    for thing in list(_known):
        thing.after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_call_all)

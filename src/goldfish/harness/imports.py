"""Which modules a process imported since it was forked."""

import sys
from itertools import islice


class Imports:
    """The modules that were imported since the last look.

    Only new names are read. To read them all would touch the memory in which they lie, and a forked
    process has to copy what it touches.
    """

    def __init__(self) -> None:
        self._count = len(sys.modules)

    def take_new(self) -> list[str]:
        """Return the names of the modules that are new, in the order of their import."""
        fresh = list(islice(reversed(sys.modules), max(0, len(sys.modules) - self._count)))
        self._count = len(sys.modules)
        return fresh[::-1]

"""Python's garbage collector, paused while objects are made that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collector() -> Iterator[None]:
    """Collect no garbage inside the block.

    A long history is many objects that stay: to look through them again and again for garbage
    would make the time grow faster than the history.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()

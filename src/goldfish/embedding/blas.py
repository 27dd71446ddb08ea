"""Limits numpy's matrix multiplication to one thread: small ones gain nothing from several.

OpenBLAS splits every product between all cores, and its threads spin until the slowest is done. For
one short text that gains little on an idle machine and costs ten times the time on a busy one, or
in a container that may use fewer cores than it sees. Whole batches side by side do not wait.
"""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

import numpy as np

# numpy's own OpenBLAS, as its wheels have named it, and one that a distribution has linked.
NAMES = (
    "scipy_openblas_{}_num_threads64_",
    "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)


class Blas:
    """The number of threads that OpenBLAS takes; if numpy has another library, it is left alone."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._users = 0
        self._threads = 1
        self._get, self._set = _find_controls()

    @contextmanager
    def single(self) -> Iterator[int]:
        """Use one thread within; yield how many threads there are at other times."""
        self._enter()
        try:
            yield self._threads
        finally:
            self._leave()

    def _enter(self) -> None:
        with self._lock:
            if self._users == 0:
                self._threads = self._get()
                self._set(1)
            self._users += 1

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            if self._users == 0:
                self._set(self._threads)


def _find_controls() -> tuple[Callable[[], int], Callable[[int], object]]:
    for name in NAMES:
        try:
            library = ctypes.CDLL(_find_numpy())
            return library[name.format("get")], library[name.format("set")]
        except (OSError, AttributeError):
            continue
    return lambda: 1, lambda _: None


def _find_numpy() -> str:
    """Return the file of numpy that is linked to OpenBLAS, through which its names are found."""
    parts: Any = getattr(np, "_core", None) or np.core
    return str(parts._multiarray_umath.__file__)


BLAS = Blas()  # the setting is the whole process's, so there is one

"""The indexes that a process keeps: of the users and sessions asked for last, within a limit."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

MOST_BYTES = 512 * 2**20


class Indexed(Protocol):
    """The index of one user or session."""

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""

    @property
    def exists(self) -> bool:
        """Whether the backend has anything of the user or session."""


T = TypeVar("T", bound=Indexed)


class IndexCache(Generic[T]):
    """Keeps an index for each id until the memory is needed for others.

    Of what the backend does not have no index is kept: anybody can ask for any id.
    """

    def __init__(self, make: Callable[[str], T], most_bytes: int = MOST_BYTES) -> None:
        self._make = make
        self._most_bytes = most_bytes
        self._kept: OrderedDict[str, T] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: str) -> T:
        """Return the index of this id, which may be empty yet; ``weigh`` it after use."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = self._make(key)
            self._kept.move_to_end(key)
            return found

    def renew(self, key: str, index: T) -> T:
        """Return an empty index in place of this one, which those at work with it keep."""
        with self._lock:
            if self._kept.get(key, index) is index:
                self._kept[key] = self._make(key)
            return self._kept[key]

    def weigh(self, key: str, index: T) -> None:
        """Note how large it has become; drop those that were not asked for the longest time."""
        with self._lock:
            if self._kept.setdefault(key, index) is not index:
                return
            if not index.exists:
                self._drop(key)
                return
            size = index.size
            self._total += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while self._total > self._most_bytes and len(self._kept) > 1:
                self._drop(next(iter(self._kept)))

    def _drop(self, key: str) -> None:
        del self._kept[key]
        self._total -= self._sizes.pop(key, 0)

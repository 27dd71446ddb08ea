"""What a process keeps of users and sessions: those asked for last, as many as memory allows."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

MOST_BYTES = 512 * 2**20


class Indexed(Protocol):
    """What is known of one user or session."""

    @property
    def size(self) -> int:
        """The bytes that it takes, roughly."""

    @property
    def exists(self) -> bool:
        """Whether the backend has anything of it."""


T = TypeVar("T", bound=Indexed)


class IndexCache(Generic[T]):
    """Keeps what is known by id until the room is needed for others.

    Nothing is kept of what the backend does not have: anybody can ask for any id.
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
        """What is known under this id, which may be nothing yet; to be weighed after use."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = self._make(key)
            self._kept.move_to_end(key)
            return found

    def renew(self, key: str, known: T) -> T:
        """One that knows nothing yet, in its stead: those at work with it keep what it knows."""
        with self._lock:
            if self._kept.get(key, known) is known:
                self._kept[key] = self._make(key)
            return self._kept[key]

    def weigh(self, key: str, known: T) -> None:
        """Note how large it has become, and put away what nobody has asked for longest."""
        with self._lock:
            if self._kept.setdefault(key, known) is not known:
                return
            if not known.exists:
                self._put_away(key)
                return
            size = known.size
            self._total += size - self._sizes.get(key, 0)
            self._sizes[key] = size
            while self._total > self._most_bytes and len(self._kept) > 1:
                self._put_away(next(iter(self._kept)))

    def _put_away(self, key: str) -> None:
        del self._kept[key]
        self._total -= self._sizes.pop(key, 0)

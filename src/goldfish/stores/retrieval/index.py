"""What a process knows of one user or session, as far as facts and searches share it.

The backend has the truth. For each answer it is asked what has changed since, or whether anything
has; usually it has not. So what any process has written is found by the next call in every other.
"""

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from goldfish.errors import MemoryStoreBackendError

Known = TypeVar("Known")


class ProcessIndex(ABC, Generic[Known]):
    """An index that is brought up to date with a backend; hold ``lock`` to read or change it.

    ``known`` tells how far it is. What can fail is read before anything is changed. Should a change
    break off all the same (memory may run out), it is lost, and ``refuse_lost`` tells those who are
    at work with it: half of what there is would look like all of it.
    """

    subject: ClassVar[str]  # whose index it is

    def __init__(self, unknown: Known) -> None:
        self.lock = threading.RLock()
        self.known = self._unknown = unknown
        self.lost = False
        self.begin_anew()

    @property
    def exists(self) -> bool:
        """Whether the backend has anything of the subject."""
        return self.known != self._unknown

    @abstractmethod
    def begin_anew(self) -> None:
        """Forget all that is indexed."""

    @contextlib.contextmanager
    def changing(self) -> Iterator[None]:
        """Lose the index if the change within breaks off."""
        try:
            yield
        except BaseException:
            self.lose()
            raise

    def lose(self) -> None:
        """Forget all, and tell those who are at work with it."""
        self.lost = True
        self.known = self._unknown
        self.begin_anew()

    def refuse_lost(self) -> None:
        """Raise if what was known is not known any more."""
        if self.lost:
            raise MemoryStoreBackendError(
                f"what this process knew of the {self.subject} was lost while it was brought up to "
                "date: repeat the call"
            )

"""A list of our messages that writes every edit through to a library's own list.

Some libraries hand out the very list that they keep, and whoever edits it edits the memory. An
adapter that translates the messages into a new list would hide that from the checks that edit what
they read.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Self, SupportsIndex, TypeVar

from goldfish.messages import ChatMessage

Theirs = TypeVar("Theirs")


class MirroredList(list[ChatMessage], Generic[Theirs]):
    """Our messages for those in a library's list; each edit is made in that list as well."""

    def __init__(
        self,
        theirs: list[Theirs],
        to_ours: Callable[[Theirs], ChatMessage],
        to_theirs: Callable[[ChatMessage], Theirs],
    ) -> None:
        super().__init__(map(to_ours, theirs))
        self._theirs = theirs
        self._to_theirs = to_theirs
        # By identity: equal messages of ours may be different ones of theirs. The message is
        # kept beside its counterpart, so that no later object gets the same identity.
        self._pairs = {id(ours): (ours, each) for ours, each in zip(self, theirs, strict=True)}

    def append(self, message: ChatMessage, /) -> None:
        super().append(message)
        self._write_through()

    def extend(self, messages: Iterable[ChatMessage], /) -> None:
        super().extend(messages)
        self._write_through()

    def insert(self, index: SupportsIndex, message: ChatMessage, /) -> None:
        super().insert(index, message)
        self._write_through()

    def pop(self, index: SupportsIndex = -1, /) -> ChatMessage:
        message = super().pop(index)
        self._write_through()
        return message

    def remove(self, message: ChatMessage, /) -> None:
        super().remove(message)
        self._write_through()

    def clear(self) -> None:
        super().clear()
        self._write_through()

    def reverse(self) -> None:
        super().reverse()
        self._write_through()

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        super().sort(key=key, reverse=reverse)
        self._write_through()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self._write_through()

    def __delitem__(self, index: SupportsIndex | slice, /) -> None:
        super().__delitem__(index)
        self._write_through()

    def __iadd__(self, messages: Iterable[ChatMessage], /) -> Self:  # type: ignore[misc,override]
        self.extend(messages)
        return self

    def __imul__(self, times: SupportsIndex, /) -> Self:
        super().__imul__(times)
        self._write_through()
        return self

    def _write_through(self) -> None:
        self._theirs[:] = [self._counterpart(each) for each in self]

    def _counterpart(self, message: ChatMessage) -> Theirs:
        if id(message) not in self._pairs:
            self._pairs[id(message)] = (message, self._to_theirs(message))
        return self._pairs[id(message)][1]


def mirror(
    given: Iterable[Theirs],
    to_ours: Callable[[Theirs], ChatMessage],
    to_theirs: Callable[[ChatMessage], Theirs],
) -> list[ChatMessage]:
    """Return our messages for those that a library gave; if it gave a list, edits reach it."""
    if isinstance(given, list):
        return MirroredList(given, to_ours, to_theirs)
    return [to_ours(each) for each in given]

"""The dialect of a memory: how it says what goldfish says otherwise, learnt in an interview."""

import contextlib
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from goldfish.harness.errors import StoreError, name_error
from goldfish.harness.fields import TEXTS
from goldfish.harness.fields import field as read_field
from goldfish.harness.id_forms import IdForm

# What a method answers about something that nobody wrote.
NOTHING: Mapping[str, Any] = {
    **{name: [] for name in ("get_history", "list_facts", "recall", "list_snapshots")},
    **dict.fromkeys(("clear", "forget", "forget_all", "set_ttl", "get_ttl", "get_fact")),
    **dict.fromkeys(("trim", "delete_messages"), 0),
    "get_state": {},
}
TELLING = {"remember": 1, "revise": 2}  # the place of the text among the arguments
SHOWING = {"list_facts", "recall", "get_fact"}
SETTLED = {*SHOWING, "revise", "forget", "forget_all"}  # before which a told fact must be known


@dataclass(frozen=True)
class Dialect:
    """What was learnt of a memory's answers when it was asked alone and quietly.

    ``unknown`` has, by method, the kind of error by which it says that something is not there;
    ``options``, by method, what must be passed to get everything; ``negative_ttl`` says that a time
    left below zero means no deadline, ``zero_last`` that the last 0 messages are all of them, or
    refused, ``folds_facts`` that facts come back in another case or with other spaces, ``settles``
    how many seconds after its telling a fact is known, ``stamps`` the names of what it adds to all
    metadata.
    ``label`` is the parameter by which a caller has to name a snapshot, ``largest`` the length of
    the longest content that no rule refuses, ``unimplemented`` the methods that only raise
    NotImplementedError, which the memory does not have, ``ids`` the form of the ids of sessions
    and users that it takes, where that is not any text, ``newest_first`` the order of its lists of
    snapshots, and ``naive_times`` says that times come back in UTC without saying so.
    ``flat_values`` says that it takes no lists, dicts or None as values, ``most`` has by method
    the highest limit that it takes, ``largest_fact`` is for facts what ``largest`` is for messages.
    """

    unknown: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    negative_ttl: bool = False
    zero_last: bool = False
    folds_facts: bool = False
    settles: float = 0.0
    stamps: Sequence[str] = ()
    label: str = ""
    largest: int | None = None
    largest_fact: int | None = None
    unimplemented: Sequence[str] = ()
    ids: IdForm = ""
    newest_first: bool = False
    naive_times: bool = False
    flat_values: bool = False
    most: Mapping[str, int] = field(default_factory=dict)

    def complete(self, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of a call, with those that ask for everything."""
        if method == "save_snapshot" and self.label:
            options = {self.label: f"goldfish-{uuid4().hex[:12]}", **options}
        options = {**self.options.get(method, {}), **options}
        if method in self.most and isinstance(options.get("limit"), int):
            options["limit"] = min(options["limit"], self.most[method])
        return options

    def is_nothing(self, method: str, options: Mapping[str, Any]) -> bool:
        """Return True if a call asks for nothing, and the memory has another idea of it."""
        return self.zero_last and method == "get_history" and options.get("last") == 0

    def excuse(self, error: StoreError) -> Any:
        """Return the answer that an error stands for; raise the error if it stands for none."""
        if self.unknown.get(error.method) != name_error(error.error):
            raise error
        return copy(NOTHING[error.method])

    def read_time_left(self, answer: Any) -> Any:
        """Return a time left as seconds, and None where there is no deadline."""
        left = answer.total_seconds() if isinstance(answer, timedelta) else answer
        is_none = self.negative_ttl and isinstance(left, int | float) and left < 0
        return None if is_none else left

    def restore_messages(self, messages: Sequence[Any]) -> Sequence[Any]:
        """Return messages with times that say their zone."""
        if not self.naive_times:
            return messages
        times = [read_naive(read_field(each, "created_at")) for each in messages]
        return [
            restore(each, {"created_at": moment}) if moment else each
            for each, moment in zip(messages, times, strict=True)
        ]


def read_naive(found: Any) -> datetime | None:
    """Return a time without a zone as one in UTC; None if it has one, or is no time."""
    if isinstance(found, str):
        with contextlib.suppress(ValueError):
            found = datetime.fromisoformat(found)
    is_naive = isinstance(found, datetime) and found.tzinfo is None
    return found.replace(tzinfo=UTC) if is_naive else None


class Restored:
    """An object of a library's own, with some of its fields as they were given."""

    def __init__(self, item: Any, **fields: Any) -> None:
        self._item = item
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._item, name)


def restore(item: Any, fields: Mapping[str, Any]) -> Any:
    """Return a dict or an object of a library's own with these fields as they were given."""
    return {**item, **fields} if isinstance(item, Mapping) else Restored(item, **fields)


def fold(text: Any) -> str:
    """Return a text without what a memory may change: case, spaces, a full stop at the end."""
    return " ".join(str(text).casefold().split()).removesuffix(".")


def unfold(item: Any, told: Mapping[str, str]) -> Any:
    """Return a fact, or a list of them, with each text as it was told."""
    if isinstance(item, str):
        return told.get(fold(item), item)
    if isinstance(item, list | tuple):
        return [unfold(each, told) for each in item]
    if isinstance(item, Mapping):
        return {
            key: unfold(value, told) if key in {*TEXTS, "fact"} else value
            for key, value in item.items()
        }
    named = {name: getattr(item, name, None) for name in TEXTS}
    texts = {
        name: told.get(fold(each), each) for name, each in named.items() if isinstance(each, str)
    }
    return Restored(item, **texts) if texts else item


def remove_stamps(item: Any, stamps: Sequence[str], others: Collection[str] = ()) -> Any:
    """Return a message or a fact, or a list of them, with its metadata as they were given.

    A stamp that names one of the others stays: whose memory it is has no business with them.
    """
    if isinstance(item, list | tuple):
        return [remove_stamps(each, stamps, others) for each in item]
    if isinstance(item, Mapping):
        return {key: _restore(key, value, stamps, others) for key, value in item.items()}
    found = {key: getattr(item, key, None) for key in ("metadata", "fact", "message")}
    fields = {key: _restore(key, value, stamps, others) for key, value in found.items() if value}
    return Restored(item, **fields) if fields else item


def _restore(key: str, value: Any, stamps: Sequence[str], others: Collection[str]) -> Any:
    if key in {"fact", "message"}:
        return remove_stamps(value, stamps, others)
    if key != "metadata" or not isinstance(value, Mapping):
        return value
    return {
        name: each
        for name, each in value.items()
        if name not in stamps or (isinstance(each, str) and each in others)
    }

"""What a check said itself, to tell it from an agent's own replies and to count it by session."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from goldfish.harness.answers import simplify
from goldfish.harness.dialect import (
    SETTLED,
    SHOWING,
    TELLING,
    Dialect,
    fold,
    remove_stamps,
    restore,
    unfold,
)
from goldfish.harness.errors import StoreError
from goldfish.harness.fields import field, names_in
from goldfish.harness.flat import flatten, unflatten
from goldfish.harness.id_forms import PARAMETERS, Ids
from goldfish.harness.patience import is_second_try

Ask = Callable[[tuple[Any, ...], dict[str, Any]], Awaitable[Any]]
# Other libraries' words for our roles.
ROLES = {"human": "user", "ai": "assistant", "model": "assistant"}
ADDRESSED = {"add_messages", *TELLING}  # to a session or a user, who is their first argument
LONGER = 5  # times as long a told fact is waited for when a check is tried again


class Transcript:
    """What was said to one storage; ``answers`` says that an agent writes replies in between.

    The replies are then left out of a history that is read: all that is not the user's, and was
    not said by the check in that role. What the user said and came back changed stays.
    """

    answers = False
    dialect = Dialect()
    _told_at = 0.0  # when a fact was told, or may have been taken up, last; a monotonic time

    def __init__(self, family: "Transcript | None" = None) -> None:
        self._numbers: count[int] = family._numbers if family else count()
        self._said: set[tuple[str, str]] = family._said if family else set()
        self._given: Counter[tuple[int, str]] = family._given if family else Counter()
        self._told: dict[str, str] = family._told if family else {}  # facts, by their folded texts
        self._owners: set[str] = family._owners if family else set()  # sessions and users
        self._ids: Ids = family._ids if family else Ids()
        self._number = next(self._numbers)
        if family:
            self.answers, self.dialect = family.answers, family.dialect

    @property
    def longest(self) -> int:
        """The number of messages that the longest session was given, in any storage."""
        return max(self._given.values(), default=0)

    async def exchange(
        self, method: str, arguments: Sequence[Any], options: dict[str, Any], ask: Ask
    ) -> Any:
        """Put a call in the memory's dialect, and return the answer in our words."""
        self.note(method, arguments)
        others = self._owners.difference(each for each in arguments if isinstance(each, str))
        if self.dialect.is_nothing(method, options):
            return []
        if method in SETTLED:
            settles = self.dialect.settles * (LONGER if is_second_try.get() else 1)
            await asyncio.sleep(self._told_at + settles - time.monotonic())
        options = self.dialect.complete(method, options)
        form = self.dialect.ids
        arguments = self._ids.put(form, method, arguments)
        if method == "set_state" and self.dialect.flat_values:
            arguments = (arguments[0], flatten(arguments[1]), *arguments[2:])
        options |= {name: self._ids.give(form, options[name]) for name in PARAMETERS & {*options}}
        try:
            answer = simplify(method, await ask(arguments, options))
        except StoreError as error:
            return self.dialect.excuse(error)
        finally:
            if method in TELLING:
                self._told_at = time.monotonic()
        if method == "save_snapshot" and answer is None:
            return options.get(self.dialect.label)
        return self.understand(method, answer, others)

    def find_id(self, name: str) -> Any:
        """Return the id by which the memory knows a session or a user."""
        return self._ids.give(self.dialect.ids, name)

    def note_opening(self) -> None:
        """Remember that what was told before may be taken up only now, by a new opening."""
        if self._told_at:
            self._told_at = time.monotonic()

    def note(self, method: str, arguments: Sequence[Any]) -> None:
        """Remember what is said by this call, if anything is."""
        if method in ADDRESSED and isinstance(arguments[0], str):
            self._owners.add(arguments[0])
        if method in TELLING and self.dialect.folds_facts:
            text = str(arguments[TELLING[method]])
            self._told[fold(text)] = text
        if method != "add_messages" or not isinstance(arguments[-1], list | tuple):
            return
        self._given[self._number, str(arguments[0])] += len(arguments[-1])
        if self.answers:
            self._said |= {
                _make_key(each, role) for each in arguments[-1] for role in ("", _read_role(each))
            }

    def understand(self, method: str, result: Any, others: Collection[str] = ()) -> Any:
        """Return what the call returned in our words, without replies if it is a history.

        ``others`` are sessions and users that were not asked about.
        """
        if method == "list_sessions":
            names = names_in(result)
            return [self._ids.name(each) for each in names] if self.dialect.ids else names
        if method == "search_history" and self.dialect.ids and isinstance(result, list | tuple):
            result = [self._rename_session(each) for each in result]
        if method == "get_ttl":
            return self.dialect.read_time_left(result)
        if method == "get_state" and self.dialect.flat_values:
            return unflatten(result)
        if method == "list_snapshots" and self.dialect.newest_first and isinstance(result, list):
            result = result[::-1]
        if method == "get_history" and isinstance(result, list | tuple):
            result = self.dialect.restore_messages(result)
        if self.dialect.stamps and method in {"get_history", "search_history", *SHOWING}:
            result = remove_stamps(result, self.dialect.stamps, others)
        if method in SHOWING and self.dialect.folds_facts:
            return unfold(result, self._told)
        if method != "get_history" or not self.answers or not isinstance(result, list | tuple):
            return result
        kept = [each for each in result if not self._is_reply(each)]
        return result if len(kept) == len(result) else kept

    def _rename_session(self, found: Any) -> Any:
        """Return what was found with the name of its session, where it has its id."""
        fields = {"session_id": self._ids.name(field(found, "session_id"))}
        return restore(found, fields)

    @contextmanager
    def with_replies(self) -> Iterator[None]:
        """Leave nothing out while the block runs."""
        answers, self.answers = self.answers, False
        try:
            yield
        finally:
            self.answers = answers

    def _is_reply(self, message: Any) -> bool:
        role = _read_role(message)
        return role != "user" and _make_key(message, role) not in self._said


def _read_role(message: Any) -> str:
    """Return the role in our words; empty if the message has none."""
    named = [_read_field(message, name) for name in ("role", "type")]
    role = next((each for each in named if isinstance(each, str)), "")
    return ROLES.get(role, role)


def _make_key(message: Any, role: str) -> tuple[str, str]:
    return role, repr(_read_field(message, "content"))


def _read_field(message: Any, name: str) -> Any:
    if isinstance(message, Mapping):
        return message.get(name)
    return getattr(message, name, None)

"""The small print of a store as a plain Python object: what every call must answer.

Methods are named like those of a store and raise what a store raises. What a store makes up
itself, ids and times, stands here as ``Made`` and ``Moment``; what nobody can foretell exactly,
as the bounds that it keeps. Time does not pass: a deadline is the seconds that were set, and
``expire`` lets it come.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from goldfish.errors import FactNotFound, MemoryStoreError, SnapshotNotFound, UnstorableError
from goldfish.messages import ChatMessage
from goldfish.model.answers import (
    FactSeen,
    Left,
    Made,
    Moment,
    Opening,
    Ranked,
    SnapshotSeen,
    Unsure,
)
from goldfish.model.filters import passes
from goldfish.model.traits import Traits

# Which messages of a history a trim with these options removes.
Policy = Callable[[Sequence[ChatMessage], Mapping[str, Any]], Sequence[ChatMessage]]


@dataclass
class Session:
    """What a session holds."""

    messages: dict[str, ChatMessage] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)
    ttl: float | Unsure | None = None
    forked_by: tuple[str, Made | str, str] | None = None  # session, snapshot and key
    trimmed: dict[str, ChatMessage] = field(default_factory=dict)  # which searches still find

    @property
    def empty(self) -> bool:
        return not self.messages and not self.state


@dataclass(frozen=True)
class Saved:
    """A snapshot with what it holds."""

    seen: SnapshotSeen
    key: str | None
    messages: dict[str, ChatMessage]
    state: dict[str, Any]
    ttl: float | Unsure | None


@dataclass
class Known:
    """A fact, what it said before, and the keys of the calls that made it what it is."""

    seen: FactSeen
    past: list[FactSeen] = field(default_factory=list)
    calls: set[tuple[str, ...]] = field(default_factory=set)


def choose_oldest(history: Sequence[ChatMessage], limits: Mapping[str, Any]) -> list[ChatMessage]:
    """Return what trimming to the newest messages removes; other limits are not understood."""
    if set(limits) != {"keep_last"}:
        raise NotImplementedError
    return list(history[: max(0, len(history) - _natural(limits["keep_last"]))])


class Model:
    """A memory that holds to the small print, asked through one opening after the other.

    It decides by its traits what a memory may decide, and by its policy what a trim removes.
    """

    def __init__(self, traits: Traits | None = None, policy: Policy = choose_oldest) -> None:
        self.opening = Opening()
        self.traits = traits or Traits()
        self._policy = policy
        self.made: dict[str, dict[Made, str]] = {"snapshot": {}, "fact": {}}  # and of whom
        self._sessions: defaultdict[str, Session] = defaultdict(Session)
        self._snapshots: defaultdict[str, dict[Made | str, Saved]] = defaultdict(dict)
        self._user_states: defaultdict[str, dict[str, Any]] = defaultdict(dict)
        self._facts: defaultdict[str, dict[Made | str, Known]] = defaultdict(dict)
        self._now = 0

    # Messages

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """An id that the session has is left as it is; a known id is a write all the same."""
        for message in messages:
            _refuse_unstorable(message.metadata)
        if len({message.id for message in messages}) < len(messages):
            raise UnstorableError
        session = self._sessions[session_id]
        for message in messages:
            if message.id not in session.messages:
                session.messages[message.id] = message
                session.trimmed.pop(message.id, None)
        if messages:
            self._renew(session)

    def get_history(self, session_id: str, *, last: int | None = None) -> list[ChatMessage]:
        history = list(self._sessions[session_id].messages.values())
        return history if last is None else history[max(0, len(history) - _natural(last)) :]

    def trim(self, session_id: str, **limits: Any) -> int:
        """Which messages go is decided by the policy."""
        session = self._sessions[session_id]
        removed = list(self._policy(list(session.messages.values()), limits))
        for message in removed:
            del session.messages[message.id]
            if self.opening.keep_trimmed:
                session.trimmed[message.id] = message
        self._doubt_deadline(session)
        return len(removed)

    def delete_messages(self, session_id: str, ids: Sequence[str]) -> int:
        session = self._sessions[session_id]
        for key in ids:
            session.trimmed.pop(key, None)
        removed = sum(session.messages.pop(key, None) is not None for key in ids)
        self._doubt_deadline(session)
        return removed

    def clear(self, session_id: str, *, snapshots: bool = False) -> None:
        self._empty(session_id, keep_state=not self.traits.clear_takes_state)
        if snapshots or self.traits.clear_takes_snapshots:
            self._snapshots.pop(session_id, None)

    def clear_all(self) -> None:
        for session_id in list(self._sessions):
            self._empty(session_id, keep_state=not self.traits.clear_all_takes_state)
        if self.traits.clear_all_takes_snapshots:
            self._snapshots.clear()
        if self.traits.clear_all_takes_state:
            self._user_states.clear()
        if self.traits.clear_all_takes_facts:
            self._facts.clear()

    def list_sessions(self, prefix: str = "") -> list[str]:
        found = (key for key, session in self._sessions.items() if session.messages)
        return sorted(key for key in found if key.startswith(prefix))

    def search_history(self, session_ids: Sequence[str], query: str, *, limit: int) -> Ranked:
        """What has a word of the question is found; so may be what stands beside it."""
        _natural(limit)
        if not self.opening.search:
            raise MemoryStoreError
        may = [
            (key, message)
            for key in session_ids
            for message in {**self._sessions[key].trimmed, **self._sessions[key].messages}.values()
        ]
        must = [(key, message) for key, message in may if query in str(message.content).split()]
        return Ranked(must, may, limit)

    # Expiry

    def set_ttl(self, session_id: str, seconds: float | None) -> None:
        """Of a session that holds nothing there is nothing to expire."""
        if seconds is not None and seconds < 0:
            raise ValueError
        session = self._sessions[session_id]
        if seconds == 0:
            self.clear(session_id)
        elif not session.empty:
            session.ttl = seconds
        if seconds is not None:
            self._doubt_deadline(session, always=True)

    def expire(self, session_id: str) -> None:
        """Set a deadline, and let it come."""
        if not self._sessions[session_id].empty:
            self.clear(session_id)

    def get_ttl(self, session_id: str) -> Left | Unsure | None:
        seconds = self._sessions[session_id].ttl
        return Left(seconds) if isinstance(seconds, int | float) else seconds

    # Snapshots

    def save_snapshot(
        self, session_id: str, *, label: str | None = None, key: str | None = None
    ) -> Made:
        """A session and a key have one snapshot, under one id."""
        number = len(self.made["snapshot"])
        made = Made(f"snapshot {number}" if key is None else f"snapshot {session_id!r} {key!r}")
        if made not in self._snapshots[session_id]:
            session = self._sessions[session_id]
            seen = SnapshotSeen(made, session_id, label, self._tick(), len(session.messages))
            saved = Saved(seen, key, dict(session.messages), dict(session.state), session.ttl)
            self._snapshots[session_id][made] = saved
            self.made["snapshot"][made] = session_id
        return made

    def rollback_to_snapshot(self, session_id: str, snapshot_id: Made | str) -> None:
        """The key of a fork stays with its session."""
        saved = self._saved(session_id, snapshot_id)
        self._restore(session_id, saved, self._sessions[session_id].forked_by)
        if not self.traits.later_snapshots_stay:
            names = list(self._snapshots[session_id])
            for name in names[names.index(snapshot_id) + 1 :]:
                del self._snapshots[session_id][name]

    def list_snapshots(self, session_id: str) -> list[SnapshotSeen]:
        return [saved.seen for saved in self._snapshots[session_id].values()]

    def delete_snapshot(self, session_id: str, snapshot_id: Made | str) -> None:
        self._snapshots[session_id].pop(snapshot_id, None)

    def fork(
        self,
        session_id: str,
        snapshot_id: Made | str,
        new_session_id: str,
        *,
        key: str | None = None,
    ) -> None:
        """Repeated with its key it is done already, whatever became of the snapshot."""
        call = None if key is None else (session_id, snapshot_id, key)
        target = self._sessions[new_session_id]
        if call is not None and target.forked_by == call:
            return
        saved = self._saved(session_id, snapshot_id)
        if not target.empty:
            raise MemoryStoreError
        self._restore(new_session_id, saved, call)

    # State

    def set_state(
        self, session_id: str, values: Mapping[str, Any], *, user_id: str | None = None
    ) -> None:
        _refuse_unstorable(values)
        if user_id is not None:
            self._user_states[user_id].update(values)
        elif values:
            self._sessions[session_id].state.update(values)
            self._renew(self._sessions[session_id])

    def get_state(self, session_id: str, *, user_id: str | None = None) -> dict[str, Any]:
        if user_id is None:
            return dict(self._sessions[session_id].state)
        return dict(self._user_states[user_id])

    # Facts

    def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        key: str | None = None,
    ) -> FactSeen:
        _refuse_silence(text)
        if ttl is not None and ttl <= 0:
            raise ValueError
        _refuse_unstorable(metadata or {})
        call = None if key is None else ("remember", key)
        known = self._called(user_id, call)
        if known is None:
            known = self._saying(user_id, text) if self.traits.equal_facts_are_one else None
            if known is None:
                known = self._new_fact(user_id, text, metadata or {})
            else:
                known.seen = replace(known.seen, times_seen=known.seen.times_seen + 1)
            known.calls.update([call] if call else [])
        return self._shown(user_id, known)

    def remember_briefly(self, user_id: str, text: str, *, key: str | None = None) -> FactSeen:
        """Remember with a deadline, and let it come; a fact that lives longer stays."""
        lives_on = self._called(user_id, None if key is None else ("remember", key))
        lives_on = lives_on or self._saying(user_id, text)
        seen = self.remember(user_id, text, key=key)
        if lives_on is None:
            self.forget(user_id, seen.id)
        return seen

    def revise(
        self, user_id: str, fact_id: Made | str, text: str, *, key: str | None = None
    ) -> FactSeen:
        _refuse_silence(text)
        known = self._facts[user_id].get(fact_id)
        if known is None:
            raise FactNotFound
        call = None if key is None else ("revise", key)
        if call is None or call not in known.calls:
            if self.traits.equal_facts_are_one and self._saying(user_id, text) not in (None, known):
                raise MemoryStoreError
            known.past.append(replace(known.seen, times_seen=1))
            known.seen = replace(known.seen, text=text, updated_at=self._tick())
            known.calls.update([call] if call else [])
        return self._shown(user_id, known)

    def forget(self, user_id: str, fact_id: Made | str) -> None:
        self._facts[user_id].pop(fact_id, None)

    def forget_all(self, user_id: str) -> None:
        self._facts.pop(user_id, None)

    def get_fact(self, user_id: str, fact_id: Made | str) -> FactSeen | None:
        known = self._facts[user_id].get(fact_id)
        return None if known is None else self._shown(user_id, known)

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name of the store's
    ) -> list[FactSeen]:
        end = None if limit is None else _natural(offset) + _natural(limit)
        return self._passing(user_id, filter)[_natural(offset) : end]

    def fact_history(self, user_id: str, fact_id: Made | str) -> list[FactSeen]:
        known = self._facts[user_id].get(fact_id)
        return [] if known is None else list(known.past)

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name of the store's
    ) -> Ranked:
        """All that passes the filter is recalled, page by page."""
        may = self._passing(user_id, filter)
        must = [] if _natural(offset) else may
        return Ranked(must, may, min(_natural(limit), max(0, len(may) - offset)))

    def facts_of(self, user_id: str) -> list[Made | str]:
        """The ids of all facts of the user."""
        return list(self._facts[user_id])

    def _empty(self, session_id: str, *, keep_state: bool) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None and session.state and keep_state:
            self._sessions[session_id].state = session.state

    def _doubt_deadline(self, session: Session, *, always: bool = False) -> None:
        """Note that a memory may keep or drop the deadline of a session without messages."""
        lone = not session.messages and not self.traits.empty_sessions_keep_deadlines
        if lone and (always or session.ttl is not None):
            session.ttl = Unsure()

    def _renew(self, session: Session) -> None:
        if self.opening.ttl is not None:
            session.ttl = self.opening.ttl

    def _saved(self, session_id: str, snapshot_id: Made | str) -> Saved:
        if snapshot_id not in self._snapshots[session_id]:
            raise SnapshotNotFound
        return self._snapshots[session_id][snapshot_id]

    def _restore(
        self, session_id: str, saved: Saved, forked_by: tuple[str, Made | str, str] | None
    ) -> None:
        """What was trimmed and kept for searches stays to be found, unless it is back."""
        before = self._sessions[session_id]
        kept = before.trimmed.items()
        trimmed = {key: message for key, message in kept if key not in saved.messages}
        state = saved.state if self.traits.snapshots_hold_state else before.state
        restored = Session(dict(saved.messages), dict(state), saved.ttl, forked_by, trimmed)
        if not self.traits.snapshots_hold_deadlines:
            restored.ttl = None if before.ttl is saved.ttl is None else Unsure()
        self._doubt_deadline(restored)
        self._sessions[session_id] = restored

    def _tick(self) -> Moment:
        self._now += 1
        return Moment(self._now)

    def _new_fact(self, user_id: str, text: str, metadata: Mapping[str, Any]) -> Known:
        made, now = Made(f"fact {len(self.made['fact'])}"), self._tick()
        self.made["fact"][made] = user_id
        known = self._facts[user_id][made] = Known(
            FactSeen(made, user_id, text, metadata, created_at=now, updated_at=now)
        )
        return known

    def _called(self, user_id: str, call: tuple[str, ...] | None) -> Known | None:
        facts = self._facts[user_id].values()
        return next((known for known in facts if call in known.calls), None)

    def _saying(self, user_id: str, text: str) -> Known | None:
        facts = self._facts[user_id].values()
        return next((known for known in facts if _plain(known.seen.text) == _plain(text)), None)

    def _shown(self, user_id: str, known: Known) -> FactSeen:
        others = self._facts[user_id].keys() - {known.seen.id}
        return replace(
            known.seen, may_be_near=frozenset(key for key in others if isinstance(key, Made))
        )

    def _passing(self, user_id: str, wanted: Mapping[str, Any] | None) -> list[FactSeen]:
        facts = self._facts[user_id].values()
        return [
            self._shown(user_id, known)
            for known in facts
            if passes(known.seen.metadata, wanted or {})
        ]


def _plain(text: str) -> str:
    """A fact as it is compared, by the words of the small print."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split()).removesuffix(".").rstrip()


def _natural(number: int) -> int:
    if number < 0:
        raise ValueError
    return number


def _refuse_silence(text: str) -> None:
    if not text.strip():
        raise ValueError


def _refuse_unstorable(value: Any) -> None:
    """JSON gives back text, numbers, lists and dicts with text as keys, and nothing else."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise UnstorableError
            _refuse_unstorable(item)
    elif isinstance(value, list):
        for item in value:
            _refuse_unstorable(item)
    elif not (value is None or isinstance(value, str | int | float)):
        raise UnstorableError

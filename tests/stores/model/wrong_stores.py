"""Stores that are wrong in one way each, kept to prove that the model finds it."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from goldfish import ChatMessage, Fact, InMemoryStore, Recollection
from goldfish.stores.base import Forked, Row
from goldfish.stores.memory.facts import MemoryFacts
from goldfish.stores.search.backend import Embedded


class ClearAllKeepsDeadlines(InMemoryStore):
    """A session that was cleared with all others still expires when it would have."""

    async def _clear_all(self) -> None:
        deadlines = {key: session.deadline for key, session in self._by_id.items()}
        await super()._clear_all()
        for key, deadline in deadlines.items():
            self._find_or_begin(key).deadline = deadline


class ClearAllForgetsFacts(InMemoryStore):
    """Clearing sessions removes what is known of users."""

    async def _clear_all(self) -> None:
        await super()._clear_all()
        self._kept_facts = MemoryFacts()
        self._fact_engine = None


class RetryAppendsTwice(InMemoryStore):
    """A message that is sent again is there twice."""

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        known = self._find_or_begin(session_id).bodies
        again = [(f"{key} again" if key in known else key, body) for key, body in rows]
        await super()._append(session_id, again)


class RetryReplaces(InMemoryStore):
    """A message that is sent again takes the place of the first."""

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        await super()._append(session_id, rows)
        self._find_or_begin(session_id).own_bodies().update(rows)


class RetryDoesNotRenew(InMemoryStore):
    """A batch of nothing new is no write, and lets the session expire."""

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        if not dict(rows).keys() <= self._find_or_begin(session_id).bodies.keys():
            await super()._append(session_id, rows)


class ReadingRenews(InMemoryStore):
    """A session that is read lives longer."""

    async def _read(self, session_id: str, last: int | None) -> Sequence[str]:
        session = self._find(session_id)
        if session is not None and self._ttl is not None:
            session.deadline = time.monotonic() + self._ttl
        return await super()._read(session_id, last)


class TrimDropsDeadline(InMemoryStore):
    """A session that was trimmed never expires."""

    async def _keep_last(self, session_id: str, keep: int) -> int:
        removed = await super()._keep_last(session_id, keep)
        if removed:
            self._find_or_begin(session_id).deadline = None
        return removed


class DeleteCountsTheUnknown(InMemoryStore):
    """Deleting answers how many messages were named, not how many there were."""

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        await super()._remove(session_id, ids)
        return len(ids)


class NamesEndAtNul(InMemoryStore):
    """Two sessions whose names are the same up to a NUL are one."""

    async def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        """Add to the session of the first part of the name."""
        await super().add_messages(session_id.partition("\0")[0] or session_id, messages)


class RollbackForgetsState(InMemoryStore):
    """Rolling back restores the messages alone."""

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        done = await super()._rollback(session_id, snapshot_id)
        if done:
            self._find_or_begin(session_id).state = {}
        return done


class RollbackDropsLaterSnapshots(InMemoryStore):
    """Rolling back removes the snapshots that were saved since."""

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        done = await super()._rollback(session_id, snapshot_id)
        saved = self._saved.get(session_id, {})
        for key in list(saved)[list(saved).index(snapshot_id) + 1 :] if done else []:
            del saved[key]
        return done


class ForkLosesDeadline(InMemoryStore):
    """A session that was forked never expires."""

    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        forked = await super()._fork(session_id, snapshot_id, new_session_id, token)
        if forked == "done":
            self._find_or_begin(new_session_id).deadline = None
        return forked


class ExpiryTakesSnapshots(InMemoryStore):
    """What was saved of a session is gone when it expires."""

    def _find(self, session_id: str) -> Any:
        before = set(self._by_id)
        session = super()._find(session_id)
        for key in before - self._by_id.keys():
            self._saved.pop(key, None)
        return session


class ForgottenIsRecalled(InMemoryStore):
    """What was forgotten is not listed any more, but recalled."""

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Keep the fact for those who ask."""
        fact = await self.get_fact(user_id, fact_id)
        if fact is not None:
            self.__dict__.setdefault("forgotten", []).append(fact)
        await super().forget(user_id, fact_id)

    async def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name of the store's
    ) -> list[Recollection]:
        """Recall what is forgotten, after all else."""
        found = await super().recall(user_id, query, limit=limit, offset=offset, filter=filter)
        forgotten = [Recollection(fact=fact) for fact in self.__dict__.get("forgotten", [])]
        return [*found, *forgotten][:limit]


class RevisionHasNoPast(InMemoryStore):
    """What a fact said before is lost."""

    async def fact_history(self, user_id: str, fact_id: str) -> list[Fact]:
        """Know nothing of the past."""
        return []


class PageBeforeFilter(InMemoryStore):
    """A page of facts is cut before it is filtered."""

    async def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name of the store's
    ) -> list[Fact]:
        """Filter what is left of the page."""
        page = await super().list_facts(user_id, limit=limit, offset=offset)
        passing = {fact.id for fact in await super().list_facts(user_id, filter=filter)}
        return [fact for fact in page if fact.id in passing]


class SnapshotIgnoresKey(InMemoryStore):
    """A snapshot that is saved again with its key is another one."""

    async def save_snapshot(
        self, session_id: str, *, label: str | None = None, key: str | None = None
    ) -> str:
        """Save a new one each time."""
        return await super().save_snapshot(session_id, label=label)


class RememberIgnoresKey(InMemoryStore):
    """A fact that is told again with its key counts twice."""

    async def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        key: str | None = None,
    ) -> Fact:
        """Count every call."""
        return await super().remember(user_id, text, metadata=metadata, ttl=ttl)


class KeyOutlivesItsFact(InMemoryStore):
    """A fact cannot be told again with a key that it was told with before it was forgotten."""

    async def remember(
        self,
        user_id: str,
        text: str,
        *,
        metadata: Mapping[str, Any] | None = None,
        ttl: float | None = None,
        key: str | None = None,
    ) -> Fact:
        """Answer what was answered to this key, for ever."""
        told: dict[tuple[str, str | None], Fact] = self.__dict__.setdefault("told", {})
        if key is None or (user_id, key) not in told:
            fact = await super().remember(user_id, text, metadata=metadata, ttl=ttl, key=key)
            told[user_id, key] = fact
            return fact
        return await self.get_fact(user_id, told[user_id, key].id) or told[user_id, key]


WRONG: list[type[InMemoryStore]] = [
    *(ClearAllKeepsDeadlines, ClearAllForgetsFacts, ExpiryTakesSnapshots, ReadingRenews),
    *(RetryAppendsTwice, RetryReplaces, RetryDoesNotRenew, TrimDropsDeadline, NamesEndAtNul),
    *(DeleteCountsTheUnknown, RollbackForgetsState, RollbackDropsLaterSnapshots, ForkLosesDeadline),
    *(ForgottenIsRecalled, RevisionHasNoPast, PageBeforeFilter, SnapshotIgnoresKey),
    *(RememberIgnoresKey, KeyOutlivesItsFact),
]

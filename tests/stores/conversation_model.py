"""A memory with snapshots as plain Python lists, and a random walk that holds a store to it."""

import asyncio
import random
from dataclasses import dataclass, field

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.stores.base import BaseStore

SESSIONS = ["s", "t"]
HOUR = 3600.0


@dataclass
class State:
    """What a session holds, and the hours that it has left."""

    messages: list[ChatMessage] = field(default_factory=list)
    hours: int | None = None

    def copy(self) -> "State":
        return State(list(self.messages), self.hours)


@dataclass
class Saved:
    """A snapshot as the model keeps it: a copy."""

    id: str
    label: str | None
    state: State


class Walk:
    """Random calls of a store, each followed by a comparison with the model."""

    def __init__(self, store: BaseStore, seed: int) -> None:
        self.store = store
        self.random = random.Random(seed)
        self.states = {session: State() for session in SESSIONS}
        self.saved: dict[str, list[Saved]] = {session: [] for session in SESSIONS}
        self.removed: list[ChatMessage] = []  # whose ids may be added again
        self.count = 0
        self.steps: list[str] = []

    async def step(self) -> None:
        """One call, and a look at all that may be seen."""
        verbs = {
            self.add: 9,
            self.add_again: 3,
            self.trim: 3,
            self.delete: 4,
            self.save: 6,
            self.rollback: 6,
            self.set_deadline: 3,
            self.expire: 1,
            self.clear: 1,
            self.delete_snapshot: 3,
            self.fork: 1,
            self.clear_all: 0.15,
        }
        (verb,) = self.random.choices(list(verbs), list(verbs.values()))
        session = self.random.choice(SESSIONS)
        self.steps.append(f"{verb.__name__} {session}")
        await verb(session)
        await self.compare()

    async def add(self, session: str) -> None:
        batch = [self._message() for _ in range(self.random.randint(1, 4))]
        await self.store.add_messages(session, batch)
        self.states[session].messages += batch

    async def add_again(self, session: str) -> None:
        """Ids that were there once, and may be there now: the former count, the latter do not."""
        present = self.states[session].messages
        known = {message.id: message for message in (*self.removed, *present)}
        batch = self.random.sample(list(known.values()), min(3, len(known)))
        fresh = [message for message in batch if message.id not in {m.id for m in present}]
        await self.store.add_messages(session, batch)
        self.states[session].messages = present + fresh

    async def trim(self, session: str) -> None:
        keep = self.random.randint(0, 12)
        messages = self.states[session].messages
        surplus = max(0, len(messages) - keep)
        assert await self.store.trim(session, keep_last=keep) == surplus
        self.removed += messages[:surplus]
        del messages[:surplus]

    async def delete(self, session: str) -> None:
        messages = self.states[session].messages
        doomed = self.random.sample(messages, min(len(messages), self.random.randint(1, 4)))
        ids = {message.id for message in doomed}
        assert await self.store.delete_messages(session, [*ids, "unknown"]) == len(ids)
        self.removed += doomed
        self.states[session].messages = [m for m in messages if m.id not in ids]

    async def save(self, session: str) -> None:
        label = self.random.choice([None, "", "before \0 the\ud800 edit"])
        snapshot = await self.store.save_snapshot(session, label=label)
        self.saved[session].append(Saved(snapshot, label, self.states[session].copy()))

    async def rollback(self, session: str) -> None:
        if not self.saved[session]:
            with pytest.raises(goldfish.SnapshotNotFound):
                await self.store.rollback_to_snapshot(session, self._foreign(session))
            return
        saved = self.random.choice(self.saved[session])
        await self.store.rollback_to_snapshot(session, saved.id)
        self.removed += self.states[session].messages
        self.states[session] = saved.state.copy()

    async def set_deadline(self, session: str) -> None:
        hours = self.random.choice([None, 1, 2, 3])
        await self.store.set_ttl(session, None if hours is None else hours * HOUR)
        if self.states[session].messages:
            self.states[session].hours = hours

    async def expire(self, session: str) -> None:
        await self.store.set_ttl(session, 0.002)
        if self.states[session].messages:
            await asyncio.sleep(0.01)
            self._empty(session)

    async def clear(self, session: str) -> None:
        with_snapshots = self.random.random() < 0.2
        await self.store.clear(session, snapshots=with_snapshots)
        self._empty(session)
        if with_snapshots:
            self.saved[session] = []

    async def delete_snapshot(self, session: str) -> None:
        await self.store.delete_snapshot(session, self._foreign(session))
        if self.saved[session]:
            saved = self.random.choice(self.saved[session])
            await self.store.delete_snapshot(session, saved.id)
            self.saved[session].remove(saved)

    async def fork(self, session: str) -> None:
        if not self.saved[session]:
            return
        saved = self.random.choice(self.saved[session])
        target = self.random.choice(SESSIONS)
        if self.states[target].messages:
            with pytest.raises(goldfish.MemoryStoreError, match="clear it first"):
                await self.store.fork(session, saved.id, target)
        else:
            await self.store.fork(session, saved.id, target)
            self.states[target] = saved.state.copy()

    async def clear_all(self, _: str) -> None:
        await self.store.clear_all()
        for session in SESSIONS:
            self._empty(session)
            self.saved[session] = []

    async def compare(self) -> None:
        """The store shows what the model has: histories, deadlines, listings."""
        for session, state in self.states.items():
            assert await self.store.get_history(session) == state.messages, self.steps
            left = await self.store.get_ttl(session)
            hours = None if left is None else round(left / HOUR)
            assert hours == state.hours, self.steps
            found = await self.store.list_snapshots(session)
            shown = [(each.id, each.label, each.message_count) for each in found]
            expected = [(e.id, e.label, len(e.state.messages)) for e in self.saved[session]]
            assert shown == expected, self.steps
        listed = [session for session in SESSIONS if self.states[session].messages]
        assert await self.store.list_sessions() == listed, self.steps

    def _message(self) -> ChatMessage:
        self.count += 1
        return ChatMessage(role="user", content=f"{self.count}", metadata={"n": [self.count]})

    def _empty(self, session: str) -> None:
        self.removed += self.states[session].messages
        self.states[session] = State()

    def _foreign(self, session: str) -> str:
        """The id of a snapshot that this session does not have."""
        others = [saved.id for other in SESSIONS if other != session for saved in self.saved[other]]
        return self.random.choice([*others, "unknown", "", "a\0b\ud800"])

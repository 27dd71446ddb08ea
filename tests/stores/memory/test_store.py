"""What the store in memory does about what has expired: it goes, whether anybody asks or not."""

import time

import pytest

from goldfish import ChatMessage, InMemoryStore
from goldfish.stores.facts.backend import TOKEN_SECONDS
from goldfish.stores.memory.deadlines import Deadlines


class Clock:
    """A clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead = 0.0
        for module in ("store", "facts", "deadlines"):
            monkeypatch.setattr(f"goldfish.stores.memory.{module}.time", self)

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


def said(text: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text)]


async def test_three_thousand_expired_sessions_are_gone_after_a_few_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each call drops as many as it can in a moment; those that were renewed stay."""
    clock = Clock(monkeypatch)
    store = InMemoryStore(ttl=60)
    for n in range(3000):
        await store.add_messages(f"s{n}", said("x"))
    clock.ahead = 30
    await store.add_messages("s7", said("y"))
    clock.ahead = 61
    for _ in range(100):
        await store.get_history("nobody")
    assert set(store._by_id) == {"s7"}
    assert len(await store.get_history("s7")) == 2


async def test_a_session_expires_by_the_last_deadline_it_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Shorter, longer, none, by a rollback or by a fork."""
    clock = Clock(monkeypatch)
    store = InMemoryStore()
    for name in ("shorter", "longer", "none", "back"):
        await store.add_messages(name, said("x"))
        await store.set_ttl(name, 100)
    saved = await store.save_snapshot("back")
    await store.set_ttl("shorter", 10)
    await store.set_ttl("longer", 1000)
    await store.set_ttl("none", None)
    clock.ahead = 50
    assert await store.list_sessions() == ["back", "longer", "none"]
    await store.rollback_to_snapshot("back", saved)
    await store.fork("back", saved, "forked")
    clock.ahead = 120
    assert await store.list_sessions() == ["back", "forked", "longer", "none"]
    clock.ahead = 160
    await store.get_history("nobody")
    assert set(store._by_id) == {"longer", "none"}


async def test_expired_facts_go_with_their_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of users that nobody asks for; a fact that was told again stays longer."""
    clock = Clock(monkeypatch)
    store = InMemoryStore(embedder=None)
    for n in range(500):
        await store.remember(f"u{n}", "parked here", ttl=60, key="k")
    await store.remember("u7", "parked here", ttl=600)
    clock.ahead = 61
    for _ in range(100):
        await store.list_facts("nobody")
    assert await store._facts("")._backend.users() == ["u7"]
    assert (await store.remember("u8", "parked here", key="k")).times_seen == 1


async def test_old_tokens_go_and_their_facts_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a day a call with the same key counts again."""
    clock = Clock(monkeypatch)
    store = InMemoryStore(embedder=None)
    await store.remember("u", "likes tea", key="k")
    clock.ahead = TOKEN_SECONDS - 1
    assert (await store.remember("u", "likes tea", key="k")).times_seen == 1
    clock.ahead = TOKEN_SECONDS + 1
    assert (await store.remember("u", "likes tea", key="k")).times_seen == 2


def test_deadlines_of_what_has_gone_take_no_room() -> None:
    """Sessions that come and are cleared leave nothing behind, long before they would end."""
    deadlines: Deadlines[str] = Deadlines()
    for n in range(10_000):
        deadlines.note(f"s{n}", 1e9)
        deadlines.drop(f"s{n}")
    assert len(deadlines._heap) < 200
    came_up: list[str] = []
    deadlines.sweep(2e9, came_up.append)
    assert came_up == []

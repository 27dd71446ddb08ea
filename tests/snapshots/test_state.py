"""The whole state of a memory: the same records from every engine, and facts where there are."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from goldfish import ChatMessage, Fact
from goldfish.errors import UsageError
from goldfish.snapshots.masks import Masks
from goldfish.snapshots.rendering import Difference
from goldfish.snapshots.sequences import MADE_BY_STORES, StateComparison
from goldfish.snapshots.state import State, read_state
from goldfish.snapshots.store_fixture import SnapshotStore
from tests.stores.backends import Backend

IGNORE = ["messages.id", "messages.created_at=any"]
ODD = "\u2603/\x1b"


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text, metadata={"n": [1.5]}) for text in texts]


def told(before: State, after: State) -> list[str]:
    masks = Masks([*MADE_BY_STORES, *IGNORE])
    return list(Difference(StateComparison(masks).changes(before, after)).lines())


async def talked(store: Any) -> str:
    """Two sessions, one of them saved twice, trimmed and rolled back; the first snapshot."""
    await store.add_messages("s", said("one", "two", "three"))
    first: str = await store.save_snapshot("s", label="all three")
    await store.trim("s", keep_last=1)
    await store.save_snapshot("s")
    await store.add_messages("s", said("four"))
    await store.rollback_to_snapshot("s", first)
    await store.add_messages(ODD, said("odd"))
    await store.save_snapshot(ODD, label=ODD)
    return first


async def test_one_baseline_holds_for_every_engine(
    durable: Backend, snapshot_store: SnapshotStore
) -> None:
    """The same calls leave the same messages and snapshots on SQLite, Redis and Postgres."""
    store = durable.open()
    await talked(store)
    await snapshot_store(store, ignore=IGNORE, shared=True)
    await store.aclose()


def test_a_baseline_keeps_stand_ins_for_what_is_masked() -> None:
    """So that a new one differs from it in what matters only; what is not there stays so."""
    records = [{"id": "x", "role": "user"}, {"id": "y"}, {"id": "x", "created_at": "now"}]
    kept = StateComparison(Masks(IGNORE)).mask(
        {"messages of s": records, "facts of u": [{"id": "x"}]}
    )
    assert kept == {
        "facts of u": [{"id": "x"}],
        "messages of s": [
            {"id": "<id 1>", "role": "user"},
            {"id": "<id 2>"},
            {"id": "<id 1>", "created_at": "<any>"},
        ],
    }


async def test_a_snapshot_that_is_gone_is_told(durable: Backend) -> None:
    """By its label and its stand-in, which the other has not taken."""
    store = durable.open()
    first = await talked(store)
    before = await read_state(store)
    await store.delete_snapshot("s", first)
    assert told(before, await read_state(store)) == [
        "snapshots of s  rows: 1 removed",
        "  - position=1 id=<id 5> session_id='s' label='all three' created_at=<any>",
        "    message_count=3",
    ]
    await store.aclose()


class Learned:
    """A memory of facts; ids and times are its own, as nobody can choose them."""

    def __init__(self, *texts: str) -> None:
        self.facts = [
            Fact(id=uuid4().hex, user_id="u", text=text, created_at=datetime.now(UTC))
            for text in texts
        ]

    def list_sessions(self) -> list[str]:
        return []

    def list_facts(self, user_id: str) -> list[Fact]:
        return [fact for fact in self.facts if fact.user_id == user_id]


async def test_facts_are_compared_but_for_what_the_store_made_up() -> None:
    """Their ids and times; a text that changed is told."""
    one, other = Learned("likes tea", "has a cat"), Learned("likes tea", "has a dog")
    before = await read_state(one, users=["u", "nobody"])
    assert list(before) == ["facts of u"]
    assert told(before, await read_state(Learned("likes tea", "has a cat"), users=["u"])) == []
    assert told(before, await read_state(other, users=["u"]))[-1] == (
        "      text: 'has a cat' → 'has a dog'"
    )


async def test_a_store_without_facts_is_not_asked_for_them(durable: Backend) -> None:
    """Naming users is then a mistake, and said to be one."""
    store = durable.open()
    if not hasattr(store, "list_facts"):
        with pytest.raises(UsageError, match=r"cannot list its facts: leave out users="):
            await read_state(store, users=["u"])
    await store.aclose()


def test_a_day_later_nothing_has_changed() -> None:
    """A time that the store made is hidden, also where it equals another."""
    now = datetime.now(UTC)
    snapshot = {"id": "a", "label": None, "created_at": now.isoformat()}
    later = {**snapshot, "id": "b", "created_at": (now + timedelta(days=1)).isoformat()}
    assert told({"snapshots of s": [snapshot]}, {"snapshots of s": [later]}) == []

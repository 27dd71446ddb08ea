"""What every store promises about snapshots, asked of every store, on real servers."""

import asyncio
import random
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import goldfish
from goldfish import ChatMessage, SnapshotNotFound
from goldfish.stores.base import BaseStore
from tests.stores.backends import Backend
from tests.stores.pods import batch
from tests.stores.snapshot_pods import Caller, swing_and_be_killed

SEED = 20261116


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def contents(store: BaseStore, session: str = "s", **options: Any) -> list[Any]:
    return [message.content for message in await store.get_history(session, **options)]


async def saved_ids(store: BaseStore, session: str = "s") -> list[str]:
    return [snapshot.id for snapshot in await store.list_snapshots(session)]


async def test_every_field_comes_back_exactly(backend: Backend) -> None:
    """Ids, parts, tool calls, metadata and times with their zone are what they were."""
    odd = ChatMessage(
        role="assistant",
        content=[{"type": "text", "text": "NUL \0, lone \ud800, 🐠"}],
        id="id \0 '; --",
        created_at=datetime(2026, 10, 25, 2, 30, 0, 123456, ZoneInfo("Europe/Berlin"), fold=1),
        name="bot",
        tool_calls=[{"id": "c1", "function": {"name": "f", "arguments": '{"a":1}'}}],
        tool_call_id="c0",
        metadata={"big": 2**200, "deep": {"a": [{"b": -0.0}]}},
    )
    before = [*said("a"), odd, *said("b")]
    async with backend.open() as store:
        await store.add_messages("s", before)
        snapshot = await store.save_snapshot("s")
        await store.delete_messages("s", [odd.id])
        await store.rollback_to_snapshot("s", snapshot)
        after = await store.get_history("s")
    assert after == before
    assert [m.model_dump() for m in after] == [m.model_dump() for m in before]


async def test_whatever_removed_them_messages_come_back_in_order(backend: Backend) -> None:
    """Trimmed, deleted, cleared or expired since: all are back in their old places."""
    batch = said(*"abcdef")

    async def expire(store: BaseStore) -> None:
        await store.set_ttl("s", 0.005)
        await asyncio.sleep(0.02)

    async with backend.open() as store:
        await store.add_messages("s", batch)
        snapshot = await store.save_snapshot("s")
        for remove in (
            lambda: store.trim("s", keep_last=2),
            lambda: store.delete_messages("s", [batch[0].id, batch[3].id, batch[5].id]),
            lambda: store.clear("s"),
            lambda: store.set_ttl("s", 0),
            lambda: expire(store),
        ):
            await remove()
            await store.add_messages("s", said("later"))
            await store.rollback_to_snapshot("s", snapshot)
            assert await store.get_history("s") == batch
            assert await contents(store, last=2) == ["e", "f"]
            assert await store.get_ttl("s") is None


async def test_back_and_forward_again_keeps_every_snapshot(backend: Backend) -> None:
    """Older and newer snapshots stay, and each can be returned to in any order."""
    async with backend.open() as store:
        states = {}
        for n in range(6):
            await store.add_messages("s", said(f"{n} q", f"{n} a"))
            if n % 2:
                await store.trim("s", keep_last=3)
            states[await store.save_snapshot("s", label=f"{n}")] = await contents(store)
        order = [*states, *reversed(states)] * 2
        random.Random(SEED).shuffle(order)
        for snapshot in order:
            await store.rollback_to_snapshot("s", snapshot)
            await store.rollback_to_snapshot("s", snapshot)
            assert await contents(store) == states[snapshot]
            assert await saved_ids(store) == list(states)


async def test_what_is_added_after_a_rollback_comes_after_the_rest(backend: Backend) -> None:
    """An id that is gone may be added again; one that is back is a no-op; saving goes on."""
    a, b, c, d = said(*"abcd")
    async with backend.open() as store:
        await store.add_messages("s", [a, b])
        first = await store.save_snapshot("s")
        await store.add_messages("s", [c])
        second = await store.save_snapshot("s")
        await store.rollback_to_snapshot("s", first)
        again = ChatMessage(role="user", content="other", id=b.id)
        await store.add_messages("s", [again, d, c])
        assert await contents(store) == ["a", "b", "d", "c"]
        third = await store.save_snapshot("s")
        await store.rollback_to_snapshot("s", second)
        assert await contents(store) == ["a", "b", "c"]
        await store.rollback_to_snapshot("s", third)
        assert await contents(store) == ["a", "b", "d", "c"]
        await store.rollback_to_snapshot("s", second)
        await store.add_messages("s", [d])
        assert await contents(store) == ["a", "b", "c", "d"]


async def test_the_same_state_may_be_saved_twice(backend: Backend) -> None:
    """The two snapshots are two, and deleting one leaves the other whole."""
    async with backend.open() as store:
        await store.add_messages("s", said("a", "b"))
        one, two = await store.save_snapshot("s"), await store.save_snapshot("s")
        assert one != two
        await store.clear("s")
        await store.delete_snapshot("s", one)
        await store.rollback_to_snapshot("s", two)
        assert await contents(store) == ["a", "b"]


async def test_an_unknown_snapshot_changes_nothing(backend: Backend) -> None:
    """Nor does one of another session; the error says what to do."""
    async with backend.open() as store:
        await store.add_messages("s", said("kept"))
        await store.add_messages("t", said("other"))
        foreign = await store.save_snapshot("t")
        await store.delete_snapshot("s", foreign)
        for unknown in (foreign, "", "unknown", "a\0b", "\ud800", "x" * 10_000):
            with pytest.raises(SnapshotNotFound, match=r"list_snapshots\(\)"):
                await store.rollback_to_snapshot("s", unknown)
            with pytest.raises(SnapshotNotFound):
                await store.fork("s", unknown, "new")
            await store.delete_snapshot("s", unknown)
        with pytest.raises(SnapshotNotFound):
            await store.rollback_to_snapshot("never there", foreign)
        assert await contents(store) == ["kept"]
        assert await store.list_sessions() == ["s", "t"]
        assert await saved_ids(store, "t") == [foreign]


async def test_a_deleted_snapshot_is_gone_and_takes_no_other_with_it(backend: Backend) -> None:
    """The rest can be rolled back to; deleting it again is a no-op."""
    async with backend.open() as store:
        snapshots = []
        for n in range(5):
            await store.add_messages("s", said(str(n)))
            snapshots.append(await store.save_snapshot("s"))
        await store.clear("s")
        for doomed in (snapshots[2], snapshots[0], snapshots[4], snapshots[4]):
            await store.delete_snapshot("s", doomed)
        with pytest.raises(SnapshotNotFound):
            await store.rollback_to_snapshot("s", snapshots[2])
        assert await saved_ids(store) == [snapshots[1], snapshots[3]]
        for n in (3, 1):
            await store.rollback_to_snapshot("s", snapshots[n])
            assert await contents(store) == [str(m) for m in range(n + 1)]


async def test_the_time_left_comes_back_with_the_messages(backend: Backend) -> None:
    """As it was when the snapshot was saved, later or sooner than now, or none."""
    async with backend.open() as store:
        await store.add_messages("s", said("a"))
        without = await store.save_snapshot("s")
        await store.set_ttl("s", 500)
        with_deadline = await store.save_snapshot("s")
        for seconds in (50, 5000, None):
            await store.set_ttl("s", seconds)
            await store.rollback_to_snapshot("s", with_deadline)
            assert 450 < (await store.get_ttl("s") or 0) <= 500
        await store.clear("s")
        await store.rollback_to_snapshot("s", with_deadline)
        assert 450 < (await store.get_ttl("s") or 0) <= 500
        await store.rollback_to_snapshot("s", without)
        assert await store.get_ttl("s") is None
        assert await contents(store) == ["a"]


async def test_a_rollback_does_not_renew_a_store_wide_ttl(backend: Backend) -> None:
    """It restores the time that was left; the next write renews it."""
    async with backend.open(ttl=1000) as store:
        await store.add_messages("s", said("a"))
        await store.set_ttl("s", 100)
        snapshot = await store.save_snapshot("s")
        await store.add_messages("s", said("b"))
        await store.rollback_to_snapshot("s", snapshot)
        assert 50 < (await store.get_ttl("s") or 0) <= 100
        await store.add_messages("s", said("c"))
        assert 950 < (await store.get_ttl("s") or 0) <= 1000
        assert await contents(store) == ["a", "c"]


async def test_a_session_that_expires_again_and_again_keeps_its_snapshots(
    backend: Backend,
) -> None:
    """An expired session is empty and unlisted, and can still be rolled back."""
    async with backend.open() as store:
        await store.add_messages("s", said("a", "b"))
        await store.set_ttl("s", 0.1)
        short = await store.save_snapshot("s")
        for _ in range(2):
            await asyncio.sleep(0.12)
            assert await contents(store) == []
            assert await store.list_sessions() == []
            assert await store.get_ttl("s") is None
            assert await saved_ids(store) == [short]
            await store.rollback_to_snapshot("s", short)
            assert 0 < (await store.get_ttl("s") or 0) <= 0.1
            assert await contents(store) == ["a", "b"]


async def test_a_deadline_acts_the_same_on_a_session_with_snapshots(backend: Backend) -> None:
    """Writes and trims leave it alone, trimming to nothing keeps it, None removes it."""
    async with backend.open() as store:
        batch = said(*"abc")
        await store.add_messages("s", batch)
        await store.save_snapshot("s")
        await store.set_ttl("s", 50)
        await store.add_messages("s", said("d"))
        await store.trim("s", keep_last=3)
        await store.delete_messages("s", [batch[1].id])
        assert await contents(store) == ["c", "d"]
        assert await contents(store, last=1) == ["d"]
        await store.trim("s", keep_last=0)
        assert await store.list_sessions() == []
        assert 40 < (await store.get_ttl("s") or 0) <= 50
        empty = await store.save_snapshot("s")
        await store.add_messages("s", said("e"))
        assert 40 < (await store.get_ttl("s") or 0) <= 50
        await store.set_ttl("s", None)
        assert await store.get_ttl("s") is None
        await store.rollback_to_snapshot("s", empty)
        assert await contents(store) == []
        assert 40 < (await store.get_ttl("s") or 0) <= 50


async def test_clear_keeps_the_snapshots_unless_told_otherwise(backend: Backend) -> None:
    """And clear_all removes them in every session."""
    async with backend.open() as store:
        for session in ("s", "t"):
            await store.add_messages(session, said("x"))
        kept = await store.save_snapshot("s")
        await store.save_snapshot("t")
        await store.clear("s")
        assert await saved_ids(store) == [kept]
        await store.clear("s", snapshots=True)
        await store.clear("s", snapshots=True)
        assert await saved_ids(store) == []
        assert len(await saved_ids(store, "t")) == 1
        with pytest.raises(SnapshotNotFound):
            await store.rollback_to_snapshot("s", kept)
        await store.clear_all()
        assert await saved_ids(store, "t") == []


async def test_a_fork_begins_a_session_of_its_own(backend: Backend) -> None:
    """It gets the messages and the time left, not the snapshots, and goes its own way."""
    async with backend.open() as store:
        batch = said("a", "b")
        await store.add_messages("s", batch)
        await store.set_ttl("s", 500)
        snapshot = await store.save_snapshot("s")
        await store.delete_messages("s", [batch[0].id])
        await store.set_ttl("s", None)
        await store.fork("s", snapshot, "new")
        assert await store.get_history("new") == batch
        assert 450 < (await store.get_ttl("new") or 0) <= 500
        assert await saved_ids(store, "new") == []
        assert await contents(store) == ["b"]
        await store.add_messages("new", said("c"))
        await store.clear("s", snapshots=True)
        assert await contents(store, "new") == ["a", "b", "c"]


async def test_a_fork_needs_an_empty_session(backend: Backend) -> None:
    """One with messages is left as it is; a cleared one, the source itself too, is empty."""
    async with backend.open() as store:
        await store.add_messages("s", said("a", "b"))
        snapshot = await store.save_snapshot("s")
        await store.add_messages("t", said("mine"))
        for full in ("s", "t"):
            with pytest.raises(goldfish.MemoryStoreError, match="clear it first"):
                await store.fork("s", snapshot, full)
        assert await contents(store, "t") == ["mine"]
        own = await store.save_snapshot("t")
        for session in ("s", "t"):
            await store.clear(session)
            await store.fork("s", snapshot, session)
            assert await contents(store, session) == ["a", "b"]
        await store.rollback_to_snapshot("t", own)
        assert await contents(store, "t") == ["mine"]


async def test_a_listing_says_what_was_saved(backend: Backend) -> None:
    """Oldest first: id, session, label whatever it contains, time and number of messages."""
    labels = [None, "", "plain", "NUL \0, lone \ud800, 🐠", "x" * 5000]
    async with backend.open() as store:
        assert await store.list_snapshots("s") == []
        began = datetime.now(UTC)
        ids = []
        for label in labels:
            await store.add_messages("s", said("q", "a"))
            ids.append(await store.save_snapshot("s", label=label))
        await store.trim("s", keep_last=1)
        found = await store.list_snapshots("s")
    assert [each.id for each in found] == ids
    assert [each.label for each in found] == labels
    assert [each.message_count for each in found] == [2, 4, 6, 8, 10]
    assert {each.session_id for each in found} == {"s"}
    times = [each.created_at for each in found]
    assert times == sorted(times)
    slack = timedelta(seconds=1)
    assert began - slack <= times[0] <= datetime.now(UTC) + slack


async def test_an_empty_session_can_be_saved(backend: Backend) -> None:
    """Rolling back to it empties the session, and saving alone lists no session."""
    async with backend.open() as store:
        snapshot = await store.save_snapshot("s")
        assert await store.list_sessions() == []
        assert [each.message_count for each in await store.list_snapshots("s")] == [0]
        await store.add_messages("s", said("x"))
        await store.set_ttl("s", 50)
        await store.rollback_to_snapshot("s", snapshot)
        assert await contents(store) == []
        assert await store.get_ttl("s") is None
        await store.fork("s", snapshot, "t")
        assert await store.list_sessions() == []


async def test_sessions_with_odd_ids_have_snapshots_of_their_own(backend: Backend) -> None:
    """No session sees or disturbs the snapshots of another, whatever the ids."""
    sessions = ["", " ", "a", "A", "a*", "a:b", "a{b}", "}", "a%25", "a\0b", "\ud800", "🐠", "log"]
    sessions += ["snaps", "x" * 5000]
    async with backend.open() as store:
        snapshots = {}
        for number, session in enumerate(sessions):
            await store.add_messages(session, said(f"of {number}"))
            snapshots[session] = await store.save_snapshot(session)
        for session in sessions[::2]:
            await store.clear(session)
        for number, session in enumerate(sessions):
            assert await saved_ids(store, session) == [snapshots[session]]
            await store.rollback_to_snapshot(session, snapshots[session])
            assert await contents(store, session) == [f"of {number}"]


async def test_many_messages_come_back(backend: Backend) -> None:
    """More than fit one step of any backend: trimmed, deleted here and there, and cleared."""
    batch = said(*(str(n) for n in range(5000)))
    async with backend.open() as store:
        await store.add_messages("s", batch)
        snapshot = await store.save_snapshot("s")
        await store.delete_messages("s", [message.id for message in batch[::7]])
        await store.rollback_to_snapshot("s", snapshot)
        assert await store.get_history("s") == batch
        await store.trim("s", keep_last=10)
        await store.save_snapshot("s")
        await store.rollback_to_snapshot("s", snapshot)
        await store.fork("s", snapshot, "t")
        await store.clear("s")
        await store.rollback_to_snapshot("s", snapshot)
        assert await store.get_history("s") == batch
        assert await store.get_history("t") == batch
        assert [each.message_count for each in await store.list_snapshots("s")] == [5000, 10]


async def test_wrong_arguments_are_refused(backend: Backend) -> None:
    """Each is a TypeError that says what is wrong."""
    async with backend.open() as store:
        anything: Any = store
        with pytest.raises(TypeError, match="session_id must be a string"):
            await anything.save_snapshot(5)
        with pytest.raises(TypeError, match="label must be a string"):
            await anything.save_snapshot("s", label=5)
        with pytest.raises(TypeError, match="snapshot_id must be a string"):
            await anything.rollback_to_snapshot("s", None)
        with pytest.raises(TypeError, match="snapshot_id must be a string"):
            await anything.delete_snapshot("s", 5)
        with pytest.raises(TypeError, match="new_session_id must be a string"):
            await anything.fork("s", "x", b"t")


async def test_writers_are_before_or_after_a_rollback(backend: Backend) -> None:
    """While others roll back, batches stay whole and each writer's own order holds."""
    async with backend.open() as one, backend.open() as other:
        await one.add_messages("s", said("first", "second"))
        snapshots = [await one.save_snapshot("s")]

        async def write(store: BaseStore, writer: int) -> None:
            for n in range(20):
                await store.add_messages("s", batch(f"w{writer}", n))

        async def swing(store: BaseStore) -> None:
            for n in range(20):
                await store.rollback_to_snapshot("s", snapshots[n % len(snapshots)])
                if n % 3 == 0:
                    snapshots.append(await store.save_snapshot("s"))
                assert_whole(await contents(store))

        await asyncio.gather(write(one, 0), write(other, 1), write(one, 2), swing(other))
        assert await saved_ids(one) == snapshots
        for snapshot in snapshots:
            await other.rollback_to_snapshot("s", snapshot)
            assert_whole(await contents(one))


def assert_whole(found: list[str]) -> None:
    """The history is the two first messages, and whole batches in their writers' orders."""
    assert found[:2] == ["first", "second"]
    questions, answers = found[2::2], found[3::2]
    assert [text.replace("question", "answer") for text in questions] == answers
    for writer in {text.split()[0] for text in questions}:
        numbers = [int(text.split()[1]) for text in questions if text.split()[0] == writer]
        assert numbers == sorted(set(numbers))


async def test_two_who_roll_back_at_once_leave_one_of_the_two_states(backend: Backend) -> None:
    """Never a mixture."""
    async with backend.open() as one, backend.open() as other:
        await one.add_messages("s", said(*"abcd"))
        long = await one.save_snapshot("s")
        await one.trim("s", keep_last=1)
        await one.add_messages("s", said("e"))
        short = await one.save_snapshot("s")
        for _ in range(20):
            await asyncio.gather(
                one.rollback_to_snapshot("s", long), other.rollback_to_snapshot("s", short)
            )
            assert await contents(one) in (["a", "b", "c", "d"], ["d", "e"])


async def test_forks_in_opposite_directions_do_not_block_each_other(backend: Backend) -> None:
    """Each gives its session the other's state, while snapshots come and go."""
    async with backend.open() as one, backend.open() as other:
        await one.add_messages("s", said("of s"))
        await one.add_messages("t", said("of t"))
        of_s, of_t = await one.save_snapshot("s"), await one.save_snapshot("t")
        for _ in range(10):
            extra = await one.save_snapshot("t")
            await asyncio.gather(one.clear("s"), other.clear("t"))
            await asyncio.gather(
                one.fork("s", of_s, "t"),
                other.fork("t", of_t, "s"),
                one.delete_snapshot("t", extra),
            )
            assert await contents(one, "t") == ["of s"]
            assert await contents(other, "s") == ["of t"]


async def test_three_processes_save_roll_back_and_go_forward(durable: Backend) -> None:
    """The first is killed after saving; the second rolls back and is killed; nothing is missing."""
    early, late = said("a", "b"), said("c")
    first = Caller(durable.url)
    first.call("add_messages", "s", early)
    one = first.call("save_snapshot", "s", label="one")
    first.call("trim", "s", keep_last=1)
    first.call("add_messages", "s", late)
    two = first.call("save_snapshot", "s", label="two")
    first.kill()

    second = Caller(durable.url)
    second.call("rollback_to_snapshot", "s", one)
    assert second.call("get_history", "s") == early
    second.kill()

    third = Caller(durable.url)
    listed = third.call("list_snapshots", "s")
    assert [(each.id, each.label, each.message_count) for each in listed] == [
        (one, "one", 2),
        (two, "two", 2),
    ]
    third.call("rollback_to_snapshot", "s", two)
    assert third.call("get_history", "s") == [early[1], *late]
    third.call("rollback_to_snapshot", "s", one)
    assert third.call("get_history", "s") == early
    third.kill()


async def test_kills_in_the_middle_leave_the_old_state_or_the_new(durable: Backend) -> None:
    """Every snapshot that was acknowledged is whole, and the session is one of its states."""
    moments = random.Random(SEED)
    async with durable.open() as store:
        states = {}
        for n in range(3):
            await store.add_messages("s", said(f"{n} q", f"{n} a"))
            await store.trim("s", keep_last=3)
            states[await store.save_snapshot("s")] = await contents(store)
        known = list(states)
        for _ in range(12):
            told = swing_and_be_killed(durable.url, known[:3], moments)
            found = await saved_ids(store)
            acknowledged = [*known, *told]
            assert [each for each in found if each in acknowledged] == acknowledged
            # One was saved, and nobody was told; one a server saved late, after the kill before.
            assert len(found) - len(acknowledged) <= 2
            known = found
            now = await contents(store)
            added = [text for text in now if text.startswith("swing")]
            assert len(added) in (0, 2)
            assert now[: len(now) - len(added)] in list(states.values())
        for snapshot in known[:3]:
            await store.rollback_to_snapshot("s", snapshot)
            assert await contents(store) == states[snapshot]

"""What every store promises about named values, asked of every store, on real servers."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import psycopg
import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.services import shared_postgres, shared_redis
from goldfish.stores.postgres.schema import migration
from goldfish.stores.sqlite import schema
from tests.stores.backends import Backend
from tests.stores.snapshot_pods import Caller

ODD = "NUL \0, lone \ud800, 🐠, %41, {s}, '; --, *"
VALUES: dict[str, Any] = {
    "big": 2**200,
    "float": -0.0,
    "deep": {"a": [{"b": None}], ODD: [ODD]},
    "": "",
    ODD: ODD,
    "none": None,
    "false": False,
    "zero": 0,
    "empty": [],
    "x" * 5000: {},
}


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


@pytest.mark.parametrize("user", [None, "ann"])
async def test_values_come_back_exactly_and_are_replaced_whole(
    backend: Backend, user: str | None
) -> None:
    """Any name, any JSON; a dict under a name is not merged with the one before."""
    async with backend.open() as store:
        assert await store.get_state("s", user_id=user) == {}
        await store.set_state("s", VALUES, user_id=user)
        found = await store.get_state("s", user_id=user)
        assert found == VALUES
        assert {name: type(value) for name, value in found.items()} == {
            name: type(value) for name, value in VALUES.items()
        }
        await store.set_state("s", {"deep": {"c": 1}, "new": True}, user_id=user)
        await store.set_state("s", {}, user_id=user)
        assert await store.get_state("s", user_id=user) == {
            **VALUES,
            "deep": {"c": 1},
            "new": True,
        }


async def test_many_names_are_kept(backend: Backend) -> None:
    """More than one bite of any backend."""
    many = {f"name {n}": n for n in range(2500)}
    async with backend.open() as store:
        await store.set_state("s", many)
        await store.set_state("s", many, user_id="u")
        snapshot = await store.save_snapshot("s")
        await store.fork("s", snapshot, "t")
        for session, user in [("s", None), ("t", None), ("s", "u")]:
            assert await store.get_state(session, user_id=user) == many


async def test_sessions_and_users_are_held_apart(backend: Backend) -> None:
    """Also where their ids are the same, or odd."""
    async with backend.open() as store:
        for name in ("a", "a:state", ODD, ""):
            await store.set_state(name, {"of": ["session", name]})
            await store.set_state("a", {"of": ["user", name]}, user_id=name)
        for name in ("a", "a:state", ODD, ""):
            assert await store.get_state(name) == {"of": ["session", name]}
            assert await store.get_state("elsewhere", user_id=name) == {"of": ["user", name]}


async def test_what_cannot_be_kept_is_refused_before_anything_is_written(backend: Backend) -> None:
    """Nothing of the call is there, and the store goes on."""
    async with backend.open() as store:
        await store.set_state("s", {"a": 1})
        for odd in ({"a": 2, "b": (1, 2)}, {"a": 2, 3: 4}, {"a": 2, "b": object()}, "a"):
            with pytest.raises((goldfish.UnstorableError, TypeError)):
                await store.set_state("s", odd)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            await store.set_state("s", {"a": 2}, user_id=7)  # type: ignore[arg-type]
        assert await store.get_state("s") == {"a": 1}
        assert await store.list_sessions() == []


async def test_clearing_removes_the_state_of_the_session_only(backend: Backend) -> None:
    """Not that of others, nor of users, nor facts; clear_all removes the state of users too."""
    async with backend.open(embedder=None) as store:
        await store.add_messages("s", said("x"))
        for session in ("s", "t"):
            await store.set_state(session, {"a": session})
        await store.set_state("s", {"a": "user"}, user_id="u")
        await store.remember("u", "likes tea")
        await store.trim("s", keep_last=0)
        assert await store.get_state("s") == {"a": "s"}
        await store.clear("s")
        assert await store.get_state("s") == {}
        assert await store.get_state("t") == {"a": "t"}
        assert await store.get_state("s", user_id="u") == {"a": "user"}
        await store.clear_all()
        assert await store.get_state("t") == await store.get_state("s", user_id="u") == {}
        assert len(await store.list_facts("u")) == 1


async def test_the_state_ends_with_the_session(backend: Backend) -> None:
    """By its deadline, whichever came first, and with a store-wide one that each write renews."""
    async with backend.open() as store:
        for session in ("messages first", "state first", "state only"):
            if session == "messages first":
                await store.add_messages(session, said("x"))
            await store.set_state(session, {"a": 1})
            if session == "state first":
                await store.add_messages(session, said("x"))
            await store.set_ttl(session, 1000)
            await store.set_state(session, {"b": 2})
            assert await store.get_state(session) == {"a": 1, "b": 2}
            assert 0 < (await store.get_ttl(session) or 0) <= 1000
            await store.set_state(session, {"u": 3}, user_id=session)
            await store.set_ttl(session, 0.05)
        await asyncio.sleep(0.1)
        for session in ("messages first", "state first", "state only"):
            assert await store.get_state(session) == {}
            assert await store.get_ttl(session) is None
            assert await store.get_state(session, user_id=session) == {"u": 3}
            await store.set_state(session, {"c": 3})
            assert await store.get_state(session) == {"c": 3}


async def test_a_write_of_state_renews_a_store_wide_ttl(backend: Backend) -> None:
    """For a session with messages, and for one without; None lets it live on."""
    async with backend.open(ttl=100) as store:
        await store.add_messages("s", said("x"))
        for session in ("s", "t"):
            await store.set_ttl(session, 5)
            await store.set_state(session, {"a": 1})
            assert 50 < (await store.get_ttl(session) or 0) <= 100
            await store.set_ttl(session, None)
            assert await store.get_ttl(session) is None
            assert await store.get_state(session) == {"a": 1}


async def test_a_snapshot_holds_the_state_of_its_session(backend: Backend) -> None:
    """Rolling back restores exactly it, also nothing, also after clear; the user's stays."""
    async with backend.open() as store:
        nothing = await store.save_snapshot("s")
        await store.add_messages("s", said("x"))
        await store.set_state("s", VALUES)
        full = await store.save_snapshot("s")
        await store.set_state("s", {"big": 1, "late": 2})
        await store.set_state("s", {"u": 1}, user_id="s")
        await store.rollback_to_snapshot("s", full)
        assert await store.get_state("s") == VALUES
        await store.rollback_to_snapshot("s", nothing)
        assert await store.get_state("s") == {}
        await store.clear("s")
        await store.rollback_to_snapshot("s", full)
        assert await store.get_state("s") == VALUES
        await store.delete_snapshot("s", nothing)
        await store.rollback_to_snapshot("s", full)
        await store.delete_snapshot("s", full)
        assert await store.get_state("s") == VALUES
        assert await store.get_state("s", user_id="s") == {"u": 1}


async def test_a_session_of_state_alone_outlives_its_last_snapshot(backend: Backend) -> None:
    """Deleting a snapshot takes nothing from the session."""
    async with backend.open() as store:
        await store.set_state("s", {"a": 1})
        snapshot = await store.save_snapshot("s")
        await store.delete_snapshot("s", snapshot)
        assert await store.get_state("s") == {"a": 1}


async def test_a_snapshot_outlives_the_expiry_of_its_session(backend: Backend) -> None:
    """What has expired comes back by rolling back, with the time that it had left."""
    async with backend.open() as store:
        await store.add_messages("s", said("x"))
        await store.set_state("s", {"a": 1})
        snapshot = await store.save_snapshot("s")
        await store.set_ttl("s", 0.05)
        await asyncio.sleep(0.1)
        assert await store.get_state("s") == {}
        await store.rollback_to_snapshot("s", snapshot)
        assert await store.get_state("s") == {"a": 1}
        assert await store.get_ttl("s") is None


async def test_a_fork_begins_with_the_state_of_the_snapshot(backend: Backend) -> None:
    """A session that has state already is not empty, and stays as it is."""
    async with backend.open() as store:
        await store.set_state("s", VALUES)
        snapshot = await store.save_snapshot("s")
        await store.set_state("s", {"big": 1})
        await store.fork("s", snapshot, "t")
        assert await store.get_state("t") == VALUES
        await store.set_state("u", {"mine": 1})
        with pytest.raises(goldfish.MemoryStoreError, match="messages or state"):
            await store.fork("s", snapshot, "u")
        assert await store.get_state("u") == {"mine": 1}


async def test_writers_at_once_lose_nothing(backend: Backend) -> None:
    """Different names in one session and of one user, from many tasks and two openings."""
    async with backend.open() as one, backend.open() as other:
        for user in (None, "u"):
            await asyncio.gather(
                *(
                    store.set_state(
                        "s", {f"{n} {nth}": n, "same": [nth, n], f"z{-n}": n}, user_id=user
                    )
                    for n in range(20)
                    for nth, store in enumerate((one, other))
                )
            )
            found = await other.get_state("s", user_id=user)
            assert {name for name in found if " " in name} == {
                f"{n} {nth}" for n in range(20) for nth in range(2)
            }


async def test_another_process_sees_the_state_at_once(backend: Backend) -> None:
    """And this one what the other has set before it was killed."""
    if not backend.url:
        pytest.skip("there is no way in for another process")
    async with backend.open() as store:
        await store.set_state("s", VALUES)
        caller = Caller(backend.url)
        try:
            assert caller.call("get_state", "s") == VALUES
            caller.call("set_state", "s", {"big": "other"})
        finally:
            caller.kill()
        assert await store.get_state("s") == {**VALUES, "big": "other"}


async def test_a_file_from_before_state_is_brought_up_to_date(tmp_path: Path) -> None:
    """Its snapshots can still be rolled back to, and show no values."""
    path = tmp_path / "m.db"
    connection = sqlite3.connect(path, isolation_level=None)
    schema.migrate(connection, schema.MIGRATIONS[:4], path)
    connection.execute("INSERT INTO goldfish_sessions (session_id, epoch) VALUES ('s', 1)")
    connection.execute(
        "INSERT INTO goldfish_snapshots VALUES (1, 1, 'old', NULL, 0, 1 << 32, NULL)"
    )
    connection.execute("UPDATE goldfish_sessions SET snapshot = 1, top = 1 << 32")
    connection.close()
    async with goldfish.SQLiteMemoryStore(path) as store:
        await store.set_state("s", VALUES)
        assert await store.get_state("s") == VALUES
        await store.rollback_to_snapshot("s", "old")
        assert await store.get_state("s") == {}


async def test_a_schema_from_before_state_is_brought_up_to_date() -> None:
    """Its functions regard state from then on, those for snapshots as well."""
    dsn = shared_postgres().database()
    connection = await psycopg.AsyncConnection.connect(dsn, autocommit=True)
    await migration.migrate(connection, "goldfish", migration.MIGRATIONS[:4])
    save = "SELECT goldfish.save_snapshot('s', 's', 'old', NULL, clock_timestamp())"
    await connection.execute(save)
    await connection.close()
    async with goldfish.PostgresMemoryStore(dsn) as store:
        await store.set_state("s", VALUES)
        assert await store.get_state("s") == VALUES
        await store.rollback_to_snapshot("s", "old")
        assert await store.get_state("s") == {}
    shared_postgres().release(dsn)


async def test_the_first_value_keeps_an_older_goldfish_out() -> None:
    """Of a session or of a user; and clearing everything leaves no key behind."""
    for user in (None, "u"):
        url = shared_redis().database()
        async with goldfish.RedisMemoryStore(url) as store:
            await store.add_messages("s", said("x"))
            assert await store.redis_client.get("goldfish:layout") == b"1"
            await store.set_state("s", {"a": 1}, user_id=user)
            assert await store.redis_client.get("goldfish:layout") == b"5"
            await store.save_snapshot("s")
            await store.clear_all()
            assert await store.redis_client.keys("*") == [b"goldfish:layout"]


async def test_what_is_gone_leaves_no_row_behind(tmp_path: Path) -> None:
    """Values that a session had, and that its snapshots showed, go with them."""
    path = tmp_path / "m.db"
    async with goldfish.SQLiteMemoryStore(path) as store:
        await store.set_state("s", {"a": 1})
        await store.delete_snapshot("s", await store.save_snapshot("s"))
        await store.save_snapshot("s")
        await store.clear("s", snapshots=True)
    with sqlite3.connect(path) as connection:
        for table in ("state", "saved_state", "sessions", "snapshots"):
            count = connection.execute(f"SELECT count(*) FROM goldfish_{table}").fetchone()
            assert count == (0,), table
    connection.close()


def test_code_without_an_event_loop_has_state_too(tmp_path: Path) -> None:
    """By the same two methods."""
    with goldfish.blocking(goldfish.SQLiteMemoryStore(tmp_path / "m.db")) as store:
        store.set_state("s", {"a": 1})
        store.set_state("s", {"a": 2}, user_id="u")
        assert store.get_state("s") == {"a": 1}
        assert store.get_state("s", user_id="u") == {"a": 2}

"""From a URL to a store."""

import inspect
from pathlib import Path
from typing import Any, assert_type

import pytest

import goldfish
from goldfish.stores.options import PostgresOptions, RedisOptions, StoreOptions

ADDRESSES = {"path", "url", "redis_client", "dsn", "pool"}


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("memory://", goldfish.InMemoryStore),
        ("sqlite:///relative.db", goldfish.SQLiteMemoryStore),
        ("redis://localhost:6379/3", goldfish.RedisMemoryStore),
        ("rediss://localhost", goldfish.RedisMemoryStore),
        ("unix:///run/redis.sock", goldfish.RedisMemoryStore),
        ("postgresql://localhost/db", goldfish.PostgresMemoryStore),
        ("postgres://localhost/db", goldfish.PostgresMemoryStore),
    ],
)
def test_the_scheme_picks_the_store(url: str, kind: type) -> None:
    """Options go to the constructor; nothing is connected yet."""
    store = goldfish.open_store(url, ttl=60)
    assert type(store) is kind


def test_sqlite_paths_are_as_in_sqlalchemy() -> None:
    """Three slashes and a relative path, four and an absolute one."""
    relative = goldfish.open_store("sqlite:///some/where.db")
    absolute = goldfish.open_store("sqlite:////some/where.db")
    assert isinstance(relative, goldfish.SQLiteMemoryStore)
    assert isinstance(absolute, goldfish.SQLiteMemoryStore)
    assert relative.path == Path.cwd() / "some" / "where.db"
    assert absolute.path == Path("/some/where.db")


@pytest.mark.parametrize(
    "url",
    [
        *("mongodb://bob:hunter2@h", "nonsense", "sqlite://", "sqlite:///"),
        *("redis//u:hunter2@h", "redis:/u:hunter2@h", "u:hunter2@127.0.0.1"),
    ],
)
def test_an_unknown_url_names_the_known_ones(url: str) -> None:
    """One sentence that says what to write, without the password."""
    with pytest.raises(goldfish.UnknownStoreURLError, match="sqlite:///") as caught:
        goldfish.open_store(url)
    assert "hunter2" not in str(caught.value)


def test_a_dsn_that_makes_no_sense_is_refused_without_showing_it() -> None:
    """libpq would quote the whole string, password and all."""
    with pytest.raises(ValueError, match="must be a PostgreSQL address") as caught:
        goldfish.PostgresMemoryStore("hunter2 nonsense")
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (goldfish.SQLiteMemoryStore, StoreOptions),
        (goldfish.RedisMemoryStore, RedisOptions),
        (goldfish.PostgresMemoryStore, PostgresOptions),
    ],
)
def test_every_option_of_a_constructor_is_typed(kind: type, options: Any) -> None:
    """A new option that is not in the table would be an error to every type checker."""
    assert set(inspect.signature(kind).parameters) - ADDRESSES == set(
        inspect.get_annotations(options)
    ) | set(inspect.get_annotations(StoreOptions))


def test_a_type_checker_knows_the_store_and_its_powers() -> None:
    """An option of one backend tells its store; `make lint` proves it, and that all powers fit."""
    store = assert_type(goldfish.open_store("sqlite:///m.db", ttl=60), goldfish.BaseStore)
    assert_type(goldfish.open_store("redis://h", prefix="x"), goldfish.RedisMemoryStore)
    assert_type(goldfish.open_store("postgresql://h", pool_size=2), goldfish.PostgresMemoryStore)
    powers: tuple[
        goldfish.MemoryStore,
        goldfish.PolicyTrimming,
        goldfish.Expiring,
        goldfish.Editing,
        goldfish.Listing,
        goldfish.Snapshotting,
        goldfish.Remembering,
        goldfish.Searching,
        goldfish.Stating,
    ] = (store,) * 9
    assert powers
    with pytest.raises(TypeError, match="prefx"):
        goldfish.open_store("redis://h", prefx="x")  # type: ignore[call-overload]

"""Whose schema the PostgreSQL store needs, and how those of earlier versions are understood."""

import asyncio
import os
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

import pytest

from goldfish import MemoryStoreBackendError, PostgresMemoryStore
from goldfish.stores.arguments import hash_key
from goldfish.stores.facts.encoding import encode_base, encode_said
from goldfish.stores.facts.identity import identity
from goldfish.stores.facts.marking import make_marks
from goldfish.stores.postgres.schema.migration import MIGRATIONS, migrate
from tests.stores.postgres.places import ask, connected, contents, said


def as_role(dsn: str, name: str) -> str:
    parts = urlsplit(dsn)
    return parts._replace(netloc=f"{name}:secret@{parts.hostname}:{parts.port}").geturl()


@pytest.fixture
def role(dsn: str) -> str:
    """The address for a role of this database that may create nothing."""
    name = f"role_{urlsplit(dsn).path.strip('/')}"

    async def create() -> None:
        if not await ask(dsn, "SELECT 1 FROM pg_roles WHERE rolname = %s", name):
            await ask(dsn, f"CREATE ROLE {name} LOGIN PASSWORD 'secret'")
        await ask(dsn, "REVOKE ALL ON SCHEMA public FROM PUBLIC")

    asyncio.run(create())
    return name


async def test_a_role_that_owns_its_schema_needs_no_other_right(dsn: str, role: str) -> None:
    """The store does not try to create what is there."""
    await ask(dsn, f"CREATE SCHEMA mine AUTHORIZATION {role}")
    for _ in range(2):
        async with PostgresMemoryStore(as_role(dsn, role), schema="mine", embedder=None) as store:
            await store.add_messages("s", said("one"))
            fact = await store.remember("u", "I like tea", key="k")
            assert await store.list_facts("u") == [fact]
            assert await contents(store) == ["one"]
            await store.examine(repair=True)
            await store.clear_all()


async def test_a_role_that_may_use_a_schema_can_fill_it(dsn: str, role: str) -> None:
    """It owns the tables that it made."""
    await ask(dsn, f"CREATE SCHEMA given; GRANT USAGE, CREATE ON SCHEMA given TO {role}")
    async with PostgresMemoryStore(as_role(dsn, role), schema="given", embedder=None) as store:
        await store.add_messages("s", said("one"))
        assert await contents(store) == ["one"]


async def test_a_role_without_a_schema_is_told_what_it_needs(dsn: str, role: str) -> None:
    """The error says which statement gives it one."""
    async with PostgresMemoryStore(as_role(dsn, role), embedder=None) as store:
        with pytest.raises(MemoryStoreBackendError, match="CREATE SCHEMA name AUTHORIZATION"):
            await store.get_history("s")


@pytest.mark.parametrize("schema", ["50%", "%s", "%%b", "%(x)s", 'it\'s {s} \\ "%b"', "a$b$"])
async def test_a_schema_may_have_any_name(dsn: str, schema: str) -> None:
    """What begins a placeholder, an identifier, a text or a body elsewhere does not do so in it."""
    async with PostgresMemoryStore(
        dsn, schema=schema, embedder=None, search=True, keep_trimmed=True
    ) as store:
        await store.add_messages("s", said("tuna", "eel"))
        snapshot = await store.save_snapshot("s")
        await store.trim("s", keep_last=1)
        assert len(await store.search_history(["s"], "tuna eel")) == 2
        await store.fork("s", snapshot, "t")
        assert await contents(store, "t") == ["tuna", "eel"]
        await store.rollback_to_snapshot("s", snapshot)
        await store.set_state("s", {"a": 1})
        assert await store.get_state("s") == {"a": 1}
        fact = await store.remember("u", "I like tea")
        assert [hit.fact for hit in await store.recall("u", "tea")] == [fact]
        assert [each for each in await store.examine(repair=True) if each.level == "damage"] == []
        assert await ask(dsn, "SELECT nspname FROM pg_namespace WHERE nspname = %s", schema)
        assert await contents(store) == ["tuna", "eel"]


async def test_a_schema_whose_name_would_end_a_function_is_refused(dsn: str) -> None:
    """The error says what it must not contain."""
    with pytest.raises(ValueError, match=r"without \$\$"):
        PostgresMemoryStore(dsn, schema="a$$b")


async def fill_version_5(dsn: str) -> None:
    """What an earlier goldfish left behind: also a session that clear_all() should have removed."""
    async with connected(dsn) as connection:
        await migrate(connection, "goldfish", MIGRATIONS[:5])
        body = b'{"id":"a","role":"user","content":"old","created_at":"2026-01-01T00:00:00+00:00"}'
        for session in ("gone", "s"):
            await connection.execute(
                "SELECT goldfish.append(%b, %b, ARRAY['a'::bytea], ARRAY[%b::bytea], NULL)",
                [session.encode(), session.encode(), body],
            )
            await connection.execute(
                "SELECT goldfish.set_state(%b, %b, '{a}', '{a}', '{1}', NULL)",
                [session.encode(), session.encode()],
            )
            await connection.execute(
                "SELECT goldfish.save_snapshot(%b, %b, 'snap', NULL, now())",
                [session.encode(), session.encode()],
            )
            if session == "gone":
                await connection.execute("SELECT goldfish.clear_all()")
        await connection.execute(
            """SELECT goldfish.remember_fact('u', 'u', 'f', 'i like tea',
               '{"metadata":{},"created_at":"2026-01-01T00:00:00+00:00"}',
               '{"text":"I like tea","updated_at":"2026-01-01T00:00:00+00:00"}',
               NULL, '', '', 1)"""
        )


async def test_a_schema_from_before_keys_is_brought_up_to_date(dsn: str) -> None:
    """All that it held is there, and calls with a key are known from now on."""
    await fill_version_5(dsn)
    assert await ask(dsn, "SELECT count(*) FROM goldfish.sessions WHERE key = 'gone'") == 1
    async with PostgresMemoryStore(dsn, embedder=None) as store:
        assert await contents(store) == ["old"]
        assert await store.get_state("s") == {"a": 1}
        await store.fork("s", "snap", "new", key="k")
        await store.trim("new", keep_last=0)
        await store.fork("s", "snap", "new", key="k")
        assert await contents(store, "new") == []
        (fact,) = await store.list_facts("u")
        await store.revise("u", fact.id, "I like milk", key="k")
        await store.revise("u", fact.id, "I like water")
        assert (await store.revise("u", fact.id, "I like milk", key="k")).text == "I like water"
        assert [each for each in await store.examine() if each.level != "ok"] == []


async def test_a_process_of_the_version_before_goes_on(dsn: str) -> None:
    """While an upgrade is rolled out, the functions that it calls are still there."""
    await fill_version_5(dsn)
    async with PostgresMemoryStore(dsn, embedder=None) as store:
        await store.get_history("x")
    for statement in (
        "SELECT goldfish.fork('s', 'snap', 't', 't')",
        "SELECT goldfish.sweep()",
        "SELECT goldfish.clear('s', false)",
        """SELECT outcome FROM goldfish.remember_fact(
           'u', 'u', 'g', 'i like milk', '{}', '{}', NULL, '', '', 1)""",
        "SELECT outcome FROM goldfish.revise_fact('u', 'g', 'i like water', '{}', '', '')",
        "SELECT goldfish.clear_all()",
    ):
        assert await ask(dsn, statement) in ("done", False, "")


def in_child(work: Callable[[], None]) -> int:
    """The exit code of a forked process that does this."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_store_made_before_a_fork_works_on_both_sides(dsn: str) -> None:
    """Each process has connections of its own."""
    store = PostgresMemoryStore(dsn, embedder=None)

    async def add(text: str) -> None:
        await store.add_messages("s", said(text))
        assert text in await contents(store)

    assert in_child(lambda: asyncio.run(add("child"))) == 0
    asyncio.run(add("parent"))
    assert in_child(lambda: asyncio.run(add("second child"))) == 0

    async def close() -> None:
        assert await contents(store) == ["child", "parent", "second child"]
        await store.aclose()

    asyncio.run(close())


async def remember_as_version_12(dsn: str, text: str, fact_id: str, key: str | None = None) -> str:
    """Tell a fact as a process of that version does, by words alone; return the id it gets."""
    now = datetime.now(UTC)
    values = [fact_id, identity(text), encode_base({}, now), encode_said(text, now)]
    token = hash_key(key, "remember")
    detail: bytes = await ask(
        dsn,
        """SELECT detail FROM goldfish.remember_fact(
           'u', 'u', %b, %b, %b, %b, NULL::double precision, '', '', 1, %b::bytea, %b::bytea)""",
        *(value.encode() for value in values),
        None if token is None else token.encode(),
        make_marks(text, {}, b"", 0),
    )
    return detail.decode()


async def test_processes_of_versions_12_and_13_know_each_others_facts(dsn: str) -> None:
    """Facts from before the upgrade, and those that an older process tells after it."""
    async with connected(dsn) as connection:
        await migrate(connection, "goldfish", MIGRATIONS[:12])
    assert await remember_as_version_12(dsn, "I like tea", "a", "k") == "a"
    async with PostgresMemoryStore(dsn, embedder=None) as store:
        assert [hit.fact.id for hit in await store.recall("u", "tea")] == ["a"]
        assert (await store.remember("u", "I like tea", key="k")).times_seen == 1
        assert (await store.remember("u", "i like TEA")).times_seen == 2
        milk = await store.remember("u", "I like milk", key="m")
        version = "SELECT version FROM goldfish.fact_users"
        before = await ask(dsn, version)
        assert (await store.remember("u", "I like milk", key="m")).id == milk.id
        assert await ask(dsn, version) == before
        assert await remember_as_version_12(dsn, "I like milk", "b", "m") == milk.id
        assert await remember_as_version_12(dsn, "I like milk", "b") == milk.id
        assert await remember_as_version_12(dsn, "I like salt", "c") == "c"
        rice = await store.remember("u", "I like rice")
        assert {hit.fact.id for hit in await store.recall("u", "like")} == {
            *("a", "c", milk.id, rice.id)
        }
        listed = await store.list_facts("u")
        assert [fact.times_seen for fact in listed] == [2, 2, 1, 1]
        assert [each for each in await store.examine() if each.level != "ok"] == []


async def test_a_fact_takes_the_place_of_an_expired_one(dsn: str) -> None:
    """That nobody has swept away yet: the new one has its own id and history, and counts once."""
    async with PostgresMemoryStore(dsn, embedder=None) as store:
        old = await store.remember("u", "I like milk", ttl=60)
        await store.revise("u", old.id, "I like tea")
        await ask(dsn, "UPDATE goldfish.facts SET expires_at = now() - interval '1 second'")
        async with PostgresMemoryStore(dsn, embedder=None) as other:
            new = await other.remember("u", "I like tea", ttl=60)
            assert (new.id != old.id, new.times_seen) == (True, 1)
            assert await other.list_facts("u") == [new]
            assert [hit.fact for hit in await other.recall("u", "tea")] == [new]
        assert await ask(dsn, "SELECT count(*) FROM goldfish.fact_history") == 0

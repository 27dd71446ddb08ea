"""The PostgreSQL store on connections that it shares with others."""

import asyncio
import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from goldfish import MemoryStoreBackendError, PostgresMemoryStore
from goldfish.services.account import unprivileged_options
from tests.stores.postgres.places import ask, contents, holding_sessions, said
from tests.stores.transaction_pooler import pooled


@asynccontextmanager
async def our_pooler(dsn: str, path: Path) -> AsyncIterator[str]:
    async with pooled(dsn) as address:
        yield address


@asynccontextmanager
async def pgbouncer(dsn: str, path: Path) -> AsyncIterator[str]:
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    parts = urlsplit(dsn)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = f"host={parts.hostname} port={parts.port} user={parts.username}"
    server += f" password={parts.password}"
    settings = f"""[databases]
        {parts.path.strip("/")} = {server}
        [pgbouncer]
        listen_addr = 127.0.0.1
        listen_port = {port}
        unix_socket_dir =
        auth_type = any
        pool_mode = transaction
        default_pool_size = 2"""
    file = path / "pgbouncer.ini"
    file.write_text("\n".join(line.strip() for line in settings.splitlines()))
    process = start(program, file)
    try:
        await answering(port)
        yield parts._replace(netloc=f"{parts.username}@127.0.0.1:{port}").geturl()
    finally:
        process.kill()
        process.wait()


def start(program: str, file: Path) -> "subprocess.Popen[bytes]":
    with file.open() as lines:  # it runs as nobody, and may not open the file
        return subprocess.Popen(
            [program, "-q", "/dev/stdin"],
            stdin=lines,
            stderr=subprocess.DEVNULL,
            **unprivileged_options(),
        )


async def answering(port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.05)


Pooler = Callable[[str, Path], AbstractAsyncContextManager[str]]


@pytest.fixture(params=[our_pooler, pgbouncer], ids=["ours", "pgbouncer"])
def pooler(request: pytest.FixtureRequest) -> Pooler:
    """Each way to get a pooler in front of a database."""
    chosen: Pooler = request.param
    return chosen


async def use_all_powers(store: PostgresMemoryStore) -> None:
    """Ten tasks at once, often enough for the driver to prepare what it may prepare."""

    async def work(session: str) -> None:
        for number in range(8):
            await store.add_messages(session, said(str(number)))
        assert await contents(store, session) == [str(number) for number in range(8)]
        snapshot = await store.save_snapshot(session)
        await store.set_state(session, {"a": 1})
        await store.rollback_to_snapshot(session, snapshot)
        assert await store.get_state(session) == {}
        fact = await store.remember(session, "I like tea")
        assert await store.list_facts(session) == [fact]

    await asyncio.gather(*(work(f"s{number}") for number in range(10)))
    await store.clear_all()
    assert await store.list_sessions() == []


@pytest.mark.parametrize("chosen", [None, True])
async def test_a_store_works_behind_a_transaction_pooler(
    dsn: str, pooler: Pooler, chosen: bool | None, tmp_path: Path
) -> None:
    """Also if it is not told about the pooler; nothing stays set on the pooler's sessions."""
    async with pooler(dsn, tmp_path) as address:
        async with PostgresMemoryStore(address, pooler=chosen, embedder=None) as store:
            await use_all_powers(store)
        connection = await psycopg.AsyncConnection.connect(address, autocommit=True)
        for _ in range(4):
            found = await connection.execute("SHOW statement_timeout", prepare=False)
            assert await found.fetchone() == ("0",)
        await connection.close()


async def test_a_store_that_takes_a_pooler_for_a_server_says_what_to_do(
    dsn: str, pooler: Pooler, tmp_path: Path
) -> None:
    """What the server says about prepared statements is not left to the reader."""
    async with pooler(dsn, tmp_path) as address:
        async with PostgresMemoryStore(dsn, embedder=None) as store:
            await store.add_messages("s", said("first"))
        async with PostgresMemoryStore(address, pooler=False, embedder=None) as store:
            errors: list[object] = []
            for number in range(40):
                reads = [store.get_history("s") for _ in range(number % 3 + 1)]
                errors += await asyncio.gather(*reads, return_exceptions=True)
            errors = [error for error in errors if isinstance(error, MemoryStoreBackendError)]
            assert any("pooler=True" in str(error) for error in errors)


async def test_calls_behind_a_pooler_end_in_time_and_do_nothing_later(
    dsn: str, pooler: Pooler, tmp_path: Path
) -> None:
    """The limit goes along with each call."""
    async with (
        pooler(dsn, tmp_path) as address,
        PostgresMemoryStore(address, timeout=1, pool_size=2, embedder=None) as store,
    ):
        await store.add_messages("s", said("first"))
        await asyncio.sleep(0.2)
        async with holding_sessions(dsn):
            calls = [store.add_messages("s", said(f"late {n}")) for n in range(2)]
            errors = await asyncio.gather(*calls, return_exceptions=True)
            assert all("nothing was written" in str(error) for error in errors)
        await store.add_messages("s", said("last"))
        assert await contents(store) == ["first", "last"]


Options = dict[str, Any]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"autocommit": True},
        {"row_factory": psycopg.rows.dict_row, "prepare_threshold": 0},
    ],
    ids=["plain", "autocommit", "dict rows"],
)
async def test_a_store_uses_the_pool_it_is_given_and_leaves_it_open(
    dsn: str, options: Options
) -> None:
    """The connections come back as they were, with nothing set on them."""
    async with AsyncConnectionPool(dsn, min_size=1, max_size=3, open=False, kwargs=options) as pool:
        async with PostgresMemoryStore(pool=pool, embedder=None) as store:
            await use_all_powers(store)
        async with pool.connection() as connection:
            assert connection.autocommit == options.get("autocommit", False)
            assert connection.info.transaction_status.name == "IDLE"
            async with connection.cursor(row_factory=psycopg.rows.tuple_row) as cursor:
                await cursor.execute("SHOW statement_timeout")
                assert await cursor.fetchone() == ("0",)


async def test_a_given_pool_is_not_outgrown_by_calls_that_wait(dsn: str) -> None:
    """They end in time, by the server's hand, and its connections stay in use."""
    async with (
        AsyncConnectionPool(dsn, min_size=2, max_size=2, open=False) as pool,
        PostgresMemoryStore(pool=pool, timeout=0.5, embedder=None) as store,
    ):
        await store.add_messages("s", said("first"))
        async with holding_sessions(dsn):
            calls = [store.add_messages("s", said(f"late {n}")) for n in range(6)]
            errors = await asyncio.gather(*calls, return_exceptions=True)
            assert all(isinstance(error, MemoryStoreBackendError) for error in errors)
            cancelled = asyncio.create_task(store.add_messages("s", said("cancelled")))
            await asyncio.sleep(0.2)
            cancelled.cancel()
            await asyncio.wait([cancelled])
        await store.add_messages("s", said("last"))
        assert await contents(store) == ["first", "last"]
        mine = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert await ask(dsn, mine) <= 2 + 1  # the one that asks


async def test_what_is_no_pool_is_refused(dsn: str) -> None:
    """Before anything is done: a sync pool, something else, both a pool and an address, neither."""
    with ConnectionPool(dsn, open=False, min_size=0, max_size=1) as sync:
        for wrong in (sync, object()):
            with pytest.raises(TypeError, match="AsyncConnectionPool"):
                PostgresMemoryStore(pool=wrong)
    neither: dict[str, Any] = {}
    for both in ({"dsn": dsn, "pool": object()}, neither):
        with pytest.raises(ValueError, match="either a dsn or a pool"):
            PostgresMemoryStore(**both)

"""The store over PostgreSQL."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from goldfish.errors import MissingExtraError
from goldfish.messages import Snapshot
from goldfish.stores import arguments
from goldfish.stores.base import Forked, Row
from goldfish.stores.observation import Observation
from goldfish.stores.per_loop import PerLoop
from goldfish.stores.postgres.arrays import ByteArray
from goldfish.stores.postgres.calls import PostgresCalls
from goldfish.stores.postgres.examination import PostgresExamination
from goldfish.stores.postgres.facts import PostgresFacts
from goldfish.stores.postgres.grouping import AppendLine
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key
from goldfish.stores.postgres.pool import BorrowedPool, Pool, PostgresPool, require_async_pool
from goldfish.stores.postgres.schema.migration import quote_in_statement, quote_name
from goldfish.stores.postgres.search import PostgresSearch, encode_embedded, refuse_other_model
from goldfish.stores.postgres.state import PostgresState
from goldfish.stores.postgres.statements import Statements
from goldfish.stores.postgres.sweeper import PostgresSweeper
from goldfish.stores.postgres.watch import Times
from goldfish.stores.search.backend import Embedded
from goldfish.stores.searching import SearchingStore
from goldfish.stores.stating import Named
from goldfish.threads import wait_for

if TYPE_CHECKING:
    from goldfish.embedding.embedder import Embedder


class PostgresMemoryStore(SearchingStore):
    """Messages in PostgreSQL: a write that returned is committed, as the server is configured.

    The tables live in a schema of their own, made by the first call. ``pool_size`` limits the
    connections of one event loop, and threads without one may share another; ``timeout`` is the
    longest that a call takes in all. A ``pool`` of psycopg_pool may be passed instead of an
    address; it is the caller's to open and to close.

    ``pooler`` says whether the address is that of a pooler that lends a connection for one
    transaction, as PgBouncer can: then nothing is set or prepared there. By default the store finds
    out.

    With ``search`` what was said can be searched, with ``keep_trimmed`` also what a trim removed.
    """

    def __init__(
        self,
        dsn: str | None = None,
        *,
        pool: Any = None,
        ttl: float | None = None,
        schema: str = "goldfish",
        pool_size: int = 10,
        timeout: float = 10.0,
        pooler: bool | None = None,
        embedder: "Embedder | Literal['default'] | None" = "default",
        search: bool = False,
        keep_trimmed: bool = False,
    ) -> None:
        super().__init__(ttl=ttl, embedder=embedder, search=search, keep_trimmed=keep_trimmed)
        if (dsn is None) == (pool is None):
            raise ValueError("pass either a dsn or a pool")
        times = Times.of(arguments.require_seconds(timeout, "timeout"))
        size = max(1, arguments.require_count(pool_size, "pool_size"))
        server = "PostgreSQL behind the given pool" if dsn is None else _describe_dsn(dsn)
        lender = None if pool is None else require_async_pool(pool)

        def make() -> Pool:
            if dsn is None:
                return BorrowedPool(lender)
            return PostgresPool(dsn, size=size, times=times, pooler=pooler)

        pools: PerLoop[Pool] = PerLoop(make, lambda made: made.aclose())
        self._schema_name = _require_schema_name(schema)
        self._schema = quote_in_statement(schema)
        self._calls = PostgresCalls(
            pools, server=server, address=dsn or "", schema=schema, times=times
        )
        self._appends = PerLoop(lambda: AppendLine(self._calls.run, self._schema, size), _leave)
        self._sql = Statements(self._schema)
        self._state = PostgresState(self._run, self._schema)
        self._sweeper = PostgresSweeper(self._calls.run, self._schema)

    async def _append(
        self, session_id: str, rows: list[Row], embedded: Embedded | None = None
    ) -> None:
        values = self._encode_rows(session_id, rows)
        if embedded is None:
            await self._appends.get().append(values)
            self._sweeper.start_if_due()
        else:
            values += encode_embedded(embedded)
            refuse_other_model(await self._run(self._sql.append_marked, values), embedded.model)

    async def _append_and_read(
        self, session_id: str, rows: list[Row], embedded: Embedded | None, last: int
    ) -> Sequence[Any]:
        if embedded is not None:
            return await super()._append_and_read(session_id, rows, embedded, last)
        values = [*self._encode_rows(session_id, rows), last]
        return (await self._fetch_column(self._sql.append_and_read, values))[::-1]

    def _encode_rows(self, session_id: str, rows: list[Row]) -> list[Any]:
        """Return what the functions that append take."""
        keys = ByteArray(make_key(message_id) for message_id, _ in rows)
        bodies = ByteArray(body.encode() for _, body in rows)
        return [make_key(session_id), encode_id(session_id), keys, bodies, self._ttl]

    async def _read(self, session_id: str, last: int | None) -> Sequence[bytes]:
        key = make_key(session_id)
        if last is None:
            return await self._fetch_column(self._sql.read, [key])
        return (await self._fetch_column(self._sql.read_last, [key, last]))[::-1]

    async def _keep_last(self, session_id: str, keep: int) -> int:
        statement = self._sql.keep_the_rest if self._keep_trimmed else self._sql.keep_last
        return await self._fetch_number(statement, [make_key(session_id), keep])

    async def _remove(self, session_id: str, ids: list[str], *, trimmed: bool = False) -> int:
        keys = [make_key(message_id) for message_id in ids]
        keep = trimmed and self._keep_trimmed
        statement = self._sql.set_apart if keep else self._sql.remove
        return await self._fetch_number(statement, [make_key(session_id), keys])

    async def _clear(self, session_id: str, snapshots: bool) -> None:
        await self._run(self._sql.clear, [make_key(session_id), snapshots])

    async def _clear_all(self) -> None:
        await self._run(self._sql.clear_all, [])

    async def _sessions(self, prefix: str) -> list[str]:
        if begins := encode_id(prefix):
            following = begins[:-1] + bytes([begins[-1] + 1])  # no UTF-8 has a byte 0xff
            names = await self._fetch_column(self._sql.sessions_from, [begins, following])
        else:
            names = await self._fetch_column(self._sql.sessions, [])
        return [decode_id(name) for name in names]

    async def _set_ttl(self, session_id: str, seconds: float | None) -> None:
        await self._run(self._sql.set_ttl, [make_key(session_id), seconds])

    async def _get_ttl(self, session_id: str) -> float | None:
        found = await self._run(self._sql.get_ttl, [make_key(session_id)])
        return float(found[0][0]) if found else None

    async def _save_snapshot(
        self, session_id: str, snapshot_id: str, label: str | None, created_at: datetime
    ) -> None:
        name = encode_id(session_id)
        note = None if label is None else encode_id(label)
        values = [make_key(session_id), name, encode_id(snapshot_id), note, created_at]
        await self._run(self._sql.save, values)

    async def _rollback(self, session_id: str, snapshot_id: str) -> bool:
        values = [make_key(session_id), encode_id(snapshot_id)]
        return bool((await self._run(self._sql.rollback, values))[0][0])

    async def _snapshots(self, session_id: str) -> list[Snapshot]:
        rows = await self._run(self._sql.snapshots, [make_key(session_id)])
        return [_make_snapshot(session_id, *row) for row in rows]

    async def _delete_snapshot(self, session_id: str, snapshot_id: str) -> None:
        values = [make_key(session_id), encode_id(snapshot_id)]
        await self._run(self._sql.delete_snapshot, values)

    async def _fork(
        self, session_id: str, snapshot_id: str, new_session_id: str, token: str | None
    ) -> Forked:
        new = encode_id(new_session_id)
        known_by = None if token is None else encode_id(token)
        values = [
            make_key(session_id),
            encode_id(snapshot_id),
            make_key(new_session_id),
            new,
            known_by,
        ]
        return cast(Forked, (await self._run(self._sql.fork, values))[0][0])

    async def _write_state(self, session_id: str, named: list[Named]) -> None:
        await self._state.put(session_id, named, self._ttl)

    async def _read_state(self, session_id: str) -> list[Named]:
        return await self._state.read(session_id)

    async def _write_user_state(self, user_id: str, named: list[Named]) -> None:
        await self._state.put_user(user_id, named)

    async def _read_user_state(self, user_id: str) -> list[Named]:
        return await self._state.read_user(user_id)

    async def _ping(self) -> None:
        await self._calls.run_without_schema(b"SELECT 1", [])

    async def _examine(self, repair: bool) -> list[Observation]:
        schema = quote_name(self._schema_name)
        return await PostgresExamination(self._calls.run_without_schema, schema).examine(
            repair=repair
        )

    def _search_backend(self) -> PostgresSearch:
        return PostgresSearch(self._run, self._schema)

    def _facts_backend(self) -> PostgresFacts:
        return PostgresFacts(self._run, self._schema)

    def _facts_backend_from_thread(self) -> PostgresFacts:
        return PostgresFacts(self._run_from_thread, self._schema)

    async def _close(self) -> None:
        await self._appends.aclose()
        await self._sweeper.aclose()
        await self._calls.aclose()

    async def _fetch_number(self, statement: bytes, values: list[Any]) -> int:
        return int((await self._run(statement, values))[0][0])

    async def _fetch_column(self, statement: bytes, values: list[Any]) -> list[bytes]:
        return [value for (value,) in await self._run(statement, values)]

    async def _run(self, statement: bytes, values: list[Any]) -> list[tuple[Any, ...]]:
        rows = await self._calls.run(statement, values)
        self._sweeper.start_if_due()
        return rows

    async def _run_from_thread(self, statement: bytes, values: list[Any]) -> list[tuple[Any, ...]]:
        rows = self._try_run(statement, values)
        return wait_for(self._run(statement, values)) if rows is None else rows

    def _try_run(self, statement: bytes, values: list[Any]) -> list[tuple[Any, ...]] | None:
        # Now and then a call takes the way through a loop, where the sweeper is at work.
        return None if self._sweeper.is_due else self._calls.try_run(statement, values)


def _describe_dsn(dsn: str) -> str:
    """Return the server and database of an address without its secrets; refuse a wrong address."""
    arguments.require_text(dsn, "dsn")
    try:
        from psycopg import ProgrammingError
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise MissingExtraError.of("psycopg", "postgres") from error
    try:
        parts = conninfo_to_dict(dsn)
    except ProgrammingError:
        # libpq quotes the string in its message, password and all.
        raise ValueError(
            "dsn must be a PostgreSQL address, as postgresql://user@host/name"
        ) from None
    # An unescaped @ or / in the password makes libpq take its rest for a host or a database.
    host, name = (str(parts.get(each) or "").rpartition("@")[2] for each in ("host", "dbname"))
    return f"PostgreSQL at {host or 'localhost'}, database {name}"


def _require_schema_name(schema: str) -> str:
    if not arguments.require_text(schema, "schema") or "\0" in schema or len(schema.encode()) > 63:
        raise ValueError("schema must be a name of 1 to 63 bytes")
    if "$$" in schema:  # that ends the body of a function
        raise ValueError("schema must be a name without $$")
    return schema


async def _leave(line: AppendLine) -> None:
    """Do nothing about a line that ends: its connections are the pool's."""


def _make_snapshot(
    session_id: str, snapshot_id: bytes, label: bytes | None, created_at: datetime, count: int
) -> Snapshot:
    return Snapshot(
        id=decode_id(snapshot_id),
        session_id=session_id,
        label=None if label is None else decode_id(label),
        created_at=created_at.astimezone(UTC),
        message_count=count,
    )

"""The names under which a store keeps its data: keys, file names and short texts of its tables."""

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from goldfish.world.sandbox import Sandbox

MOST = 2_000  # names that are looked at
LONGEST = 200  # characters of a name: what is longer is data


def find_stored_names(sandbox: Sandbox, services: Iterable[str]) -> list[str]:
    """Return the names that can be seen in the storage of a sandbox, each once.

    A service whose client is not installed shows none.
    """
    found: dict[str, None] = {}
    sources = [_list_files(sandbox.path)]
    sources += [_list_keys(sandbox.redis_url)] if "redis" in services else []
    sources += [_list_postgres(sandbox.postgres_dsn)] if "postgres" in services else []
    for source in sources:
        for name in source:
            if isinstance(name, str) and 0 < len(name) <= LONGEST:
                found[name] = None
            if len(found) >= MOST:
                break
    return list(found)


def _list_files(directory: Path) -> Iterator[Any]:
    """Yield the names of files, whole and without their endings, and what SQLite has in them."""
    for path in sorted(directory.rglob("*")):
        name = str(path.relative_to(directory))
        yield name
        if path.is_file():
            yield from (name[: -len(path.suffix)] or name, path.name)
            with contextlib.suppress(OSError, sqlite3.Error):
                yield from _list_sqlite(path)


def _list_sqlite(path: Path) -> Iterator[Any]:
    with path.open("rb") as file:
        if file.read(15) != b"SQLite format 3":
            return
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in tables.fetchall():
            quoted = table.replace('"', '""')
            for row in database.execute(f'SELECT * FROM "{quoted}" LIMIT {MOST}'):
                yield from map(_as_text, row)


def _list_keys(url: str) -> Iterator[Any]:
    try:
        from redis import Redis
    except ImportError:
        return
    with contextlib.closing(Redis.from_url(url)) as client:
        yield from map(_as_text, client.scan_iter(count=1000))


def _list_postgres(dsn: str) -> Iterator[Any]:
    try:
        import psycopg
        from psycopg import sql
    except ImportError:
        return
    with psycopg.connect(dsn) as connection:
        tables = connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables "
            "WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for schema, table in tables:
            query = sql.SQL("SELECT * FROM {} LIMIT {}").format(
                sql.Identifier(schema, table), sql.Literal(MOST)
            )
            for row in connection.execute(query):
                yield from map(_as_text, row)


def _as_text(value: Any) -> Any:
    """Return bytes as the text that they spell, and anything else as it is."""
    if isinstance(value, bytes | memoryview):
        return bytes(value).decode("utf-8", "replace")
    return value

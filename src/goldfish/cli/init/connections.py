"""Writes the connections and pools of drivers, where the project has no function that connects."""

from goldfish.cli.init.backends import Place


def make_connection(place: Place, backend: str, *, is_pool: bool, is_async: bool) -> str:
    """Return a connection to a storage of the sandbox, or a pool; nothing for other storages."""
    match backend:
        case "sqlite3":
            place.imports.add("import sqlite3")
            return 'sqlite3.connect(sandbox.path / "memory.db", timeout=20)'
        case "aiosqlite":
            place.imports.add("import aiosqlite")
            place.awaits = True
            return 'await aiosqlite.connect(sandbox.path / "memory.db", timeout=20)'
        case "asyncpg" | "psycopg" | "psycopg2":
            place.services.add("postgres")
            return _connect_to_postgres(place, backend, is_pool=is_pool, is_async=is_async)
    return ""


def _connect_to_postgres(place: Place, driver: str, *, is_pool: bool, is_async: bool) -> str:
    if driver == "asyncpg":
        place.imports.add("import asyncpg")
        place.awaits = True
        return f"await asyncpg.{'create_pool' if is_pool else 'connect'}(sandbox.postgres_dsn)"
    if driver == "psycopg" and is_pool:
        kind = "AsyncConnectionPool" if is_async else "ConnectionPool"
        place.imports.add(f"from psycopg_pool import {kind}")
        if not is_async:
            return f"{kind}(sandbox.postgres_dsn)"
        place.awaits = True
        place.around = f"async with {kind}(sandbox.postgres_dsn) as handle:"
        return "handle"
    place.imports.add(f"import {driver}")
    if driver == "psycopg" and is_async:
        place.awaits = True
        return "await psycopg.AsyncConnection.connect(sandbox.postgres_dsn)"
    return f"{driver}.connect(sandbox.postgres_dsn)"

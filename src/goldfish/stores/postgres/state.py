"""Named values in PostgreSQL: each write is one call of a function, each read one query."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from goldfish.stores.postgres.keys import decoded, encoded, key
from goldfish.stores.stating import Named

Ask = Callable[[bytes, list[Any]], Awaitable[list[tuple[Any, ...]]]]


class PostgresState:
    """The values of sessions and users in one schema; ``ask`` runs a statement."""

    def __init__(self, ask: Ask, s: str) -> None:
        self._ask = ask
        self._put = f"""SELECT {s}.set_state(
            %b, %b, %b::bytea[], %b::bytea[], %b::bytea[], %b::double precision)""".encode()
        self._read = f"""SELECT name, value FROM {s}.state WHERE session = (
            SELECT pk FROM {s}.sessions WHERE key = %b
            AND (expires_at IS NULL OR expires_at > clock_timestamp()))""".encode()
        self._put_user = (
            f"SELECT {s}.set_user_state(%b, %b::bytea[], %b::bytea[], %b::bytea[])".encode()
        )
        self._read_user = f"SELECT name, value FROM {s}.user_state WHERE user_key = %b".encode()

    async def put(self, session_id: str, named: Sequence[Named], ttl: float | None) -> None:
        """Put values under their names in a session."""
        name = encoded(session_id)
        await self._ask(self._put, [key(name), name, *_columns(named), ttl])

    async def read(self, session_id: str) -> list[Named]:
        """The values of a session that has not expired."""
        return _named(await self._ask(self._read, [key(encoded(session_id))]))

    async def put_user(self, user_id: str, named: Sequence[Named]) -> None:
        """Put a user's values under their names."""
        await self._ask(self._put_user, [key(encoded(user_id)), *_columns(named)])

    async def read_user(self, user_id: str) -> list[Named]:
        """The values of a user."""
        return _named(await self._ask(self._read_user, [key(encoded(user_id))]))


def _columns(named: Sequence[Named]) -> list[list[bytes]]:
    """The keys, the names and the values."""
    names = [encoded(name) for name, _ in named]
    return [[key(name) for name in names], names, [value.encode() for _, value in named]]


def _named(rows: list[tuple[Any, ...]]) -> list[Named]:
    return [(decoded(name), decoded(value)) for name, value in rows]

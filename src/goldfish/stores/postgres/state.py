"""Named values in PostgreSQL: each write is one call of a function, each read one query."""

from collections.abc import Sequence
from typing import Any

from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.keys import decode_id, encode_id, make_key
from goldfish.stores.stating import Named


class PostgresState:
    """The values of sessions and users in one schema; ``run`` runs a statement."""

    def __init__(self, run: Run, s: str) -> None:
        self._run = run
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
        name = encode_id(session_id)
        await self._run(self._put, [make_key(session_id), name, *_make_columns(named), ttl])

    async def read(self, session_id: str) -> list[Named]:
        """Return the values of a session that has not expired."""
        return _decode_rows(await self._run(self._read, [make_key(session_id)]))

    async def put_user(self, user_id: str, named: Sequence[Named]) -> None:
        """Put a user's values under their names."""
        await self._run(self._put_user, [make_key(user_id), *_make_columns(named)])

    async def read_user(self, user_id: str) -> list[Named]:
        """Return the values of a user."""
        return _decode_rows(await self._run(self._read_user, [make_key(user_id)]))


def _make_columns(named: Sequence[Named]) -> list[list[bytes]]:
    """Return the keys, the names and the values."""
    names = [encode_id(name) for name, _ in named]
    return [[make_key(name) for name, _ in named], names, [value.encode() for _, value in named]]


def _decode_rows(rows: list[tuple[Any, ...]]) -> list[Named]:
    return [(decode_id(name), decode_id(value)) for name, value in rows]

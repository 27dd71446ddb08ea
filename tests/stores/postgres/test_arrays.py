"""Arrays of bytes on their way to a real server."""

import psycopg
import pytest

from goldfish.stores.postgres.arrays import ByteArray, speed_up

ARRAYS = [[], [b""], [b"a"], [b"\x00\xff{}\"'\\,", b"", b"NULL"], [bytes(range(256)) * 300] * 5]


@pytest.mark.parametrize("told", [True, False], ids=["ours", "borrowed"])
async def test_an_array_arrives_as_it_was(dsn: str, told: bool) -> None:
    """On a connection of ours, and on one of the caller's pool, which psycopg serves itself."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        if told:
            speed_up(connection)
        for items in ARRAYS:
            cursor = connection.cursor(binary=True)
            statement = b"SELECT %b::bytea[], pg_typeof(%b::bytea[])::text"
            await cursor.execute(statement, [ByteArray(items), ByteArray(items)])
            assert await cursor.fetchone() == (items, "bytea[]")

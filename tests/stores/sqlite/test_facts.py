"""What the SQLite store promises about facts beyond the others: its file."""

import asyncio
import sqlite3
from pathlib import Path

import goldfish
from goldfish.testing import HashEmbedder


def opened(path: Path) -> goldfish.SQLiteMemoryStore:
    return goldfish.SQLiteMemoryStore(path, embedder=HashEmbedder(16))


def rows(path: Path) -> dict[str, int]:
    tables = ("fact_users", "facts", "fact_history")
    connection = sqlite3.connect(path)
    found = {
        table: connection.execute(f"SELECT count(*) FROM goldfish_{table}").fetchone()[0]
        for table in tables
    }
    connection.close()
    return found


async def test_nothing_is_left_of_what_was_forgotten(tmp_path: Path) -> None:
    """No row of the facts, their history or their users stays in the file."""
    path = tmp_path / "memory.db"
    async with opened(path) as store:
        for user in ("a", "b"):
            fact = await store.remember(user, "likes tea")
            await store.revise(user, fact.id, "likes milk")
        assert rows(path) == {"fact_users": 2, "facts": 2, "fact_history": 2}
        await store.forget("a", (await store.list_facts("a"))[0].id)
        await store.forget_all("b")
        assert rows(path) == {"fact_users": 0, "facts": 0, "fact_history": 0}


async def test_expired_facts_that_nobody_asks_for_are_swept_away(tmp_path: Path) -> None:
    """Soon after the next call of anybody they are removed, with their history and their user."""
    path = tmp_path / "memory.db"
    async with opened(path) as store:
        for number in range(3):
            fact = await store.remember(f"user {number}", "parked here", ttl=600)
            await store.revise(f"user {number}", fact.id, "parked there")
        with sqlite3.connect(path) as connection:  # ten minutes later
            connection.execute("UPDATE goldfish_facts SET expires_at = expires_at - 600")
        connection.close()
        await store.remember("v", "likes tea")
        left = {"fact_users": 1, "facts": 1, "fact_history": 0}
        for _ in range(200):
            if rows(path) == left:
                break
            await store.list_facts("v")
            await asyncio.sleep(0.05)
        assert rows(path) == left


async def test_a_refused_write_takes_no_other_with_it(tmp_path: Path) -> None:
    """Facts told at the same moment are written together, and judged one by one."""
    path = tmp_path / "memory.db"
    async with opened(path) as store:
        told = [{"n": number, "odd": object()} if number % 3 == 0 else {} for number in range(9)]
        done = await asyncio.gather(
            *(store.remember("u", f"fact {n}", metadata=m) for n, m in enumerate(told)),
            return_exceptions=True,
        )
        assert [isinstance(each, goldfish.UnstorableError) for each in done] == [
            True,
            False,
            False,
        ] * 3
        assert sorted(f.text for f in await store.list_facts("u")) == [
            f"fact {n}" for n in range(9) if n % 3
        ]

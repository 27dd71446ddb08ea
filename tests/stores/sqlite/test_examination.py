"""What an examination sees in a SQLite file, and what it mends."""

import os
import sqlite3
import stat
from pathlib import Path

import pytest

from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.stores.observation import Observation
from goldfish.stores.sqlite.examination import NETWORK, file_system
from goldfish.testing import HashEmbedder

MOUNTED = """22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /srv/my\\040files rw shared:2 - nfs4 server:/x rw
31 30 0:41 / /srv/my\\040files/local rw - xfs /dev/sdb rw
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def opened(path: Path) -> SQLiteMemoryStore:
    embedder = HashEmbedder(16)
    return SQLiteMemoryStore(path, embedder=embedder, search=True, keep_trimmed=True)


def said(count: int) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=f"secret {n}") for n in range(count)]


async def fill(path: Path) -> None:
    """Use every table: snapshots, rollbacks, forks, trims, state, facts and their history."""
    async with opened(path) as store:
        await store.add_messages("s", said(20))
        await store.set_state("s", {"name": "secret"})
        first = await store.save_snapshot("s")
        await store.trim("s", keep_last=10)
        await store.save_snapshot("s")
        await store.rollback_to_snapshot("s", first)
        await store.trim("s", keep_last=5)
        await store.fork("s", first, "forked", key="k")
        await store.delete_messages("forked", [said(1)[0].id])
        fact = await store.remember("u", "likes secret tea", key="k")
        await store.revise("u", fact.id, "likes secret milk", key="k")


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def examined(path: Path, *, repair: bool = False) -> dict[str, Observation]:
    async with opened(path) as store:
        found = await store.examine(repair=repair)
    assert len({each.subject for each in found}) == len(found)
    return {each.subject: each for each in found}


async def test_all_is_well_in_a_file_of_every_kind(path: Path) -> None:
    """Nothing is wrong with what the store itself has written, and nothing of it is told."""
    await fill(path)
    found = await examined(path)
    assert [each for each in found.values() if each.level == "damage"] == []
    for subject in ("journal mode", "durability", "file permissions", "schema", "pages"):
        assert found[subject].level == "ok", found[subject]
    assert not any(each.advice for each in found.values() if each.level == "ok")
    assert "secret" not in repr(found)


@pytest.mark.parametrize(
    ("subject", "statement"),
    [
        ("sessions", "DELETE FROM goldfish_sessions WHERE session_id = 's'"),
        ("newest snapshots", "UPDATE goldfish_sessions SET snapshot = 1, top = NULL WHERE pk = 1"),
        ("messages set aside", "INSERT INTO goldfish_archive VALUES (4294967295, 'x', 'x')"),
        ("state in snapshots", "INSERT INTO goldfish_saved_state VALUES (99, 'n', '1')"),
        ("trimmed messages", "UPDATE goldfish_sessions SET kept_top = NULL"),
        ("search rows", "INSERT INTO goldfish_vectors VALUES (4294967295, x'00000000')"),
        ("search vectors", "UPDATE goldfish_vectors SET vectors = x'00'"),
        ("fact counters", "UPDATE goldfish_fact_users SET version = 0"),
        ("fact history", "INSERT INTO goldfish_fact_history VALUES (1, 99, 1, 'x')"),
        (
            "fact tokens",
            "INSERT INTO goldfish_fact_tokens VALUES (99, 1, 't', 99, 1e12)",
        ),
    ],
)
async def test_what_contradicts_itself_is_counted_and_mended(
    path: Path, subject: str, statement: str
) -> None:
    """It is damage until it is repaired, and afterwards all is well."""
    await fill(path)
    change(path, statement)
    seen = (await examined(path))[subject]
    assert (seen.level, seen.repairable, seen.repaired) == ("damage", True, False), seen
    assert int(seen.detail.split()[0]) > 0
    assert seen.advice
    assert (await examined(path, repair=True))[subject].repaired
    after = await examined(path)
    assert [each for each in after.values() if each.level == "damage"] == []


@pytest.mark.parametrize(
    ("subject", "statement"),
    [
        ("places", "UPDATE goldfish_messages SET session = 77 WHERE place = (4294967296 + 20)"),
        ("snapshots", "UPDATE goldfish_snapshots SET top = 5"),
        ("messages in snapshots", "DELETE FROM goldfish_archive"),
        ("facts", "DELETE FROM goldfish_fact_users"),
        ("fact vectors", "UPDATE goldfish_facts SET vectors = x'00'"),
        ("readable messages", "UPDATE goldfish_messages SET body = '{}' WHERE place % 2"),
        ("readable facts", "UPDATE goldfish_facts SET said = '{broken'"),
        ("readable facts", "UPDATE goldfish_facts SET base = '{}'"),
        ("readable facts", "UPDATE goldfish_facts SET near = '{}}'"),
        ("readable values", "UPDATE goldfish_state SET value = '{broken'"),
    ],
)
async def test_what_cannot_be_mended_is_damage_that_stays(
    path: Path, subject: str, statement: str
) -> None:
    """A repair does not pretend, and removes nothing of it."""
    await fill(path)
    change(path, statement)
    for repair in (False, True):
        seen = (await examined(path, repair=repair))[subject]
        assert (seen.level, seen.repairable, seen.repaired) == ("damage", False, False), seen


async def test_messages_without_a_session_get_one(path: Path) -> None:
    """Nothing of them is lost, and no session that is begun later inherits them."""
    await fill(path)
    change(path, "DELETE FROM goldfish_sessions WHERE session_id = 's'")
    await examined(path, repair=True)
    async with opened(path) as store:
        (recovered,) = await store.list_sessions("recovered-")
        contents = [message.content for message in await store.get_history(recovered)]
        assert contents == [f"secret {n}" for n in range(15, 20)]
        assert len(await store.list_snapshots(recovered)) == 2
        assert await store.get_state(recovered) == {"name": "secret"}


async def test_a_file_that_others_may_read_is_closed_to_them(path: Path) -> None:
    """It is a warning first; a repair takes their rights away, and leaves the owner's."""
    await fill(path)
    os.chmod(path, 0o644)
    seen = (await examined(path))["file permissions"]
    assert (seen.level, seen.repairable) == ("warning", True)
    assert "0644" in seen.detail
    assert (await examined(path, repair=True))["file permissions"].repaired
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (await examined(path))["file permissions"].level == "ok"


async def test_overwritten_pages_are_damage(path: Path) -> None:
    """They are seen although the store can still open the file."""
    async with SQLiteMemoryStore(path) as store:
        for n in range(20):
            await store.add_messages(f"s{n}", said(50))
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size - 8192)
        file.write(b"\xa5" * 4096)
    async with SQLiteMemoryStore(path) as store:
        found = {each.subject: each for each in await store.examine(repair=True)}
    assert found["pages"].level == "damage"
    assert "backup" in found["pages"].advice


@pytest.mark.parametrize(
    ("place", "kind", "network"),
    [
        ("/home/memory.db", "ext4", False),
        ("/srv/my files/memory.db", "nfs4", True),
        ("/srv/my files/local/memory.db", "xfs", False),
    ],
)
def test_a_network_file_system_is_seen(place: str, kind: str, network: bool) -> None:
    """By the mount that holds the file, which is the innermost."""
    assert file_system(Path(place), MOUNTED) == kind
    assert bool(NETWORK.fullmatch(kind)) == network

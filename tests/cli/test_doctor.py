"""``goldfish doctor``: what it prints of a store, and how it ends."""

import json
import sqlite3
from pathlib import Path

import pytest

import goldfish
from goldfish import ChatMessage
from goldfish.cli import run_command
from goldfish.services import RedisServer, shared_postgres


async def fill(url: str, **options: str) -> None:
    """Let a store at the URL have a little of everything."""
    async with goldfish.open_store(url, embedder=None, **options) as store:  # type: ignore[call-overload]
        await store.add_messages("secret session", [ChatMessage(role="user", content="hush")])
        await store.save_snapshot("secret session")
        await store.remember("secret user", "hush hush")


async def test_a_store_of_which_all_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 0 and a few lines, or one for each observation; and nothing of what is stored."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    await fill(url)
    assert run(["doctor", url]) == 0
    told = capsys.readouterr().out
    assert "  ok        journal mode, durability, schema, " in told
    assert told.splitlines()[-1].startswith("Nothing wrong in ")
    assert run(["doctor", url, "-v"]) == 0
    told += capsys.readouterr().out
    assert "  ok        schema: version " in told
    assert "secret" not in told
    assert "hush" not in told


async def test_damage_is_counted_and_repaired_if_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 1 until it is repaired, then 0; the first run says how."""
    path = tmp_path / "memory.db"
    await fill(f"sqlite:///{path}")
    path.chmod(0o644)
    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO goldfish_messages VALUES (99 << 32, 99, 'lost', '{}')")
    assert run(["doctor", f"sqlite:///{path}"]) == 1
    told = capsys.readouterr().out
    assert "warning   file permissions: mode 0644" in told
    assert "add --repair" in told
    run(["doctor", f"sqlite:///{path}", "--repair"])
    assert "repaired  file permissions" in capsys.readouterr().out
    assert path.stat().st_mode & 0o777 == 0o600


async def test_machines_get_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One document with a version and every observation."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    await fill(url)
    assert run(["doctor", url, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1
    assert {each["level"] for each in document["observations"]} == {"ok"}
    assert {"subject", "level", "detail", "advice", "repairable", "repaired"} == set(
        document["observations"][0]
    )


async def test_a_redis_that_evicts_and_forgets_is_warned_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each setting with what to do, and the URL without its password."""
    with RedisServer(settings={"maxmemory-policy": "allkeys-lru"}) as server:
        await fill(server.url, prefix="mine")
        assert run(["doctor", server.url, "--prefix", "mine", "-v"]) == 1
        told = capsys.readouterr().out
        assert server.password not in told
    assert "warning   eviction policy: maxmemory-policy is allkeys-lru" in told
    assert "set maxmemory-policy to noeviction" in told
    assert "warning   persistence: neither an append-only file nor RDB" in told
    assert "the keys of 1 sessions agree" in told


async def test_a_postgres_that_may_lose_commits_is_warned_about(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its other settings are fine, and are told too."""
    dsn = shared_postgres().database()
    await fill(dsn, schema="mine")
    run(["doctor", dsn, "--schema", "mine", "-v"])
    told = capsys.readouterr().out
    shared_postgres().release(dsn)
    assert "full_page_writes" in told
    assert "schema" in told


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["memory://"], "memory:// exists in one process only"),
        (["sqlite:///nowhere.db"], "nowhere.db does not exist: name the file of an existing store"),
        (["mongodb://h"], "no store has the scheme mongodb://"),
        (["redis://h:port"], "is not a Redis URL"),
        (["sqlite:///x.db", "--prefix", "p"], "--prefix is for Redis"),
        (["redis://:hunter2@127.0.0.1:1"], "check that it is running"),
        (["postgresql://u:hunter2@127.0.0.1:1/d"], "check that it is running"),
    ],
)
def test_what_cannot_be_examined_is_one_sentence(
    words: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit 2, no file is made, no password is shown."""
    monkeypatch.chdir(tmp_path)
    assert run_command(["doctor", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert complaint in captured.err
    assert len(captured.err.splitlines()) == 1
    assert "hunter2" not in captured.err
    assert list(tmp_path.iterdir()) == []


def run(words: list[str]) -> int:
    """The exit code, from within a test that has an event loop of its own."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run_command, words).result()

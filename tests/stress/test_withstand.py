"""Workloads put to memories, judged, and made small."""

import re
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from random import Random
from typing import Any, ClassVar

import pytest

from goldfish.findings.result import UnprovenError, Violation
from goldfish.harness.forks import ForkServer
from goldfish.harness.memory import Memory
from goldfish.integrations.goldfish.targets import memory as in_memory
from goldfish.integrations.goldfish.targets import sqlite
from goldfish.messages import ChatMessage
from goldfish.specimens.references.sqlite import Database, Reference
from goldfish.stress.nemesis import kill_pods, stop_pods
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload
from goldfish.targets.declaration import Target, as_target
from goldfish.world.sandbox import Sandbox

SMALL = Workload(pods=2, processes=3, operations=24, batch=2)


@asynccontextmanager
async def under_test(target: Target, seed: int = 1) -> AsyncIterator[Memory]:
    sandbox, forks = Sandbox(), ForkServer(target)
    memory = Memory(target, sandbox, Random(seed), 10.0, forks, code="CON01")
    try:
        await memory.open()
        yield memory
    finally:
        await memory.discard()
        forks.close()
        sandbox.close()


@pytest.mark.parametrize("target", [sqlite, as_target(Reference)], ids=lambda each: each.name)
async def test_a_correct_memory_withstands_and_what_it_kept_is_counted(target: Target) -> None:
    """Messages were acknowledged, none was lost, and every call is on the record."""
    async with under_test(target) as memory:
        await withstand(memory, SMALL, rounds=2)
        await withstand(memory, SMALL, rounds=1, nemesis=stop_pods)
        await withstand(memory, SMALL, rounds=1, nemesis=kill_pods)
        assert memory.record.acknowledged > 40
        assert memory.record.lost == 0
        assert len([c for c in memory.record.history.calls if c.action != "fault"]) > 96


async def test_a_memory_in_the_process_is_caught_with_a_history_that_a_person_can_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The violation has few calls in few pods, says so, and the loss is counted."""
    monkeypatch.setattr("goldfish.stress.withstand.SHRINK_SECONDS", 60.0)
    async with under_test(in_memory) as memory:
        with pytest.raises(Violation) as caught:
            await withstand(memory, Workload(pods=3, processes=4, operations=16, batch=1))
        title, *calls, size, before = caught.value.evidence
        assert caught.value.finding == "lost"
        assert 2 <= len(calls) <= 4
        assert any(" add w" in call for call in calls)
        assert any(" read:" in call for call in calls)
        assert title.startswith("milliseconds")
        assert re.match(r"seen with [23] pods, ", size)
        assert before == "made smaller from 3 pods, 4 callers, 1 session, 16 calls"
        assert 0 < memory.record.lost < memory.record.acknowledged


class ReadsOn(Database):
    """A store whose process reads only what has a higher number than all that it has read."""

    read: ClassVar[dict[tuple[str, str], dict[int, str]]] = {}
    reading = threading.Lock()

    tables = """
        CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY AUTOINCREMENT);
        CREATE TABLE IF NOT EXISTS log (n INTEGER, session TEXT, content TEXT);
    """

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox.path / "log.db")

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        for message in messages:
            number = self.column("INSERT INTO numbers DEFAULT VALUES RETURNING n")[0]
            time.sleep(number % 3 / 100)  # a transaction that takes longer than the next one
            row = (number, session_id, message.content)
            self.db.execute("INSERT INTO log VALUES (?, ?, ?)", row)

    def get_history(self, session_id: str) -> list[ChatMessage]:
        rows = self.read.setdefault((str(self.path), session_id), {})
        query = "SELECT n, content FROM log WHERE session = ? AND n > ? ORDER BY n"
        with self.reading:
            rows |= dict(self.db.execute(query, (session_id, max(rows, default=0))).fetchall())
        return [ChatMessage(role="user", content=rows[number]) for number in sorted(rows)]


async def test_what_a_new_process_reads_is_not_lost() -> None:
    """The only one that was asked has read on behind it, but it is there."""
    async with under_test(as_target(ReadsOn)) as memory:
        with pytest.raises(Violation) as caught:
            await withstand(memory, Workload(pods=1, batch=1, mix={"add": 1, "read": 1}))
        assert caught.value.finding == "stale"


async def test_where_batches_need_not_be_whole_messages_are_added_one_by_one() -> None:
    """A memory that stores a batch message by message is not blamed for what lies between."""
    target = replace(as_target(Reference), lacks=frozenset({"whole_batches"}))
    async with under_test(target) as memory:
        await withstand(memory, SMALL, rounds=1, nemesis=stop_pods)
        written = [call.value for call in memory.record.history.calls if call.action == "add"]
        assert {len(value) for value in written} == {1}


async def test_the_same_memory_is_held_within_one_process() -> None:
    """Calls at once are no fault of a memory that never left its process."""
    async with under_test(in_memory) as memory:
        await withstand(memory, Workload(pods=0, mix={"add": 4, "read": 2, "trim": 1, "clear": 1}))


async def test_one_seed_asks_the_same_twice() -> None:
    """What is asked depends on the seed alone, not on what came of it."""
    asked = []
    for _ in range(2):
        async with under_test(sqlite, seed=5) as memory:
            await withstand(memory, SMALL, rounds=2)
            calls = [c for c in memory.record.history.calls if c.process != "end"]
            asked.append(sorted((c.process, c.session, c.action, str(c.value)) for c in calls))
    assert asked[0] == asked[1]


async def test_where_nothing_was_read_back_nothing_is_proven() -> None:
    """A workload that only reads is neither held nor broken."""
    async with under_test(sqlite) as memory:
        with pytest.raises(UnprovenError):
            await withstand(memory, Workload(pods=0, operations=5, mix={"read": 1}))

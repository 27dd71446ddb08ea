"""A recorded conversation, asked of another store."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from goldfish import ChatMessage, InMemoryStore, record
from goldfish.cli import run_command
from goldfish.testing import HashEmbedder

FORGETFUL = """
from datetime import UTC
from goldfish import InMemoryStore


class {name}(InMemoryStore):
    async def get_history(self, session_id, *, last=None):
        found = await super().get_history(session_id, last=last)
        {change}
        return found


def memory(sandbox):
    return {name}()
"""


def says(content: str, **fields: Any) -> ChatMessage:
    return ChatMessage(role="user", content=content, **fields)


async def converse(path: Path) -> None:
    """A conversation that uses names which each store makes for itself."""
    async with record(InMemoryStore(embedder=HashEmbedder()), path) as store:
        await store.add_messages("ann", [says("one", metadata={"id": 1}), says("two")])
        snapshot = await store.save_snapshot("ann", label="before")
        await store.add_messages("ann", [says("three")])
        await store.get_history("ann")
        await store.rollback_to_snapshot("ann", snapshot)
        await store.get_history("ann")
        await store.list_snapshots("ann")
        fact = await store.remember("ann", "Ann likes tea.", metadata={"seen": 3})
        await store.revise("ann", fact.id, "Ann likes coffee.")
        await store.list_facts("ann")
        await store.set_ttl("ann", 1_000)
        await store.get_ttl("ann")
        await store.clear("ann")


@pytest.fixture
def conversation(tmp_path: Path) -> Path:
    """The file of the recording."""
    asyncio.run(converse(tmp_path / "calls.jsonl"))
    return tmp_path / "calls.jsonl"


def target(path: Path, change: str) -> str:
    """A store that changes what it reads, as a target."""
    file = path.parent / "other.py"
    file.write_text(FORGETFUL.format(name="Other", change=change))
    return f"{file}:memory"


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_store_that_answers_the_same_holds(
    conversation: Path, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever ids and times it makes for itself."""
    assert run_command(["replay", str(conversation), "--against", store]) == 0
    assert capsys.readouterr().out.startswith(f"{store}: held. 13 calls of 1 session")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("found = found[:2]", "the number of messages (only recorded: 'three')"),
        (
            "found[1:2] = [each.model_copy(update={'role': 'tool'}) for each in found[1:2]]",
            "message 2 of 3, its role",
        ),
        ("if session_id == 'ann': raise OSError('down')", "whether it raises"),
    ],
)
def test_the_first_answer_that_differs_is_shown_field_by_field(
    conversation: Path, change: str, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what was recorded, and what is here."""
    assert (
        run_command(["replay", str(conversation), "--against", target(conversation, change)]) == 1
    )
    told = " ".join(capsys.readouterr().out.split())
    assert "call 4 of 13, get_history('ann'), has another answer" in told
    assert place in told
    assert "recorded " in told
    assert "here " in told


def test_a_recording_needs_a_store_and_a_history_needs_none(
    conversation: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each is a sentence on standard error, and exit code 2."""
    assert run_command(["replay", str(conversation)]) == 2
    assert "name the store to run it against with --against" in capsys.readouterr().err


def test_a_damaged_recording_is_no_recording(
    conversation: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half a line at its end is said, and nothing is asked."""
    conversation.write_bytes(conversation.read_bytes()[:-20])
    assert run_command(["replay", str(conversation), "--against", "memory"]) == 2
    assert "give a file of goldfish.record" in capsys.readouterr().err

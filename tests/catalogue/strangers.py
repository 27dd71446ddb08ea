"""Memories for facts as strangers write them: async, on a JSON file, in shapes of their own."""

import asyncio
import contextlib
import fcntl
import json
import re
import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any


class Notebook:
    """All facts in one file, which is read and written anew under a lock, by every call."""

    def __init__(self, sandbox: Any) -> None:
        self._file = sandbox.path / "notes.json"
        self._lock = sandbox.path / "notes.lock"

    async def remember(self, user_id: str, text: str, *, metadata: Any = None) -> None:
        """Write it down, unless it is there; what came of it is not told."""
        note = {"id": uuid.uuid4().hex, "text": text, "metadata": metadata or {}}
        if json.loads(json.dumps(note)) != note:
            raise TypeError("these metadata cannot be written down")
        await asyncio.sleep(0)
        with self._opened() as notes:
            mine = notes.setdefault(user_id, [])
            if _plain(text) not in [_plain(each["text"]) for each in mine]:
                mine.append(note)

    async def recall(self, user_id: str, query: str, *, limit: int = 5) -> list[tuple[Any, int]]:
        """Pairs of a note and how many words it shares with the query, best first."""
        asked = _words(query)
        shared = [(note, len(asked & _words(note.text))) for note in await self.notes(user_id)]
        best = sorted((pair for pair in shared if pair[1]), key=lambda pair: -pair[1])
        return best[:limit]

    async def forget(self, user_id: str, fact_id: str) -> None:
        """Strike it out."""
        with self._opened() as notes:
            mine = notes.get(user_id, [])
            notes[user_id] = [each for each in mine if each["id"] != fact_id]

    async def notes(self, user_id: str) -> list[Any]:
        """The notes about a user, as objects of this library's own."""
        await asyncio.sleep(0)
        with self._opened() as notes:
            return [SimpleNamespace(**each) for each in notes.get(user_id, [])]

    @contextlib.contextmanager
    def _opened(self) -> Iterator[dict[str, Any]]:
        with self._lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            notes = json.loads(self._file.read_text()) if self._file.exists() else {}
            before = json.dumps(notes)
            yield notes
            if (after := json.dumps(notes)) != before:
                fresh = self._file.with_suffix(".new")
                fresh.write_text(after)
                fresh.replace(self._file)


class ListedNotebook(Notebook):
    """The same, with a list that is an async iterator."""

    async def list_facts(self, user_id: str) -> Any:
        """The notes, one after the other."""
        for note in await self.notes(user_id):
            yield note


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold()))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).removesuffix(".")

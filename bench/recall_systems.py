"""The memories that take part in the benchmark of recall, each with one conversation at a time."""

import re
import sqlite3
import tempfile
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bench.locomo import Conversation
from goldfish import ChatMessage, SQLiteMemoryStore
from goldfish.embedding import Embedder, pieces
from goldfish.stores.retrieval.stop_words import STOP_WORDS

USER = "user"
DEEP = 20  # how far down the list is looked, as far as the table tells


class TimedEmbedder:
    """An embedder that encodes each text once for all systems, and knows how long that took."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self.name, self.dimensions = embedder.name, embedder.dimensions
        self.seconds = 0.0

    def pieces(self, text: str) -> list[str]:
        """As the embedder cuts it."""
        return pieces(self._embedder, text)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector per text."""
        began = perf_counter()
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if missing:
            encoded = self._embedder.encode(missing)
            self._vectors.update(zip(missing, encoded, strict=True))
        vectors = np.stack([self._vectors[text] for text in texts])
        self.seconds += perf_counter() - began
        return vectors


class System(ABC):
    """A memory that is filled with a conversation, and asked."""

    name = ""

    def __init__(self, embedder: TimedEmbedder) -> None:
        self.embedder = embedder
        self._directory: AbstractContextManager[str] = tempfile.TemporaryDirectory()
        self.path = Path(".")

    async def __aenter__(self) -> Self:
        self.path = Path(self._directory.__enter__())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
        self._directory.__exit__(kind, error, trace)

    @abstractmethod
    async def fill(self, conversation: Conversation) -> None:
        """Take in all turns."""

    @abstractmethod
    async def search(self, question: str) -> list[list[str]]:
        """The turns that fit best, by id; several where the memory keeps them as one."""

    async def close(self) -> None:  # noqa: B027 - some have nothing open
        """Give back what is open."""


class PlainWords(System):
    """SQLite's full text search, as one would write it in an afternoon."""

    name = "FTS5 porter, one turn"

    async def fill(self, conversation: Conversation) -> None:
        self._db = sqlite3.connect(":memory:")
        self._db.execute(
            "CREATE VIRTUAL TABLE said USING fts5(id UNINDEXED, text, tokenize='porter unicode61')"
        )
        rows = [(turn.id, turn.text) for turn in conversation.turns]
        self._db.executemany("INSERT INTO said VALUES (?, ?)", rows)

    async def search(self, question: str) -> list[list[str]]:
        words = [w for w in re.findall(r"\w+", question.casefold()) if w not in STOP_WORDS]
        query = " OR ".join(f'"{word}"' for word in words)
        sql = f"SELECT id FROM said WHERE said MATCH ? ORDER BY rank LIMIT {DEEP}"
        return [[each] for (each,) in self._db.execute(sql, (query,))] if words else []

    async def close(self) -> None:
        self._db.close()


class PlainVectors(System):
    """MiniLM and a dot product."""

    name = "MiniLM, one turn"

    async def fill(self, conversation: Conversation) -> None:
        self._ids = [turn.id for turn in conversation.turns]
        self._vectors = self.embedder.encode(self._texts(conversation))

    async def search(self, question: str) -> list[list[str]]:
        close = self._vectors @ self.embedder.encode([question])[0]
        return [[self._ids[n]] for n in np.argsort(-close, kind="stable")[:DEEP]]

    def _texts(self, conversation: Conversation) -> list[str]:
        return [turn.text for turn in conversation.turns]


class NamedVectors(PlainVectors):
    """The same, with the speaker before the text."""

    name = 'MiniLM, "Speaker: text"'

    def _texts(self, conversation: Conversation) -> list[str]:
        return [f"{turn.speaker}: {turn.text}" for turn in conversation.turns]


class History(System):
    """Turns as messages of one session each, found by ``search_history`` on SQLite."""

    name = "goldfish, search_history"

    async def fill(self, conversation: Conversation) -> None:
        path = self.path / "history.db"
        self._store = SQLiteMemoryStore(path, search=True, embedder=self.embedder)
        sessions: defaultdict[str, list[ChatMessage]] = defaultdict(list)
        for turn in conversation.turns:
            message = ChatMessage(
                role="user",
                content=turn.text,
                id=turn.id,
                name=turn.speaker,
                created_at=turn.moment,
            )
            sessions[self._session(turn.session)].append(message)
        for session_id, messages in sessions.items():
            await self._store.add_messages(session_id, messages)
        self._sessions = list(sessions)

    async def search(self, question: str) -> list[list[str]]:
        found = await self._store.search_history(self._sessions, question, limit=DEEP)
        return [[hit.message.id] for hit in found]

    async def close(self) -> None:
        await self._store.aclose()

    def _session(self, number: int) -> str:
        return str(number)


class LongHistory(History):
    """The same, with the whole conversation in one session."""

    name = "goldfish, one long session"

    def _session(self, number: int) -> str:
        return "all"


class Facts(System):
    """Turns as facts that stand alone, found by ``recall`` on SQLite."""

    name = "goldfish, recall of facts"

    async def fill(self, conversation: Conversation) -> None:
        self._store = SQLiteMemoryStore(self.path / "facts.db", embedder=self.embedder)
        self._turns: defaultdict[str, list[str]] = defaultdict(list)
        for turn in conversation.turns:
            metadata = {"speaker": turn.speaker, "time": turn.moment.isoformat()}
            fact = await self._store.remember(USER, turn.text, metadata=metadata)
            self._turns[fact.id].append(turn.id)

    async def search(self, question: str) -> list[list[str]]:
        found = await self._store.recall(USER, question, limit=DEEP)
        return [self._turns[each.fact.id] for each in found]

    async def close(self) -> None:
        await self._store.aclose()


class Mem0(System):
    """mem0ai, offline, with Qdrant on disk."""

    name = "mem0ai"

    async def fill(self, conversation: Conversation) -> None:
        from goldfish.integrations.mem0 import offline as mem0_offline

        config = {
            "path": str(self.path / "qdrant"),
            "on_disk": True,
            "collection_name": mem0_offline.COLLECTION,
            "embedding_model_dims": self.embedder.dimensions,
        }
        store = {"provider": "qdrant", "config": config}
        self._memory: Any = mem0_offline.open_memory(
            mem0_offline.Memory, self.path, store, self.embedder
        )
        for turn in conversation.turns:
            text = f"{turn.speaker}: {turn.text}"
            self._memory.add(text, user_id=USER, metadata={"turn": turn.id}, infer=False)

    async def search(self, question: str) -> list[list[str]]:
        from goldfish.integrations.mem0.adapter import results, scope_arguments

        options = scope_arguments(self._memory.search, USER, DEEP, None)
        found = results(self._memory.search(question, **options))
        return [[item["metadata"]["turn"]] for item in found]

    async def close(self) -> None:
        from goldfish.integrations.mem0 import offline as mem0_offline

        mem0_offline.close(self._memory)


SYSTEMS: tuple[type[System], ...] = (
    PlainWords,
    PlainVectors,
    NamedVectors,
    History,
    LongHistory,
    Facts,
    Mem0,
)

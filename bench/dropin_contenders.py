"""The drop-ins and the originals that they stand in for, each with a conversation that grows.

A turn is what an application does when a user says something: it reads what was said before, and
adds two messages of 180 characters. For the LangGraph store it reads one item and puts another.
"""

import asyncio
import random
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import goldfish

CHARACTERS = 180
THREAD: Any = {"configurable": {"thread_id": "thread"}}
WORDS = [f"{first}{second}" for first in ("ba", "ke", "li", "mo", "su") for second in "nrstdlgk"]


def sentence(number: int) -> str:
    """Return a text that is like no other, and as compressible as words are."""
    draw = random.Random(number)
    text = " ".join(draw.choice(WORDS) + draw.choice(WORDS) for _ in range(CHARACTERS // 4))
    return f"{number} {text}"[:CHARACTERS]


class Conversation(ABC):
    """A conversation in one memory."""

    def __init__(self, exits: ExitStack) -> None:
        self.exits = exits

    @abstractmethod
    def turn(self, number: int) -> None:
        """Take a turn."""

    @abstractmethod
    def load(self) -> int:
        """Read all that was said, as a process does that is new to it; return how much it is."""


class Graph(Conversation):
    """A graph with one node."""

    def __init__(self, exits: ExitStack, saver: Callable[[], Any]) -> None:
        super().__init__(exits)
        self._saver = saver
        self._graph = self._compile()

    def turn(self, number: int) -> None:
        human = import_module("langchain_core.messages").HumanMessage
        self._graph.invoke({"messages": [human(sentence(number))]}, THREAD)

    def load(self) -> int:
        return len(self._compile().get_state(THREAD).values["messages"])

    def _compile(self) -> Any:
        graph, messages = import_module("langgraph.graph"), import_module("langchain_core.messages")

        def answer(state: Any) -> Any:
            return {"messages": [messages.AIMessage(sentence(-len(state["messages"])))]}

        built = graph.StateGraph(graph.MessagesState).add_node("agent", answer)
        return built.add_edge(graph.START, "agent").compile(self._saver())


class Items(Conversation):
    """A namespace of a LangGraph store."""

    def __init__(self, exits: ExitStack, store: Any) -> None:
        super().__init__(exits)
        self._store = store

    def turn(self, number: int) -> None:
        self._store.get(("user",), str(number // 2))
        self._store.put(("user",), str(number), {"text": sentence(number)})

    def load(self) -> int:
        return len(self._store.search(("user",), limit=1_000_000))


class Histories(Conversation):
    """A chat history of LangChain."""

    def __init__(self, exits: ExitStack, history: Any) -> None:
        super().__init__(exits)
        self._history = history

    def turn(self, number: int) -> None:
        messages = import_module("langchain_core.messages")
        self.load()
        said = messages.HumanMessage(sentence(number)), messages.AIMessage(sentence(-number))
        self._history.add_messages(said)

    def load(self) -> int:
        return len(self._history.messages)


class Sessions(Conversation):
    """A session of the OpenAI Agents SDK."""

    def __init__(self, exits: ExitStack, session: Any) -> None:
        super().__init__(exits)
        self._session = session
        self._loop = exits.enter_context(asyncio.Runner())

    def turn(self, number: int) -> None:
        self._loop.run(self._turn(number))

    def load(self) -> int:
        return len(self._loop.run(self._session.get_items()))

    async def _turn(self, number: int) -> None:
        await self._session.get_items()
        user = {"role": "user", "content": sentence(number)}
        await self._session.add_items([user, {"role": "assistant", "content": sentence(-number)}])


@dataclass(frozen=True)
class Race:
    """A drop-in and its original on one backend."""

    name: str
    backend: str
    original: str
    theirs: Callable[[str], Conversation]  # of a path or an address
    ours: Callable[[str], Conversation]


def _open(exits: ExitStack, url: str, **options: Any) -> Any:
    address = url if "://" in url else f"sqlite:///{url}"
    return exits.enter_context(goldfish.blocking(goldfish.open_store(address, **options)))


def _our_saver(url: str) -> Conversation:
    exits = ExitStack()
    store, module = _open(exits, url), import_module("goldfish.dropins.langgraph")
    return Graph(exits, lambda: module.Saver(store))


def _sqlite_saver(url: str) -> Conversation:
    exits = ExitStack()
    connection = sqlite3.connect(url, check_same_thread=False)
    exits.callback(connection.close)
    module = import_module("langgraph.checkpoint.sqlite")
    return Graph(exits, lambda: module.SqliteSaver(connection))


def _postgres_saver(url: str) -> Conversation:
    exits = ExitStack()
    module = import_module("langgraph.checkpoint.postgres")
    saver = exits.enter_context(module.PostgresSaver.from_conn_string(url))
    saver.setup()
    return Graph(exits, lambda: saver)


def _our_store(url: str) -> Conversation:
    exits = ExitStack()
    store = _open(exits, url, embedder=None).store
    return Items(exits, import_module("goldfish.dropins.langgraph").Store(store))


def _their_store(backend: str, name: str, url: str) -> Conversation:
    exits = ExitStack()
    kind = getattr(import_module(f"langgraph.store.{backend}"), name)
    store = exits.enter_context(kind.from_conn_string(url))
    store.setup()
    return Items(exits, store)


def _our_history(url: str) -> Conversation:
    exits = ExitStack()
    module = import_module("goldfish.dropins.langchain")
    return Histories(exits, module.ChatMessageHistory("session", _open(exits, url)))


def _sql_history(url: str) -> Conversation:
    exits = ExitStack()
    engine = import_module("sqlalchemy").create_engine(f"sqlite:///{url}")
    exits.callback(engine.dispose)
    module = import_module("langchain_community.chat_message_histories")
    return Histories(exits, module.SQLChatMessageHistory("session", connection=engine))


def _our_session(url: str) -> Conversation:
    exits = ExitStack()
    module = import_module("goldfish.dropins.openai_agents")
    return Sessions(exits, module.Session("session", _open(exits, url).store))


def _sqlite_session(url: str) -> Conversation:
    exits = ExitStack()
    session = import_module("agents").SQLiteSession("session", url)
    exits.callback(session.close)
    return Sessions(exits, session)


RACES = (
    Race("saver", "sqlite", "SqliteSaver", _sqlite_saver, _our_saver),
    Race("saver", "postgres", "PostgresSaver", _postgres_saver, _our_saver),
    Race(
        "store", "sqlite", "SqliteStore", partial(_their_store, "sqlite", "SqliteStore"), _our_store
    ),
    Race(
        "store",
        "postgres",
        "PostgresStore",
        partial(_their_store, "postgres", "PostgresStore"),
        _our_store,
    ),
    Race("session", "sqlite", "SQLiteSession", _sqlite_session, _our_session),
    Race("history", "sqlite", "SQLChatMessageHistory", _sql_history, _our_history),
)


def file_bytes(path: Path) -> int:
    """Return the size of a SQLite file, after its log has been written into it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path.stat().st_size

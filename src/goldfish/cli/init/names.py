"""The project's names in a generated file: how each is imported, and what stands for it there."""

import builtins
import keyword

# What generated files define, bind or import for themselves, in whichever of them.
OWN = {
    *(
        "Bot",
        "Wrapped",
        "_list_texts",
        "bot",
        "memory",
        "say",
        "test_agent",
        "test_memory",
    ),
    *("about", "answer", "config", "connection", "each", "engine", "event", "events", "found"),
    *("history", "http", "key", "keys", "limit", "messages", "offline", "open_session"),
    *("opened", "part", "path", "project", "query", "result", "rows", "said", "sandbox", "self"),
    *("session", "session_id", "sessions", "store", "text", "turn", "user_id"),
    *("AsyncSession", "ConnectionPool", "OfflineMem0", "Path", "Runner", "SQLModel"),
    *("SQLiteSession", "Session", "SimpleNamespace", "SqliteSessionService", "TestClient"),
    *("aioredis", "aiosqlite", "async_sessionmaker", "asyncpg", "call_command"),
    *("asynccontextmanager", "begin", "contextmanager", "datetime", "insert", "open_memory"),
    *("create_async_engine", "create_engine", "django", "goldfish", "handle", "hashlib", "os"),
    *("AsyncConnectionPool", "psycopg", "psycopg2"),
    *("quote", "redis", "select", "sessionmaker", "settings", "sqlite3", "sys", "types"),
    *("urlsplit", "uuid", "valkey"),
    *dir(builtins),
    *keyword.softkwlist,
}


class ProjectNames:
    """The modules and classes of a project that a file imports, none under a name that it uses."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, str], str] = {}
        self._spelled: dict[tuple[str, str], str] = {}

    def use_module(self, module: str) -> str:
        """Import a module; return the expression that stands for it."""
        is_free = module.partition(".")[0] not in OWN
        spelled = module if is_free else _avoid(module)
        line = f"import {module}" if is_free else f"import {module} as {spelled}"
        return self._note((module, ""), spelled, line)

    def use(self, module: str, name: str) -> str:
        """Import a name of a module; return the name that stands for it."""
        taken = {self._spelled[key] for key in self._spelled if key != (module, name)}
        spelled = _avoid(name) if name in OWN else name
        if spelled in taken:
            spelled = _avoid(f"{module}.{name}")
        renamed = f" as {spelled}" if spelled != name else ""
        return self._note((module, name), spelled, f"{name}{renamed}")

    def _note(self, key: tuple[str, str], spelled: str, line: str) -> str:
        self._lines.setdefault(key, line)
        return self._spelled.setdefault(key, spelled)

    def write_imports(self) -> list[str]:
        """Return the import statements, sorted."""
        named: dict[str, set[str]] = {}
        for (module, name), line in self._lines.items():
            if name:
                named.setdefault(module, set()).add(line)
        lines = [f"from {module} import {', '.join(sorted(names))}"
                 for module, names in named.items()]  # fmt: skip
        return sorted([*lines, *(line for (_, name), line in self._lines.items() if not name)])


def _avoid(dotted: str) -> str:
    return f"project_{dotted.replace('.', '_')}"

"""How a memory of a project is opened in a sandbox: clients, engines, paths and settings."""

import ast
import re
from collections.abc import Iterator

from goldfish.cli.init.backends import (
    BACKENDS,
    FILE,
    FOLDER,
    NO_SERVER,
    NOWHERE,
    OWN_SERVERS,
    PARTS,
    POSTGRES,
    URL,
    Place,
)
from goldfish.cli.init.connections import make_connection
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.openers import CONNECTIONS, CONNECTS, Opener, find_openers
from goldfish.cli.init.opening import lead_defaults, open_own, write_opening
from goldfish.cli.init.parameters import Parameter, read_call
from goldfish.cli.init.shapes import list_fields, parse_annotation
from goldfish.cli.init.sources import Source, Sources
from goldfish.cli.init.sql import Sql

SETTINGS = re.compile(r"settings|config|cfg|conf|options|env", re.I)
HANDLE = re.compile(
    r"(\w*_)?(client|redis|conn|connection|r|rdb|cache|kv|db|pool|cursor|memory|mem0?)"
)
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}  # of clients at import
SESSIONS = re.compile(r"(Async)?Session\(")
GETTERS = r"environ\.get$|getenv$"
NAMED = {"postgres": "psycopg", "redis": "redis", "sqlite.aio": "aiosqlite", "sqlite": "sqlite3"}
UNKNOWN = {"None", '"goldfish"'}  # what stands where nothing says what to hand in
DEEPEST = 3  # objects of the project within objects


class Builder:
    """Writes the expressions that open one memory in a sandbox."""

    def __init__(self, found: FoundMemory, sources: Sources, requirements: set[str]) -> None:
        self.found, self.sources = found, sources
        self.reached = sources.reach(found.source)
        self.backend = self._find_backend()
        self.place = Place()
        self.sql = Sql(self.place, self.reached, sources, requirements)
        self.opened: list[Opener] = []  # whose calls are being written
        self._takes_password = False  # as a server of the sandbox has one

    def _find_backend(self) -> str:
        if self.found.opener is not None:
            named = self.found.opener.gives
            return next((backend for each, backend in NAMED.items() if each in named), "")
        for source in self.reached:
            tops = {each.partition(".")[0] for each in source.imports.values()}
            for package, backend in BACKENDS.items():
                if package in tops and package not in self.sources.by_module:
                    return backend
        return ""

    def make(self, source: Source, owner: ast.ClassDef, depth: int = 0) -> str:
        """Return the call that makes an object of a class, as its ``__init__`` wants it."""
        name = self.place.names.use(source.module, owner.name)
        methods = self.sources.list_methods(source, owner)
        maker = methods.get("__init__")
        if maker is None:
            return f"{name}({', '.join(self._fill_fields(source, owner, depth))})"
        call = read_call(maker, source, self.sources, [], bound=True)
        self._takes_password |= any("password" in each.name for each in call.parameters)
        known = self._find_constants(owner.name, [each.name for each in call.parameters])
        arguments = []
        for each in call.parameters:
            value = self._fill(each, source, depth)
            if value in UNKNOWN and each.name in known:
                value = known[each.name]
            if value:
                arguments.append(f"{each.name}={value}")
        return f"{name}({', '.join(arguments)})"

    def _fill_fields(self, source: Source, owner: ast.ClassDef, depth: int) -> Iterator[str]:
        """Yield the arguments of a class without ``__init__``: a dataclass, or settings."""
        needs_all = "dataclass" in " ".join(map(ast.unparse, owner.decorator_list))
        for each in list_fields(source, owner, self.sources):
            annotation = parse_annotation(each.annotation)
            wanted = Parameter(each.name, "other", annotation, each.is_required)
            value = self._fill(wanted, source, depth)
            if value and (needs_all or value not in UNKNOWN):
                yield f"{each.name}={value}"

    def _find_constants(self, name: str, parameters: list[str]) -> dict[str, str]:
        """Return the constants that the project itself passes where it makes such an object."""
        found: dict[str, str] = {}
        for source in self.sources.all:
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == name:
                    given = dict(zip(parameters, node.args, strict=False))
                    given |= {each.arg: each.value for each in node.keywords if each.arg}
                    constants = {k: v for k, v in given.items() if isinstance(v, ast.Constant)}
                    found |= {key: repr(each.value) for key, each in constants.items()}
        return found

    def _fill(self, parameter: Parameter, source: Source, depth: int = 0) -> str:
        """Return what to pass for a parameter; nothing to leave it out, None if unknown."""
        if parameter.part == "session":
            return "session_id" if self.found.per_session else ""
        if parameter.part == "user" and self.found.per_session:
            return "session_id"
        value = self.handle(parameter, source) or self.address_of(parameter)
        if value:
            self.place.is_placed = True
            return value
        kind = self.sources.find_class(_strip_default(source, parameter), source)
        if (
            kind
            and depth < DEEPEST
            and (parameter.is_required or SETTINGS.fullmatch(parameter.name))
        ):
            return self.make(*kind, depth + 1)
        if not parameter.is_required:
            return ""
        written = ast.unparse(parameter.annotation) if parameter.annotation else ""
        return '"goldfish"' if written == "str" else "None"

    def address_of(self, parameter: Parameter) -> str:
        """Return an address or a path of the sandbox, if the name asks for one."""
        name, written = parameter.name, ast.unparse(parameter.annotation or ast.Constant(""))
        if URL.fullmatch(name):
            return self.address(name)
        part = PARTS.get(name.removeprefix("redis_"), "")
        if self.backend == "redis" and part and self._takes_password:
            self.place.services.add("redis")
            self.place.imports.add("from urllib.parse import urlsplit")
            split = "urlsplit(sandbox.redis_url)"
            return f"{split}.{part}" if name != "db" else f"int({split}.{part}[1:] or 0)"
        no_files = {*OWN_SERVERS, *NO_SERVER, "mem0"}
        if self.backend in no_files or "bool" in written or "int" in written:
            return ""
        if FOLDER.fullmatch(name):
            return "str(sandbox.path)" if "str" in written else "sandbox.path"
        if FILE.fullmatch(name):
            return self.file(is_text="Path" not in written)
        return ""

    def file(self, *, is_text: bool) -> str:
        """Return the path of a file in the sandbox."""
        name = "memory.db" if self.backend in {"sqlite3", "aiosqlite", "sql"} else "memory.json"
        return f'str(sandbox.path / "{name}")' if is_text else f'sandbox.path / "{name}"'

    def address(self, name: str) -> str:
        """Return the address of the server, or of the file, that a name asks for."""
        low = name.lower()
        if "redis" in low or "valkey" in low or self.backend == "redis":
            self.place.services.add("redis")
            return "sandbox.redis_url"
        if self.backend == "sql":
            return self.sql.url(is_async=self.sql.is_async())
        if self.backend in POSTGRES or re.search("postgres|pg|dsn", low):
            self.place.services.add("postgres")
            return "sandbox.postgres_dsn"
        if self.backend in {"sqlite3", "aiosqlite"}:
            return self.file(is_text=True)
        return ""

    def handle(self, parameter: Parameter, source: Source) -> str:
        """Return a client, connection, engine or session, if a parameter is one."""
        written = source.resolve(parameter.annotation)
        last = re.split(r"[.\[\]| ]", written.partition(" |")[0])[-1] or written
        if self.backend == "sql":
            return self._lend(self.sql.handle(parameter.name, written, parameter.part == "handle"))
        if written in {"str", "int", "dict", "Path", "pathlib.Path"} or "bool" in written:
            return ""
        is_handle = parameter.part == "handle" or HANDLE.fullmatch(parameter.name)
        if self.backend == "redis" and (is_handle or last in {"Redis", "StrictRedis", "Valkey"}):
            own = open_own(self, written)
            return own or self.redis_client(is_async="asyncio" in written or None)
        if self.backend == "mem0" and is_handle:
            return self.mem0()
        if not is_handle:
            return ""
        own = open_own(self, written)
        if own:
            return own
        is_pool = "pool" in parameter.name.lower() or "Pool" in written
        write = self.found.write
        is_async = "Async" in written or (not written and bool(write and write.is_async))
        return make_connection(self.place, self.backend, is_pool=is_pool, is_async=is_async)

    def _lend(self, handle: str) -> str:
        """Return a handle; a session of SQLAlchemy as the one that each call gets, as requests do.

        One that serves all calls would show what it read before, and end with the first error.
        """
        if self.found.per_session or not SESSIONS.match(handle):
            return handle
        self.place.session = handle
        return "session"

    def redis_client(self, *, is_async: bool | None = None) -> str:
        """Return a client of Redis like the project's own."""
        self.place.services.add("redis")
        calls = [
            (source.resolve(node.func), node)
            for source in self.reached
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Call)
            and re.match(r"(aio)?(redis|valkey)\b", source.resolve(node.func))
        ]
        origins = [each for source in self.reached for each in source.imports.values()]
        package = "valkey" if any(each.startswith("valkey") for each in origins) else "redis"
        if is_async is None:
            named = [dotted for dotted, _ in calls] or origins
            is_async = any(f"{package}.asyncio" in each or "aioredis" in each for each in named)
        texts = [each.value for _, node in calls for each in node.keywords
                 if each.arg == "decode_responses"]  # fmt: skip
        decodes = ast.unparse(texts[0]) if texts else str(not calls and not self._decodes())
        module = f"{package}.asyncio" if is_async else package
        self.place.imports.add(f"import {module}")
        more = ", decode_responses=True" if decodes == "True" else ""
        return f"{module}.from_url(sandbox.redis_url{more})"

    def _decodes(self) -> bool:
        return ".decode(" in ast.unparse(self.found.source.tree)

    def mem0(self) -> str:
        """Return a real Mem0 that needs no key and no network."""
        self.use_offline_mem0()
        return "offline.Memory()"

    def use_offline_mem0(self) -> None:
        """Put a Mem0 that contacts nobody in the place of the one that the project imports."""
        self.place.imports.add("from goldfish.testing import OfflineMem0")
        named = [each for source in self.reached for each in source.imports.values()]
        is_async = any(each.endswith("AsyncMemory") for each in named)
        more = "asynchronous=True" if is_async else ""
        line = f"offline = OfflineMem0({more}).replace_mem0()  # GUESS: no key, no network"
        if line not in self.place.early:
            self.place.early.append(line)
        self.place.around = "with offline.open(sandbox.path):"
        self.place.claims = "one at a time"  # Qdrant lends its directory to one process
        self.place.is_placed = True

    def replace_globals(self) -> None:
        """Write the lines that put the sandbox in the place of what modules hold at their top."""
        if self.backend == "mem0":
            self.use_offline_mem0()
        lead_defaults(self)
        for source in self.reached:
            for name, value in source.values.items():
                if self._is_used(name) and (expression := self._replace(source, name, value)):
                    self._put(source, name, expression)

    def _put(self, source: Source, name: str, expression: str) -> None:
        """Write one such line, for each module that has the name."""
        homes = [source, *(
            each for each in self.reached
            if each is not source and each.imports.get(name) == f"{source.module}.{name}"
        )]  # fmt: skip
        modules = [self.place.names.use_module(each.module) for each in homes]
        left = " = ".join(f"{module}.{name}" for module in modules)
        where = f"{source.file}:{source.values[name].lineno}"
        self.place.note(f"{left} = {expression}  # GUESS: in place of {where}")

    def _replace(self, source: Source, name: str, value: ast.expr) -> str:
        """Return what stands in for a value at the top of a module; nothing for most."""
        if isinstance(value, ast.Call) and (made := self.stand_in(source, value)):
            return made
        settings = isinstance(value, ast.Call) and self.sources.find_class(
            source.resolve(value.func), source
        )
        if settings:
            self._replace_settings(source, name, settings)
            return ""
        return self._replace_address(name, value)

    def stand_in(self, source: Source, call: ast.Call) -> str:
        """Return a client on the sandbox for a call that makes one; nothing for other calls."""
        made = source.resolve(call.func)
        if re.match(r"(aio)?(redis|valkey|fakeredis)\b.*(Redis|from_url|Valkey)$", made):
            return self.redis_client(is_async="asyncio" in made or "aioredis" in made)
        if made.endswith(("create_engine", "create_async_engine")) and "sql" in made:
            return self.sql.engine()
        if made.endswith("sessionmaker"):
            return self.sql.handle("session_factory", made, True)
        if re.match(r"mem0\b.*(Memory|AsyncMemory)(\.from_config)?$", made):
            self.use_offline_mem0()  # which the module gets when it is imported
            return ""
        if re.match(r"(sqlite3|psycopg2?)\.connect$|psycopg_pool", made):
            is_async = "Async" in made
            return make_connection(
                self.place, self.backend, is_pool="Pool" in made, is_async=is_async
            )
        return self._open_again(source, made)

    def _open_again(self, source: Source, called: str) -> str:
        """Return the call that opens the sandbox, for one of a function of the project."""
        module, _, name = called.rpartition(".")
        home = self.sources.by_module.get(module) if module else source
        found = find_openers([home] if home else [], CONNECTIONS, CONNECTS)
        openers = [each for each in found if each.function.name == name and not each.lends]
        return write_opening(self, openers[0]) if openers else ""

    def _replace_address(self, name: str, value: ast.expr) -> str:
        written = ast.unparse(value)
        is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        is_setting = re.search(r"environ|getenv|Path\(|os\.path|expanduser", written)
        if not (is_text or is_setting):
            return ""
        if URL.fullmatch(name):
            return self.address(name)
        if self.backend in OWN_SERVERS or self.backend == "mem0":
            return ""
        if FOLDER.fullmatch(name):
            return "sandbox.path" if "Path(" in written else "str(sandbox.path)"
        if FILE.fullmatch(name):
            return self.file(is_text="Path(" not in written)
        return ""

    def _replace_settings(
        self, source: Source, name: str, settings: tuple[Source, ast.ClassDef]
    ) -> None:
        """Write the addresses into an object of settings, whose class is the project's."""
        if not SETTINGS.search(name) and not SETTINGS.search(settings[1].name):
            return
        for each in list_fields(*settings, self.sources):
            value = self.address_of(
                Parameter(each.name, "other", parse_annotation(each.annotation), True)
            )
            if value and self._is_used(name):
                module = self.place.names.use_module(source.module)
                where = f"{settings[0].file}:{settings[1].lineno}"
                line = f"{module}.{name}.{each.name} = {value}  # GUESS: as {where} has it"
                self.place.note(line)

    def _is_used(self, name: str) -> bool:
        """Return True if a function of the memory's modules uses a name."""
        return any(
            isinstance(node, ast.Name) and node.id == name
            for source in self.reached
            for function in ast.walk(source.tree)
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
            for node in ast.walk(function)
        )

    def set_environment(self) -> None:
        """Write the lines that lead settings of the environment to the sandbox.

        What an import reads gets a value that leads nowhere, and clients that it makes a key.
        """
        is_placed = self.place.is_placed  # then what is read at a call is not needed
        origins = " ".join(each for source in self.reached for each in source.imports.values())
        for package, name in KEYS.items():
            if package in origins:
                self.place.imports.add("import os")
                self.place.early.append(f'os.environ.setdefault("{name}", "goldfish")  # no key')
        for source in self.reached:
            for name, at_import, is_needed in list_settings(source):
                address = self.address(name) if URL.fullmatch(name) else ""
                if at_import and is_needed and not address and name.isidentifier():
                    self.place.imports.add("import os")
                    self.place.early.append(f'os.environ.setdefault("{name}", "goldfish")')
                if not address and (FILE.fullmatch(name) or FOLDER.fullmatch(name)):
                    address = self.address_of(Parameter(name.lower(), "other"))
                if not address:
                    continue
                self.place.imports.add("import os")
                service = next((key for key in NOWHERE if key in address), "")
                if at_import and service:
                    is_sql = self.backend == "sql" and service == "postgres"
                    nowhere = self.sql.nowhere() if is_sql else NOWHERE[service]
                    line = f'os.environ["{name}"] = "{nowhere}"  # never your own server'
                    self.place.early.append(line)
                text = (
                    address if address.startswith(("str", "sandbox.", "f")) else f"str({address})"
                )
                line = f'os.environ["{name}"] = {text}'
                if not at_import and not is_placed:
                    self.place.note(line)


def list_settings(source: Source) -> Iterator[tuple[str, bool, bool]]:
    """Yield the settings that a source reads from the environment.

    With each, whether its import reads it, and whether it has to be there.
    """
    inside = {
        id(node)
        for function in ast.walk(source.tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(ast.Module(function.body, []))
    }
    for node in ast.walk(source.tree):
        key: ast.expr | None = None
        if isinstance(node, ast.Subscript) and "environ" in ast.unparse(node.value):
            key = node.slice
        elif isinstance(node, ast.Call) and re.search(GETTERS, ast.unparse(node.func)):
            key = node.args[0] if node.args else None
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, id(node) not in inside, isinstance(node, ast.Subscript)


def _strip_default(source: Source, parameter: Parameter) -> str:
    return source.resolve(parameter.annotation).partition(" |")[0]

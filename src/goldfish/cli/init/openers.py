"""Finds the project's own functions that open something: a connection, a client, a saver."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldfish.cli.init.backends import BACKENDS
from goldfish.cli.init.shapes import strip_annotation
from goldfish.cli.init.sources import Function, Source

_PACKAGES = "|".join(
    name for name, backend in BACKENDS.items()
    if backend in {"redis", "asyncpg", "psycopg", "psycopg2", "aiosqlite", "sqlite3"}
)  # fmt: skip
# What is a connection by its type, and what makes one.
CONNECTIONS = re.compile(rf"({_PACKAGES})\b.*\b(\w*Connection|\w*Pool|connection|Redis|Valkey)$")
CONNECTS = re.compile(
    rf"({_PACKAGES})\b.*\b(connect|create_pool|from_url|\w*ConnectionPool|(Strict)?Redis|Valkey)$"
)
NAMED = re.compile(r"_?((get|open|make|create|new|acquire)_)?(db|database|conn|connection|connect)")
PASSING = re.compile(r"\b(str|Path|fspath|connect|create_pool|\w*ConnectionPool)$")  # an address
LENT = re.compile(  # an annotation of what yields one
    r"(Async)?(Iterator|Generator|Iterable)|(Abstract)?(Async)?ContextManager"
)


@dataclass(frozen=True)
class Opener:
    """A function that opens something: what it returns, or what it has open in a with block.

    ``gives`` is the type or the call by which this is known; its own name if only that says so.
    """

    source: Source
    function: Function
    gives: str
    owner: ast.ClassDef | None = None  # whose method it is

    @property
    def name(self) -> str:
        """Its name, with that of its class."""
        owner = f"{self.owner.name}." if self.owner else ""
        return f"{owner}{self.function.name}"

    @property
    def lends(self) -> bool:
        """Whether what it opens is closed at the end of a block."""
        marks = " ".join(map(ast.unparse, self.function.decorator_list))
        return "contextmanager" in marks

    @property
    def is_async(self) -> bool:
        """Whether it is awaited, or entered with ``async with``."""
        return isinstance(self.function, ast.AsyncFunctionDef)

    @property
    def backend(self) -> str:
        """The storage that it connects to; nothing if only its name says that it connects."""
        return BACKENDS.get(self.gives.partition(".")[0], "")

    @property
    def where(self) -> str:
        """Where it is."""
        return f"{self.source.file}:{self.function.lineno}"

    def list_addresses(self, makes: re.Pattern[str]) -> tuple[set[str], set[str]]:
        """Return the names that are what it hands first to what connects, and parts of that."""
        firsts = [each.args[0] for each in _list_made(self.function, self.source, makes)
                  if each.args]  # fmt: skip
        whole = {name for first in firsts for name in _list_whole(first)}
        nodes = [node for first in firsts for node in ast.walk(first)]
        return whole, {node.id for node in nodes if isinstance(node, ast.Name)} - whole

    def reads(self, name: str) -> bool:
        """Return True if it reads a name that is not its own: a global, or a setting."""
        held = {each for each, _ in _list_held(self.function)}
        held |= {each.arg for each in ast.walk(self.function) if isinstance(each, ast.arg)}
        return name not in held and bool(re.search(rf"\b{name}\b", ast.unparse(self.function)))


def _list_whole(node: ast.expr) -> Iterator[str]:
    """Yield the names that an expression may be, as they are or as a path or a text."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.BoolOp):
        yield from (name for each in node.values for name in _list_whole(each))
    elif isinstance(node, ast.IfExp):
        yield from (name for each in (node.body, node.orelse) for name in _list_whole(each))
    elif isinstance(node, ast.Call) and PASSING.search(ast.unparse(node.func)):
        yield from (name for each in node.args[:1] for name in _list_whole(each))


def find_openers(
    sources: Sequence[Source],
    types: re.Pattern[str],
    makes: re.Pattern[str],
    *,
    methods: bool = False,
) -> list[Opener]:
    """Return the functions that give something of these types, or what such calls make."""
    found = [
        Opener(source, function, given, owner)
        for source in sources
        if not source.is_test
        for function, owner in _list_functions(source, methods=methods)
        if (given := find_given(source, function, types, makes))
    ]
    return [each for each in found if each.lends or not _is_generator(each.function)]


def _list_functions(
    source: Source, *, methods: bool
) -> Iterator[tuple[Function, ast.ClassDef | None]]:
    yield from ((each, None) for each in source.functions.values())
    for owner in source.classes.values() if methods else ():
        yield from ((each, owner) for each in owner.body
                    if isinstance(each, Function) and not each.name.startswith("_"))  # fmt: skip


def gives_connection(source: Source, function: Function) -> bool:
    """Return True if a function returns or lends a connection or a client."""
    return bool(find_given(source, function, CONNECTIONS, CONNECTS))


def find_given(
    source: Source, function: Function, types: re.Pattern[str], makes: re.Pattern[str]
) -> str:
    """Return by what a function gives such a thing: annotation, body or name; else nothing."""
    written = source.resolve(_strip_lent(function.returns))
    if types.search(written):
        return written
    made = {id(each): source.resolve(each.func) for each in _list_made(function, source, makes)}
    given = list(_list_given(function))
    held = {
        name: made[id(node)]
        for name, value in _list_held(function)
        for node in _walk_through(value)
        if id(node) in made
    }
    for value in given:
        for node in _walk_through(value):
            if id(node) in made:
                return made[id(node)]
            if isinstance(node, ast.Name) and node.id in held:
                return held[node.id]
    is_untyped = function.returns is None
    named = makes is CONNECTS and is_untyped and NAMED.fullmatch(function.name)
    return function.name if named and any(isinstance(each, ast.Name) for each in given) else ""


def _is_generator(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))


def opens_fixed_path(source: Source, function: Function, depth: int = 3) -> bool:
    """Return True if a function connects to what is written in it, or calls one that does."""
    made = list(_list_made(function, source, CONNECTS))
    if any(each.args and isinstance(each.args[0], ast.Constant) for each in made):
        return True
    called = {source.functions.get(each) for each in list_called(function)}
    return depth > 0 and any(
        opens_fixed_path(source, each, depth - 1) for each in called if each and each != function
    )


def is_lazy(made: str) -> bool:
    """Return True for a client that connects when it is first used: one of Redis."""
    return BACKENDS.get(made.partition(".")[0]) == "redis"


def list_called(node: ast.AST, *, bare: bool = False) -> set[str]:
    """Return the names that are called in a tree; of ``bare``, only without arguments."""
    return {
        ast.unparse(each.func).rpartition(".")[2]
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and not (bare and (each.args or each.keywords))
    }


def _strip_lent(node: ast.expr | None) -> ast.expr | None:
    """Return the annotation of what a function gives, also if it yields it."""
    node = strip_annotation(node)
    if isinstance(node, ast.Subscript):
        if LENT.fullmatch(ast.unparse(node.value).rpartition(".")[2]):
            inner = node.slice
            return strip_annotation(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
        return node.value  # Redis[bytes]
    return node


def _list_made(function: Function, source: Source, makes: re.Pattern[str]) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and makes.search(source.resolve(node.func)):
            yield node


def _list_given(function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
            yield node.value


def _walk_through(node: ast.expr) -> Iterator[ast.AST]:
    """Yield an expression, and what is awaited or wrapped in a call in it."""
    yield node
    if isinstance(node, ast.Await):
        yield from _walk_through(node.value)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("closing"):
        yield from (inner for each in node.args for inner in _walk_through(each))


def _list_held(function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a function gives to values, by assignment or in a with statement."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            yield from ((each.id, node.value) for each in node.targets
                        if isinstance(each, ast.Name))  # fmt: skip
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and isinstance(node.target, ast.Name):
            if node.value is not None:
                yield node.target.id, node.value
        elif isinstance(node, ast.withitem) and isinstance(node.optional_vars, ast.Name):
            yield node.optional_vars.id, node.context_expr

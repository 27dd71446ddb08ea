"""What the parameters of a function that writes or reads a history stand for."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from goldfish.cli.init import words
from goldfish.cli.init.shapes import Shape, find_element, is_many, read_annotation, read_use
from goldfish.cli.init.sources import Function, Source, Sources

# Parameters that are how a storage is reached, and not what is said to it.
HANDLES = re.compile(
    r"(db|database|async|sync)?_?(session|conn|connection|cursor|cur|client|engine|pool|redis)"
    r"(_?(client|maker|factory|pool))?|db|r|rdb|tx|cur|store|memory|mem|session_?maker|session_?local"
)
HANDLE_TYPES = re.compile(
    r"(sqlalchemy|sqlmodel|redis|valkey|psycopg|asyncpg|sqlite3|aiosqlite|mem0|pymongo|motor)\b"
    r"|\b(Session|AsyncSession|Connection|Redis|Pool|Engine|Cursor|sessionmaker)$"
)
KEYS = re.compile(r"str|int|(uuid\.)?UUID")


@dataclass(frozen=True)
class Parameter:
    """A parameter: its part in a call, and of a message its shape.

    Parts are session, user, role, text, one, many, question, answer, limit, query, handle, other.
    """

    name: str
    part: str
    annotation: ast.expr | None = None
    is_required: bool = True
    is_keyword: bool = False
    is_star: bool = False  # ``*messages``
    shape: Shape | None = None


@dataclass(frozen=True)
class Call:
    """A function of the project that writes, reads or removes, and what its parameters are."""

    name: str
    function: Function
    source: Source
    parameters: Sequence[Parameter]
    is_property: bool = False

    @property
    def is_async(self) -> bool:
        """Whether it is awaited."""
        return isinstance(self.function, ast.AsyncFunctionDef)

    def part(self, *parts: str) -> Parameter | None:
        """Return its first parameter that is one of these parts."""
        return next((each for each in self.parameters if each.part in parts), None)


def read_call(
    function: Function,
    source: Source,
    sources: Sources,
    helpers: Sequence[Function],
    *,
    bound: bool,
) -> Call:
    """Return a function with the parts of its parameters; ``bound`` says that it is a method."""
    marks = {ast.unparse(each).rpartition(".")[2] for each in function.decorator_list}
    listed = list(_list_parameters(function))
    skipped = listed[1:] if bound and "staticmethod" not in marks else listed
    parameters = [_read(each, source, sources, function, helpers) for each in skipped]
    is_property = bool(marks & {"property", "cached_property"})
    return Call(function.name, function, source, _settle(parameters), is_property)


def _list_parameters(function: Function) -> Iterator[Parameter]:
    arguments = function.args
    placed = [*arguments.posonlyargs, *arguments.args]
    free = len(placed) - len(arguments.defaults)
    for place, each in enumerate(placed):
        yield Parameter(each.arg, "other", each.annotation, place < free)
    if star := arguments.vararg:
        yield Parameter(star.arg, "other", star.annotation, is_required=False, is_star=True)
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(each.arg, "other", each.annotation, default is None, is_keyword=True)


def _read(
    parameter: Parameter,
    source: Source,
    sources: Sources,
    function: Function,
    helpers: Sequence[Function],
) -> Parameter:
    part = _find_part(parameter, source)
    if part == "text" and is_many(parameter.annotation):
        part = "many"
    shape: Shape | None = None
    if part in {"text", "one", "many"}:
        is_list = part == "many" and not parameter.is_star  # whose annotation is of one
        inner = find_element(parameter.annotation) if is_list else parameter.annotation
        said = read_annotation(inner, source, sources)
        used = read_use(parameter.name, function, helpers)
        shape = _choose(said, used)
    elif part == "other":
        said = read_annotation(parameter.annotation, source, sources)
        if said is not None and said.kind == "own" and said.text:  # a message by its class
            part, shape = "one", said
    return replace(parameter, part=part, shape=shape)


def _choose(said: Shape | None, used: Shape | None) -> Shape | None:
    """Return what the annotation says, with the keys that the code uses."""
    if said is not None and said.kind == "dict" and not said.text:
        return used if used and used.kind == "dict" else Shape("dict")
    return said or used


def _find_part(parameter: Parameter, source: Source) -> str:
    name = parameter.name.lower().strip("_")
    written = source.resolve(parameter.annotation)
    if HANDLE_TYPES.search(written.partition("[")[0]):
        return "handle"
    tests = {
        "many": words.MANY,
        "role": words.ROLE,
        "session": words.SESSION,
        "user": words.USER,
        "one": words.ONE,
        "text": words.TEXT,
        "limit": words.LIMIT,
        "question": words.QUESTION,
        "answer": words.ANSWER,
        "key": words.KEY,
    }
    if name == "session" and HANDLES.fullmatch(name) and "sqlalchemy" in str(source.imports):
        return "handle"
    part = next((each for each, word in tests.items() if word.fullmatch(name)), "")
    if not part and HANDLES.fullmatch(name):
        return "handle"
    if part == "many" and words.SESSION.fullmatch(name) and KEYS.fullmatch(written):
        return "session"  # a conversation by its id, not by its messages
    if part in {"one", "text"} and is_many(parameter.annotation):
        return "many"
    return part or "other"


def _settle(parameters: Sequence[Parameter]) -> list[Parameter]:
    """Return the parameters with what only the others decide: keys, pairs, users."""
    parts = {each.part for each in parameters}
    settled = []
    for each in parameters:
        part = each.part
        if part == "key":
            part = "other" if parts & {"session", "user"} else "session"
        if part == "question" and "answer" not in parts:
            part = "text" if "text" not in parts else "other"
        if part == "answer" and "question" not in parts:
            part = "other"
        settled.append(replace(each, part=part))
    return settled

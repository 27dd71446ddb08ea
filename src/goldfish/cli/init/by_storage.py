"""Recognises a memory by what its functions do to one storage, whatever they are called."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from goldfish.cli.init.parameters import Call, Parameter
from goldfish.cli.init.results import list_named
from goldfish.cli.init.shapes import Shape, list_fields
from goldfish.cli.init.sources import Function, Sources
from goldfish.cli.init.words import NOUNS, split

WRITE, READ, REMOVE = "write", "read", "remove"
# Methods of a client of Redis, and what is done to the key that they are given first.
REDIS = {
    **dict.fromkeys(("rpush", "lpush", "xadd", "zadd", "hset"), WRITE),
    **dict.fromkeys(("lrange", "xrange", "xrevrange", "zrange", "zrevrange", "hvals"), READ),
    **dict.fromkeys(("delete", "unlink"), REMOVE),
}
# Functions of SQLAlchemy, and what is done to the table that they are given first.
MODELS = {"select": READ, "query": READ, "delete": REMOVE}
_TABLE = r"([\w.\"`]+)"
_WHERE = rf"{_TABLE}.*?\bwhere\s+([\w.\"`]+)\s*="
SQL = {
    WRITE: re.compile(rf"insert\s+(?:or\s+\w+\s+)?into\s+{_TABLE}", re.I),
    READ: re.compile(rf"select\b.+?\bfrom\s+{_WHERE}", re.I | re.S),
    REMOVE: re.compile(rf"delete\s+from\s+{_WHERE}", re.I | re.S),
}
ONE_ROW = re.compile(r"fetchone|fetchrow|fetchval|scalar_one|one_or_none|\.first\(|LIMIT 1\b")
FACTS = {"fact", "facts"}
# Words about what was said. Not those that other things have as well, such as logs of events.
SAID = NOUNS - {"session", "sessions", "thread", "threads", "context", "checkpoint"}


@dataclass(frozen=True)
class Deed:
    """What a function does to a storage: the table or the key, and what says whose row it is.

    ``names`` are a column of a table, or the variables in a key of Redis.
    """

    kind: str
    place: str
    names: frozenset[str] = frozenset()


@dataclass(frozen=True)
class StoredCalls:
    """The functions that write to a storage and read it again, with the parts of parameters."""

    write: Call
    read: Call
    others: dict[str, Call]
    is_facts: bool


def find_stored_calls(
    calls: Sequence[Call], sources: Sources, about: Sequence[str]
) -> StoredCalls | None:
    """Return the functions that keep what was said; None if there are no such.

    ``about`` are the words of the class: something in the names has to be about a conversation.
    """
    done = [
        (call, deed)
        for call in calls
        if call.name[0] != "_"
        for deed in (*_list_deeds(call), *_list_of_models(call, sources))
    ]
    for read, shown in done:
        key = _find_key(read) if shown.kind == READ and _returns_many(read.function) else None
        for write, put in done if key else ():
            if put.kind != WRITE or put.place != shown.place or write.name == read.name:
                continue
            assert key is not None
            parted = _part(write, key, put.names | shown.names, sources)
            named = [read.name, write.name, *re.findall(r"\w+", shown.place)]
            spoken = {*about, *(word for each in named for word in split(each))}
            spoken |= {each.name for each in write.parameters if each.part == "text"}
            if parted is None or not (spoken & SAID or write.part("role")):
                continue
            removed = {
                each.name: _hold(each, found)
                for each, deed in done
                if deed.kind == REMOVE and deed.place == shown.place and (found := _find_key(each))
            }
            is_facts = bool(spoken & FACTS) and not parted.part("role", "one", "many")
            clear = next(iter(removed.values()), None)
            others = {"forget_all" if is_facts else "clear": clear} if clear else {}
            return StoredCalls(parted, _hold(read, key), others, is_facts)
    return None


def _list_deeds(call: Call) -> Iterator[Deed]:
    """Yield what a function does to tables, and to keys of Redis."""
    made = dict(_list_made(call.function))
    parameters = {each.name for each in call.parameters}
    for node in ast.walk(call.function):
        if isinstance(node, ast.Constant | ast.Name):
            text = call.source.values.get(node.id) if isinstance(node, ast.Name) else node
            said = text.value if isinstance(text, ast.Constant) else None
            yield from _read_sql(said) if isinstance(said, str) else ()
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            key = node.args[0]
            key = made.get(key.id, key) if isinstance(key, ast.Name) else key
            named = {each.id for each in ast.walk(key) if isinstance(each, ast.Name)}
            used, kind = frozenset(named & parameters), REDIS.get(node.func.attr)
            if used and kind:
                yield Deed(kind, _mask(key, used), used)


def _list_of_models(call: Call, sources: Sources) -> Iterator[Deed]:
    """Yield what a function does to the tables of SQLAlchemy."""
    code = ast.unparse(call.function)
    for node in ast.walk(call.function):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        kind, model = MODELS.get(name, ""), node.args[0] if node.args else None
        if not kind and re.search(r"\.add(_all)?\(", code):
            kind, model = WRITE, node.func
        found = sources.find_class(call.source.resolve(model), call.source) if kind else None
        if found and _is_table(found[1]):
            columns = re.findall(rf"\b{found[1].name}\.(\w+) ==", code)
            yield Deed(kind, found[1].name, frozenset(columns))


def _is_table(owner: ast.ClassDef) -> bool:
    return "__tablename__" in ast.unparse(owner) or any(
        each.arg == "table" for each in owner.keywords
    )


def _list_made(function: Function) -> Iterator[tuple[str, ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            yield from ((each.id, node.value) for each in node.targets
                        if isinstance(each, ast.Name))  # fmt: skip


def _mask(key: ast.expr, names: frozenset[str]) -> str:
    """Return a key without the names of parameters, which each function chooses for itself."""
    return re.sub(rf"\b({'|'.join(map(re.escape, sorted(names)))})\b", "_", ast.unparse(key))


def _read_sql(text: str) -> Iterator[Deed]:
    for kind, pattern in SQL.items():
        for found in pattern.finditer(text):
            table, *columns = (each.strip('"`').rpartition(".")[2] for each in found.groups())
            yield Deed(kind, table, frozenset(columns))


def _returns_many(function: Function) -> bool:
    return ONE_ROW.search(ast.unparse(function)) is None


def _find_key(call: Call) -> Parameter | None:
    """Return the one parameter that has to be given: whose rows they are."""
    required = [each for each in call.parameters if each.is_required and each.part != "handle"]
    return required[0] if len(required) == 1 and required[0].shape is None else None


def _hold(call: Call, key: Parameter) -> Call:
    """Return a call with a parameter known as the session."""
    parameters = [replace(each, part="session") if each.name == key.name else each
                  for each in call.parameters]  # fmt: skip
    return replace(call, parameters=parameters)


def _part(write: Call, key: Parameter, names: frozenset[str], sources: Sources) -> Call | None:
    """Return what writes with the parts of its parameters; None if one of them is unclear."""
    wanted = {key.name, *names}
    wanted |= {value for name, value in list_named(write.function) if name in wanted}
    parameters = [_hold_key(each, wanted, sources) for each in write.parameters]
    if not any(each.part == "session" or (each.shape and each.shape.key) for each in parameters):
        return None
    unclear = [n for n, each in enumerate(parameters) if each.is_required and each.part == "other"]
    known = {each.part for each in parameters}
    missing = [] if known & {"role", "one", "many"} else ["role"]
    missing += [] if known & {"text", "one", "many"} else ["text"]
    # Who said it comes before what was said, and the latter is what there has to be.
    for n, part in zip(unclear, missing[-len(unclear) :] if unclear else [], strict=False):
        shape = Shape("text") if part == "text" else None
        parameters[n] = replace(parameters[n], part=part, shape=shape)
    parts = {each.part for each in parameters if each.is_required or each.is_star}
    says = parts & {"text", "one", "many"}
    return replace(write, parameters=parameters) if says and "other" not in parts else None


def _hold_key(parameter: Parameter, wanted: set[str], sources: Sources) -> Parameter:
    """Return a parameter that says whose a row is, or a message with a field for it, as such."""
    shape = parameter.shape
    if shape is not None and shape.owner:
        fields = (each.name for each in list_fields(*shape.owner, sources))
        key = next((each for each in fields if each in wanted), "")
        part = "many" if parameter.is_star else parameter.part
        return replace(parameter, part=part, shape=replace(shape, key=key))
    return replace(parameter, part="session") if parameter.name in wanted else parameter

"""Finds the shape of the messages that a function of the project returns."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from goldfish.cli.init.parameters import Call
from goldfish.cli.init.shapes import (
    SELECTED,
    Shape,
    find_element,
    find_keys,
    list_fields,
    read_annotation,
    read_literals,
)
from goldfish.cli.init.sources import Function, Sources
from goldfish.cli.init.words import ROLE, ROLES_OF_KEYS, TEXT, TEXTS_OF_KEYS

INSERTED = re.compile(r"insert\s+(?:or\s+\w+\s+)?into\s+\S+\s*\((.+?)\)\s*values", re.I | re.S)
BY_NAME = re.compile(r"\b(dict_row|\w*DictCursor|RealDict\w*)\b")  # rows of psycopg, as dicts
WRAPPING = {"list", "tuple", "sorted", "reversed", "iter"}


def find_result(read: Call, write: Call | None, sources: Sources) -> Shape | None:
    """Return the shape of the messages that a function returns, which another one wrote."""
    source, function = read.source, read.function
    said = read_annotation(find_element(function.returns), source, sources)
    traced = trace_parts(write) if write else ("", "")
    if said is not None and said.owner:
        said = _name_fields(said, traced, sources)
    if said is not None and said.kind != "row" and (said.text or said.kind in {"text", "pair"}):
        return said
    functions = [function, *([write.function] if write else [])]
    if write and (pair := _find_pair(write, functions)):
        return pair
    if (returned := _read_returned(function, traced)) is not None:
        return returned
    if said is not None and said.kind == "row":
        return read_rows(function, traced) or said
    if (made := _find_made(read, sources)) is not None:
        return made
    fetches = re.search(r"fetch(all|many)?\b|\.execute\(", ast.unparse(function))
    if fetches and BY_NAME.search(ast.unparse(source.tree)):
        return _name_columns(function, traced)
    if (literal := read_literals(functions)) is not None:
        return literal
    is_dict = (said is not None and said.kind == "dict") or "loads" in ast.unparse(function)
    if traced[1] and not fetches and is_dict:
        return Shape("dict", *traced)
    if fetches and (rows := read_rows(function, traced)):
        return rows
    given = write.part("one", "many", "text") if write else None
    return given.shape if given and given.part != "text" else None


def trace_parts(write: Call) -> tuple[str, str]:
    """Return the names under which a function puts the role and the text that it is given."""
    role, text = write.part("role"), write.part("text")
    names = {value: key for key, value in list_named(write.function)}
    return names.get(role.name, "") if role else "", names.get(text.name, "") if text else ""


def list_named(function: Function) -> Iterator[tuple[str, str]]:
    """Yield names with the variables that are put under them: fields, keys and columns."""
    for node in ast.walk(function):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield from ((key.value, each) for each in _list_variables(value))
        elif isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg:
                    yield from ((keyword.arg, each) for each in _list_variables(keyword.value))
            yield from _list_inserted(node)


def _list_inserted(node: ast.Call) -> Iterator[tuple[str, str]]:
    """Yield the columns of an INSERT with the variables that fill them."""
    first = node.args[0] if node.args else None
    found = INSERTED.search(str(first.value)) if isinstance(first, ast.Constant) else None
    if found is None:
        return
    rest = node.args[1:]
    given = rest[0].elts if len(rest) == 1 and isinstance(rest[0], ast.Tuple | ast.List) else rest
    for column, value in zip(found[1].split(","), given, strict=False):
        yield from ((column.strip(' "`\n'), each) for each in _list_variables(value))


def _list_variables(value: ast.expr) -> Iterator[str]:
    yield from (each.id for each in ast.walk(value) if isinstance(each, ast.Name))


def _name_fields(said: Shape, traced: tuple[str, str], sources: Sources) -> Shape:
    """Return the shape of a class with the fields that were filled, or sound like these parts."""
    assert said.owner is not None
    names = [each.name for each in list_fields(*said.owner, sources)]
    role, text = (each if each in names else "" for each in traced)
    roles = [each for each in names if ROLE.fullmatch(each)]
    texts = [each for each in names if TEXT.fullmatch(each)]
    return Shape(
        said.kind,
        role or said.role or next(iter(roles), ""),
        text or said.text or next(iter(texts), ""),
        said.owner,
    )


def _read_returned(function: Function, traced: tuple[str, str]) -> Shape | None:
    """Return the shape of what a function makes of each row: a tuple of parts, a dict of it."""
    for element in _list_elements(function):
        if isinstance(element, ast.Tuple):
            return _read_tuple(element, traced)
        if re.match(r"dict\(\w+\)$|\w+\._asdict\(\)$", ast.unparse(element)):
            return _name_columns(function, traced)
    if re.search(r"\bmap\(dict,", ast.unparse(function)):
        return _name_columns(function, traced)
    return None


def _read_tuple(element: ast.Tuple, traced: tuple[str, str]) -> Shape | None:
    names = [_name_part(each) for each in element.elts]
    role = _find_place(names, traced[0], ROLES_OF_KEYS, ROLE)
    text = _find_place(names, traced[1], TEXTS_OF_KEYS, TEXT)
    if text is None or (role, text) == (0, 1):
        return Shape("pair") if len(names) == 2 else None
    return Shape("row", str(role) if role is not None else "", str(text))


def _name_part(part: ast.expr) -> str:
    """Return the key, attribute or variable that a part of a tuple is."""
    if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Constant):
        return str(part.slice.value)
    if isinstance(part, ast.Call) and part.args:
        return _name_part(part.args[0])
    return part.attr if isinstance(part, ast.Attribute) else ast.unparse(part)


def _find_place(names: Sequence[str], own: str, *words: re.Pattern[str]) -> int | None:
    if own in names:
        return names.index(own)
    found = (n for word in words for n, each in enumerate(names) if word.fullmatch(each))
    return next(found, None)


def _list_elements(function: Function) -> Iterator[ast.expr]:
    """Yield what each item of a returned list is made by."""
    made: dict[str, ast.expr] = {}
    added: list[tuple[str, ast.expr]] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            made[node.targets[0].id] = node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".append"):
            list_name = ast.unparse(node.func).removesuffix(".append")
            added += [(list_name, each) for each in node.args]
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from _list_made_by(node.value, made)
            yield from (each for name, each in added if ast.unparse(node.value) == name)


def _list_made_by(value: ast.expr, made: Mapping[str, ast.expr]) -> Iterator[ast.expr]:
    if isinstance(value, ast.ListComp | ast.GeneratorExp):
        yield value.elt
    elif isinstance(value, ast.Subscript):  # [::-1]
        yield from _list_made_by(value.value, made)
    elif isinstance(value, ast.Call) and ast.unparse(value.func) in WRAPPING and value.args:
        yield from _list_made_by(value.args[0], made)
    elif isinstance(value, ast.Name) and value.id in made:
        others = {name: each for name, each in made.items() if name != value.id}
        yield from _list_made_by(made[value.id], others)


def _find_made(read: Call, sources: Sources) -> Shape | None:
    """Return the shape of the project's class that a function makes or asks for."""
    for node in ast.walk(read.function):
        if isinstance(node, ast.Name):
            found = sources.find_class(read.source.resolve(node), read.source)
            shape = found and read_annotation(node, read.source, sources)
            if shape and shape.text:
                return shape
    return None


def _find_pair(write: Call, functions: Sequence[Function]) -> Shape | None:
    """Return the shape of an exchange, of which only the user's part is told."""
    question, answer = write.part("question"), write.part("answer")
    if question is None or answer is None:
        return None
    keys = [
        key.value
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and ast.unparse(value) == question.name
    ]
    return Shape("dict", "", str(keys[0])) if keys else None


def _name_columns(function: Function, traced: tuple[str, str]) -> Shape | None:
    """Return the shape of rows as dicts, by the columns that are selected or were filled."""
    role, text = _find_columns(list_columns(function))
    role, text = role or traced[0], text or traced[1]
    return Shape("dict", role, text) if text else None


def _find_columns(names: Sequence[str]) -> tuple[str, str]:
    """Return the columns of the role and the text, by the words of keys, then of parameters."""
    role, text = find_keys(names)
    roles = [each for each in names if ROLE.fullmatch(each)]
    texts = [each for each in names if TEXT.fullmatch(each)]
    return role or next(iter(roles), ""), text or next(iter(texts), "")


def list_columns(function: Function) -> list[str]:
    """Return the names of the columns that a statement of SQL in a function selects."""
    for node in ast.walk(function):
        written = node.value if isinstance(node, ast.Constant) else None
        if isinstance(written, str) and (found := SELECTED.search(written)):
            columns = [each.split()[-1].strip('"`') for each in found[1].split(",")]
            return [each.rpartition(".")[2] for each in columns]
    return []


def read_rows(function: Function, traced: tuple[str, str] = ("", "")) -> Shape | None:
    """Return the shape of the rows that a statement of SQL in a function selects.

    The columns that were ``traced`` from what is written win over those that sound like it.
    """
    names = list_columns(function)
    guessed = _find_columns(names)
    role, text = (own if own in names else word
                  for own, word in zip(traced, guessed, strict=True))  # fmt: skip
    if not text:
        return None
    return Shape("row", str(names.index(role)) if role else "", str(names.index(text)))

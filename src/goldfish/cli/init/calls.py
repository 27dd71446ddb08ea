"""Writes the calls of a wrapper: one of goldfish's methods in the words of the project's own."""

import ast
import re
from collections.abc import Iterator, Sequence

from goldfish.cli.init.openers import list_called
from goldfish.cli.init.parameters import Call, Parameter
from goldfish.cli.init.places import Builder
from goldfish.cli.init.results import find_result
from goldfish.cli.init.shapes import (
    TIMES,
    Shape,
    list_fields,
    parse_annotation,
    read_literals,
)
from goldfish.cli.init.words import ROLES_OF_KEYS, SESSION, TEXTS_OF_KEYS, USER

# Code that puts a value in the place of another, and code that adds to what there is.
OVERWRITING = re.compile(
    r"\.(set|setex|write_text|write_bytes|replace|put)\(|dump\(|\] = |\.hset\("
)
ADDING = re.compile(
    r"push\(|\.(append|extend|add|add_all|xadd|zadd|get|load|read_text|insert\w*|executemany)\(|\+="
    r"|INSERT|self\.(_?load|_?get|_?read|history|messages)|'a'|setdefault",
    re.IGNORECASE,
)
MOST = "100_000"  # messages: all of them


class CallWriter:
    """Writes calls on what a wrapper holds: ``self.memory``, or a module of the project."""

    def __init__(self, builder: Builder, owner: str, handle: str = "self.handle") -> None:
        self.builder, self.owner, self.handle = builder, owner, handle
        self.found, self.sources = builder.found, builder.sources

    def call(self, call: Call, given: dict[str, str]) -> str:
        """Return the expression of a call, with what is given by the parts of its parameters."""
        passed = ", ".join(self._list_arguments(call, given))
        text = f"{self.owner}.{call.name}" + ("" if call.is_property else f"({passed})")
        return f"await {text}" if call.is_async else text

    def _list_arguments(self, call: Call, given: dict[str, str]) -> Iterator[str]:
        """Yield the arguments, by their names where one before them is left out."""
        by_name = False
        for each in call.parameters:
            value = self._argument(each, given)
            if each.is_star:
                yield from [f"*{value}"] if value else []
                continue
            by_name = by_name or not value or each.is_keyword
            if value:
                yield f"{each.name}={value}" if by_name else value

    def _argument(self, parameter: Parameter, given: dict[str, str]) -> str:
        value = given.get(parameter.part, "")
        if parameter.part == "handle":
            value = self.handle if parameter.is_required or not value else value
        elif parameter.part in {"session", "user"}:
            value = self.identify(parameter, given)
        elif parameter.part == "role":
            value = self._cast_role(parameter, value) if value else ""
        elif parameter.part == "other" or not value:
            value = self._guess_other(parameter, given)
        return value

    def identify(self, parameter: Parameter, given: dict[str, str]) -> str:
        """Return the session where it is wanted, in the type that is wanted."""
        if parameter.part == "user" and given.get("has_session"):
            return '"ann"' if parameter.is_required else ""
        value = given.get("id", "session_id")
        written = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if "UUID" in written:
            self.builder.place.imports.add("import uuid")
            return f"uuid.uuid5(uuid.NAMESPACE_URL, {value})"
        if re.match(r"int\b", written):
            self.builder.place.imports.add("import hashlib")
            # No two sessions may have one number; a server's INTEGER has 31 bits.
            digits = 7 if self.builder.place.services or self.builder.backend == "sql" else 15
            return f"int(hashlib.sha256({value}.encode()).hexdigest()[:{digits}], 16)"
        return value

    def _cast_role(self, parameter: Parameter, value: str) -> str:
        """Return the role as the enumeration that is wanted, if one is."""
        source = self.found.source
        kind = self.sources.find_class(source.resolve(parameter.annotation), source)
        if kind and any("Enum" in each for each in self.sources.list_bases(*kind)):
            return f"{self.builder.place.names.use(kind[0].module, kind[1].name)}({value})"
        return value

    def _guess_other(self, parameter: Parameter, given: dict[str, str]) -> str:
        if not parameter.is_required:
            return ""
        if "message" in given and parameter.name in {"id", "message_id", "msg_id", "key"}:
            return "each.id"
        written = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if "message" in given and _is_time(parameter.name, written):
            return _tell_time(written)
        if parameter.name in {"metadata", "meta", "extra"}:
            return "{}"
        return "None"

    def message(self, parameter: Parameter) -> str:
        """Return one of our messages, ``each``, as a parameter wants it."""
        shape = parameter.shape
        if shape is None:
            shape = Shape("text") if parameter.part == "text" else self._find_dict()
        if shape.kind == "text":
            return "each.content"
        if shape.kind in {"pair", "row"}:
            return "(each.role, each.content)"
        if shape.kind == "own" or (shape.kind == "dict" and shape.owner):
            return self._own(shape)
        if shape.kind == "langchain":
            return "each"
        if shape.kind == "object":
            if shape.is_ours:
                return "each"
            self.builder.place.imports.add("from types import SimpleNamespace")
            return f"SimpleNamespace({shape.role}=each.role, {shape.text}=each.content)"
        return f'{{"{shape.role or "role"}": each.role, "{shape.text or "content"}": each.content}}'

    def _find_dict(self) -> Shape:
        """Return the shape of the dicts that the project writes elsewhere."""
        functions = [each for each in ast.walk(self.found.source.tree)
                     if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]  # fmt: skip
        return read_literals(functions) or Shape("dict")

    def _own(self, shape: Shape) -> str:
        """Return the call that makes a message of the project's own class."""
        assert shape.owner is not None
        source, owner = shape.owner
        name, given = self.builder.place.names.use(source.module, owner.name), []
        for each in list_fields(source, owner, self.sources):
            value = ""
            if each.name == shape.role or (not shape.role and ROLES_OF_KEYS.fullmatch(each.name)):
                parameter = Parameter(each.name, "role", parse_annotation(each.annotation))
                value = self._cast_role(parameter, "each.role")
            elif each.name == shape.text or (not shape.text and TEXTS_OF_KEYS.fullmatch(each.name)):
                value = "each.content"
            elif each.name == shape.key:
                whose = Parameter(each.name, "session", parse_annotation(each.annotation))
                value = self.identify(whose, {})
            elif SESSION.fullmatch(each.name) or USER.fullmatch(each.name):
                value = "session_id" if each.is_required else ""
            elif each.is_required and each.name == "id":
                value = "each.id"
            elif each.is_required and _is_time(each.name, each.annotation):
                value = _tell_time(each.annotation)
            elif each.is_required:
                value = "{}" if "dict" in each.annotation.lower() else "None"
            given += [f"{each.name}={value}"] if value else []
        return f"{name}({', '.join(given)})"

    def history(self, call: Call, expression: str) -> str:
        """Return an expression of a history in words that goldfish reads, oldest first."""
        if is_newest_first(call, self.found.write):
            expression = f"list({expression})[::-1]"
        shape = find_result(call, self.found.write, self.sources)
        if shape is None or shape.is_ours or not shape.text:
            return expression
        if shape.kind == "row":
            role, text = (f"each[{part}]" if part else "" for part in (shape.role, shape.text))
        elif shape.kind == "dict":
            role, text = (f'each["{part}"]' if part else "" for part in (shape.role, shape.text))
        else:
            role, text = (f"each.{part}" if part else "" for part in (shape.role, shape.text))
        parts = f'"role": {role}, "content": {text}' if role else f'"content": {text}'
        return f"[{{{parts}}} for each in {expression}]"


def _is_time(name: str, annotation: str) -> bool:
    return TIMES.fullmatch(name) is not None or "datetime" in annotation.lower()


def _tell_time(annotation: str) -> str:
    if "float" in annotation or "int" in annotation:
        return "each.created_at.timestamp()"
    return "each.created_at.isoformat()" if "str" in annotation else "each.created_at"


def is_newest_first(read: Call, write: Call | None) -> bool:
    """Return True if a function returns the newest message first, as far as its code tells."""
    reading = ast.unparse(read.function)
    turns = len(re.findall(r"reversed\(|\[::-1\]|\.reverse\(\)", reading))
    downwards = bool(
        re.search(r"\bDESC\b|\.desc\(\)|zrevrange|xrevrange|order_by\(['\"]-", reading)
    )
    pushed = write is not None and "lpush" in ast.unparse(write.function)
    listed = "lrange" in reading
    return (downwards or (pushed and listed)) and turns % 2 == 0


def replaces_history(write: Call, read: Call) -> bool:
    """Return True if a function puts a whole history in the place of the one before."""
    many = write.part("many")
    if many is None:
        return False
    body = ast.Module(write.function.body, [])
    code = ast.unparse(body)
    reads = read.name in list_called(body) or _is_joined(many.name, body)
    return bool(OVERWRITING.search(code)) and not (reads or ADDING.search(code))


def _is_joined(name: str, body: ast.Module) -> bool:
    """Return True if a list is put behind another one: ``old + new``, ``[*old, *new]``."""
    return any(
        isinstance(side, ast.Name) and side.id == name
        for node in ast.walk(body)
        for side in (
            [node.left, node.right]
            if isinstance(node, ast.BinOp)
            else [each.value for each in node.elts if isinstance(each, ast.Starred)][1:]
            if isinstance(node, ast.List)
            else []
        )
    )


def list_limits(call: Call) -> Sequence[Parameter]:
    """Return the parameters by which a function returns fewer than all messages."""
    return [each for each in call.parameters if each.part == "limit"]

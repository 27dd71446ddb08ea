"""The shapes that a project's functions give to messages: texts, dicts, objects of its own."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldfish.cli.init.sources import Function, Source, Sources
from goldfish.cli.init.words import ROLES_OF_KEYS, TEXTS_OF_KEYS

LANGCHAIN = re.compile(r"langchain.*\.(\w*Message|AnyMessage|MessageLikeRepresentation)$")
TIMES = re.compile(r"(created|updated|sent|said)(_at|_on)?|time(stamp)?|ts|date|at|when|created")
SELECTED = re.compile(r"select\s+(.+?)\s+from\s", re.IGNORECASE | re.DOTALL)
# Expressions of one of our messages, by the kind of field that they fill.
ROLE, TEXT = "each.role", "each.content"


@dataclass(frozen=True)
class Field:
    """A field of a class: its name, the type that it has, whether it must be given."""

    name: str
    annotation: str
    is_required: bool


@dataclass(frozen=True)
class Shape:
    """How a message looks: ``kind`` is text, dict, own (a class), object, row, pair or langchain.

    ``role`` and ``text`` are the names, or places, of its parts. ``owner`` is the class, and
    ``key`` the name of its field that says of which session it is, where no word says that.
    """

    kind: str
    role: str = "role"
    text: str = "content"
    owner: tuple[Source, ast.ClassDef] | None = None
    key: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether goldfish reads such a message as it is."""
        if self.kind in {"text", "pair", "langchain"}:
            return True
        return self.kind != "row" and (self.role, self.text) == ("role", "content")


def strip_annotation(node: ast.expr | None) -> ast.expr | None:
    """Return an annotation without Optional, ``| None``, Annotated and Mapped."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval").body
        except SyntaxError:
            return None
    if isinstance(node, ast.BinOp):
        sides = [each for each in (node.left, node.right) if ast.unparse(each) != "None"]
        return strip_annotation(sides[0]) if sides else None
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value).rpartition(".")[2]
        if name in {"Optional", "Annotated", "Mapped", "Awaitable", "Union"}:
            inner = node.slice
            return strip_annotation(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
    return node


def parse_annotation(annotation: str) -> ast.expr | None:
    """Return the expression of an annotation; None if there is none."""
    try:
        return ast.parse(annotation, mode="eval").body if annotation else None
    except SyntaxError:
        return None


def find_element(node: ast.expr | None) -> ast.expr | None:
    """Return what a list, a sequence or an iterator is of; None if the annotation is no such."""
    node = strip_annotation(node)
    if not isinstance(node, ast.Subscript):
        return None
    name = ast.unparse(node.value).rpartition(".")[2].lower()
    if name not in {
        *("list", "sequence", "iterable", "collection", "deque", "tuple", "iterator"),
        *("asynciterator", "generator", "set", "frozenset", "asyncgenerator"),
    }:
        return None
    inner = node.slice
    return strip_annotation(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)


def is_many(node: ast.expr | None) -> bool:
    """Return True if an annotation is of several things."""
    node = strip_annotation(node)
    bare = ast.unparse(node) if node else ""
    return find_element(node) is not None or bare.lower() in {"list", "sequence", "iterable"}


def read_annotation(node: ast.expr | None, source: Source, sources: Sources) -> Shape | None:
    """Return the shape that an annotation of one message says."""
    node = strip_annotation(node)
    if node is None:
        return None
    written = ast.unparse(node.value if isinstance(node, ast.Subscript) else node)
    plain = written.rpartition(".")[2]
    if plain == "str":
        return Shape("text")
    if plain in {"dict", "Dict", "Mapping", "MutableMapping"}:
        return Shape("dict", "", "")
    if plain in {"tuple", "Tuple"}:
        inner = node.slice if isinstance(node, ast.Subscript) else None
        parts = inner.elts if isinstance(inner, ast.Tuple) else []
        return Shape("pair") if len(parts) == 2 else Shape("row", "0", "1")
    if LANGCHAIN.search(source.resolve(node)):
        return Shape("langchain")
    found = sources.find_class(source.resolve(node), source)
    return describe_class(*found, sources) if found else None


def describe_class(source: Source, owner: ast.ClassDef, sources: Sources) -> Shape:
    """Return the shape of messages of a class of the project."""
    names = [each.name for each in list_fields(source, owner, sources)]
    is_dict = any(each.endswith("TypedDict") for each in sources.list_bases(source, owner))
    role, text = find_keys(names)
    return Shape("dict" if is_dict else "own", role, text, (source, owner))


def find_keys(names: Sequence[str]) -> tuple[str, str]:
    """Return the names of the role and of the text among the names of fields; empty if missing."""
    roles = [each for each in names if ROLES_OF_KEYS.fullmatch(each)]
    texts = [each for each in names if TEXTS_OF_KEYS.fullmatch(each)]
    best = sorted(texts, key=lambda each: (each != "content", each != "text"))
    return next(iter(sorted(roles, key=lambda each: each != "role")), ""), next(iter(best), "")


def list_fields(source: Source, owner: ast.ClassDef, sources: Sources) -> list[Field]:
    """Return the fields of a dataclass, a model, a TypedDict, or of what ``__init__`` takes."""
    fields: dict[str, Field] = {}
    for base in owner.bases:
        found = sources.find_class(source.resolve(base), source)
        if found and found[1] is not owner:
            fields |= {each.name: each for each in list_fields(*found, sources)}
    for node in owner.body:
        fields |= {each.name: each for each in _read_field(node)}
    makers = [each for each in owner.body if isinstance(each, Function) and each.name == "__init__"]
    if makers and not fields:
        return list(_read_parameters(makers[0]))
    return list(fields.values())


def _read_field(node: ast.stmt) -> Iterator[Field]:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        written = ast.unparse(node.annotation)
        is_model = "Mapped" in written or (node.value and "mapped_column" in ast.dump(node.value))
        required = node.value is None or "..." in ast.unparse(node.value)
        if "ClassVar" not in written and "relationship" not in ast.dump(node):
            inner = strip_annotation(node.annotation)
            text = ast.unparse(inner) if inner else written
            yield Field(node.target.id, text, required if not is_model else _is_needed(node))
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        kind = ast.unparse(node.value.func).rpartition(".")[2]
        if kind == "Column" or kind.endswith("Field") or kind == "ForeignKey":
            for target in node.targets:
                if isinstance(target, ast.Name):
                    first = ast.unparse(node.value.args[0]) if node.value.args else ""
                    yield Field(target.id, first, _is_needed(node))


def _is_needed(node: ast.AnnAssign | ast.Assign) -> bool:
    """Return True if a column has no value of its own."""
    written = ast.unparse(node)
    is_free = re.search(r"default|primary_key|nullable=True|\| None|Optional|auto_now", written)
    return is_free is None


def _read_parameters(maker: Function) -> Iterator[Field]:
    arguments = [*maker.args.posonlyargs, *maker.args.args][1:]
    free = len(maker.args.defaults)
    for place, each in enumerate(arguments):
        annotation = strip_annotation(each.annotation)
        yield Field(
            each.arg,
            ast.unparse(annotation) if annotation else "",
            place < len(arguments) - free,
        )


def read_use(name: str, function: Function, helpers: Sequence[Function]) -> Shape | None:
    """Return the shape of a message by what a function does with the name that holds it."""
    names = {name, *_list_loop_names(name, function)}
    keys, attributes = list(_list_keys(names, function)), list(_list_attributes(names, function))
    if keys:
        role, text = find_keys(keys)
        return Shape("dict", role or "role", text or "content")
    if attributes:
        role, text = find_keys(attributes)
        return Shape("object", role or "role", text or "content") if text else None
    for call in ast.walk(function):
        if not isinstance(call, ast.Call):
            continue
        given = [each.id for each in call.args if isinstance(each, ast.Name) and each.id in names]
        called = ast.unparse(call.func).rpartition(".")[2]
        if given and called in {"dumps", "dump"}:
            return Shape("dict")
        for helper in helpers if given else ():
            own = [each.arg for each in helper.args.args if each.arg not in {"self", "cls"}]
            if helper.name == called and helper is not function and own:
                return read_use(own[-1], helper, ())
    return None


def _list_loop_names(name: str, function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            within = {each.id for each in ast.walk(node.iter) if isinstance(each, ast.Name)}
            if name in within:
                yield from (each.id for each in ast.walk(node.target) if isinstance(each, ast.Name))


def _list_keys(names: set[str], function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            holder, key = node.value.id, node.slice
        elif isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Attribute):
            if node.func.attr != "get" or not isinstance(node.func.value, ast.Name):
                continue
            holder, key = node.func.value.id, node.args[0]
        else:
            continue
        if holder in names and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _list_attributes(names: set[str], function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in names:
            yield node.attr


def read_literals(functions: Sequence[Function]) -> Shape | None:
    """Return the shape of the dicts that functions write out, if such look like messages."""
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Dict):
                keys = [each.value for each in node.keys if isinstance(each, ast.Constant)]
                role, text = find_keys([each for each in keys if isinstance(each, str)])
                if text:
                    return Shape("dict", role, text)
    return None

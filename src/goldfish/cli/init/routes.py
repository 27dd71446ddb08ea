"""The routes of a FastAPI service: its app, its routers, and the fields that requests have."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goldfish.cli.init.shapes import find_keys, list_fields, strip_annotation
from goldfish.cli.init.sources import Function, Source, Sources
from goldfish.cli.init.words import ROLES_OF_KEYS, SESSION, USER

CHAT = re.compile(r"chat|message|ask|say|converse|conversation|complet|talk|reply", re.IGNORECASE)
HISTORY = re.compile(r"message|history|chat|conversation|transcript|session|thread", re.IGNORECASE)
TEXT = re.compile(r"text|message|prompt|question|content|input|query|msg", re.IGNORECASE)
REPLY = re.compile(r"reply|answer|response|text|content|output|message|completion", re.IGNORECASE)


@dataclass(frozen=True)
class Route:
    """A route: method, path with its prefix, the function, and where its values go.

    ``fields`` are those of the body; ``queries`` are parameters in the address.
    """

    method: str
    path: str
    function: Function
    source: Source
    fields: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    reply: str = ""

    @property
    def places(self) -> list[str]:
        """The names within the path."""
        return re.findall(r"{(\w+)(?::\w+)?}", self.path)

    @property
    def session(self) -> str:
        """The name under which a session is told; empty if there is none."""
        names = [*self.places, *self.fields, *self.queries]
        found = [each for each in names if SESSION.fullmatch(each)]
        found += [each for each in names if SESSION.match(each) and each not in found]
        found += [each for each in names if USER.fullmatch(each)]
        return next(iter(found), "")

    @property
    def text(self) -> str:
        """The name under which a text is told; empty if there is none."""
        others = [each for each in [*self.fields, *self.queries] if each != self.session]
        _, known = find_keys(others)
        return known or next(filter(TEXT.search, others), "")

    @property
    def role(self) -> str:
        """The name of the field that holds the role; empty if there is none."""
        return next((each for each in self.fields if ROLES_OF_KEYS.fullmatch(each)), "")

    @property
    def is_chat(self) -> bool:
        """Whether it takes what a user says, and answers."""
        sounds = CHAT.search(f"{self.path} {self.function.name}")
        return self.method == "post" and bool(sounds) and not self.role

    def write_path(self, session: str) -> str:
        """Return the path as the inside of an f-string, with the session in its place."""
        return re.sub(r"{(\w+)(?::\w+)?}", f"{{{session}}}", self.path)


def find_app(sources: Sources) -> tuple[Source, str] | None:
    """Return where the app is, and its name; ``create_app()`` if a function makes it."""
    for source in sources.all:
        if source.is_test:
            continue
        for name, value in source.values.items():
            if isinstance(value, ast.Call) and source.resolve(value.func) == "fastapi.FastAPI":
                return source, name
    for source in sources.all:
        for name, function in source.functions.items():
            made = [source.resolve(each.func) for each in ast.walk(function)
                    if isinstance(each, ast.Call)]  # fmt: skip
            if "fastapi.FastAPI" in made and not source.is_test:
                return source, f"{name}()"
    return None


def list_routes(sources: Sources) -> list[Route]:
    """Return the routes of all apps and routers of a project."""
    prefixes = dict(_list_prefixes(sources))
    return [
        route
        for source in sources.all
        if not source.is_test and "fastapi" in str(source.imports)
        for function in ast.walk(source.tree)
        if isinstance(function, Function)
        for mark in function.decorator_list
        if (route := _read_route(mark, function, source, sources, prefixes)) is not None
    ]


def _list_prefixes(sources: Sources) -> Iterator[tuple[str, str]]:
    """Yield routers by module and name, with what their routes begin with."""
    for source in sources.all:
        for name, value in source.values.items():
            if isinstance(value, ast.Call) and source.resolve(value.func) == "fastapi.APIRouter":
                yield f"{source.module}.{name}", _read_prefix(value)
    own = {f"{source.module}.{name}": _read_prefix(value) for source in sources.all
           for name, value in source.values.items() if isinstance(value, ast.Call)}  # fmt: skip
    for source in sources.all:
        for node in ast.walk(source.tree):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) and node.args else ""
            if isinstance(node, ast.Call) and called.endswith("include_router"):
                dotted = source.resolve(node.args[0])
                dotted = dotted if "." in dotted else f"{source.module}.{dotted}"
                yield dotted, _read_prefix(node) + own.get(dotted, "")


def _read_prefix(call: ast.Call) -> str:
    given = [each.value for each in call.keywords if each.arg == "prefix"]
    value = given[0].value if given and isinstance(given[0], ast.Constant) else ""
    return value if isinstance(value, str) else ""


def _read_route(
    mark: ast.expr,
    function: Function,
    source: Source,
    sources: Sources,
    prefixes: dict[str, str],
) -> Route | None:
    if not isinstance(mark, ast.Call) or not isinstance(mark.func, ast.Attribute) or not mark.args:
        return None
    path = mark.args[0]
    if mark.func.attr not in {"get", "post", "put"} or not isinstance(path, ast.Constant):
        return None
    if not isinstance(path.value, str):
        return None
    prefix = prefixes.get(f"{source.module}.{ast.unparse(mark.func.value)}", "")
    fields, queries = _read_parameters(function, source, sources, path.value)
    reply = _read_reply(function, mark, source, sources)
    whole = f"{prefix}{path.value}"
    return Route(mark.func.attr, whole, function, source, tuple(fields), tuple(queries), reply)


def _read_parameters(
    function: Function, source: Source, sources: Sources, path: str
) -> tuple[list[str], list[str]]:
    """Return the fields of the body, and the parameters of the address, of a route."""
    fields: list[str] = []
    queries: list[str] = []
    arguments = function.args
    defaults: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    defaults += arguments.defaults
    pairs = [*zip(arguments.args, defaults, strict=True),
             *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]  # fmt: skip
    for each, default in pairs:
        written = ast.unparse(default) if default else ""
        annotation = ast.unparse(each.annotation) if each.annotation else ""
        if "Depends" in written + annotation or f"{{{each.arg}" in path:
            continue
        kind = sources.find_class(source.resolve(strip_annotation(each.annotation)), source)
        if kind:
            fields += [field.name for field in list_fields(*kind, sources)]
        elif "Body" in written + annotation:
            fields.append(each.arg)
        elif annotation in {"dict", "dict[str, str]", "dict[str, Any]"}:
            fields += _list_body_keys(each.arg, function)
        elif annotation in {"str", "int", "str | None", "Optional[str]"}:
            queries.append(each.arg)
    return fields, queries


def _list_body_keys(name: str, function: Function) -> list[str]:
    return [
        node.slice.value
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript)
        and ast.unparse(node.value) == name
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    ]


def _read_reply(function: Function, mark: ast.Call, source: Source, sources: Sources) -> str:
    """Return the key of a reply in what a route returns; empty if it is not seen."""
    models = [each.value for each in mark.keywords if each.arg == "response_model"]
    for said in [*models, function.returns]:
        kind = sources.find_class(source.resolve(said), source) if said is not None else None
        if kind:
            names = [each.name for each in list_fields(*kind, sources)]
            return _choose_reply(names)
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Dict):
            keys = [each.value for each in node.value.keys if isinstance(each, ast.Constant)]
            return _choose_reply([each for each in keys if isinstance(each, str)])
    return ""


def _choose_reply(names: Sequence[str]) -> str:
    free = [each for each in names if not SESSION.fullmatch(each)]
    return next(filter(REPLY.search, free), "") or next(filter(HISTORY.search, free), "")


def find_memory_routes(sources: Sources) -> tuple[Route, Route] | None:
    """Return the routes that store a message and return a history, if a service has both."""
    routes = list_routes(sources)
    sounds = [each for each in routes if HISTORY.search(f"{each.path} {each.function.name}")]
    writes = [
        each for each in sounds if each.method in {"post", "put"} and each.session and each.text
    ]
    reads = [each for each in sounds if each.method == "get" and each.session]
    stores = [each for each in writes if each.role] or writes
    return (stores[0], reads[0]) if stores and reads else None

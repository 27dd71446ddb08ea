"""Finds what a project remembers with: its own classes, functions and models."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from goldfish.cli.init.backends import FILE, URL
from goldfish.cli.init.by_client import find_client_calls
from goldfish.cli.init.by_storage import find_stored_calls
from goldfish.cli.init.openers import Opener, gives_connection, opens_fixed_path
from goldfish.cli.init.parameters import Call, read_call
from goldfish.cli.init.shapes import find_keys, list_fields
from goldfish.cli.init.sources import Function, Source, Sources
from goldfish.cli.init.words import (
    NOUNS,
    QUERY,
    RECALLING,
    SESSION,
    STAND_INS,
    USER,
    name_deed,
    split,
)

LEAST = 6  # of the score by which something is taken for a memory
# Classes of libraries that a project may implement, and the adapter for each.
INTERFACES = {
    r"langchain.*\.BaseChatMessageHistory$": "langchain",
    r"langgraph.*\.BaseCheckpointSaver$": "langgraph",
    r"langgraph\.store\..*\.BaseStore$": "langgraph_store",
    r"^agents\.(memory\.)?(session\.)?(Session|SessionABC)$": "openai_agents",
    r"google\.adk.*\.BaseSessionService$": "adk",
    r"llama_index.*\.BaseChatStore$": "llamaindex",
}
# Calls by which something is stored or fetched.
STORING = {
    *("rpush", "lpush", "lrange", "hset", "hget", "hgetall", "xadd", "xrange", "zadd", "zrange"),
    *("set", "setex", "get", "execute", "executemany", "commit", "fetchall", "fetch", "scalars"),
    *("write_text", "read_text", "dump", "dumps", "load", "loads", "setdefault", "insert_one"),
    *("find", "add", "search", "put_item", "create", "filter", "query", "append", "open", "write"),
}
ROUTES = re.compile(r"\.(get|post|put|delete|patch|route|websocket|command|tool|task)\b")
Kind = Literal["messages", "facts", "adapter", "model"]


@dataclass(frozen=True)
class FoundMemory:
    """Something of a project that remembers.

    ``owner`` is its class (None: functions of the module), ``write`` and ``read`` the calls that
    goldfish needs, ``others`` further ones by the names that goldfish has for them, ``makes`` its
    ``__init__``. One with ``per_session`` is made anew for each session. ``adapter`` is the name of
    the adapter of a library whose interface the class implements; ``opener`` opens one of the
    library's own.
    """

    source: Source
    owner: ast.ClassDef | None
    kind: Kind
    score: int
    write: Call | None = None
    read: Call | None = None
    others: Mapping[str, Call] = field(default_factory=dict)
    makes: Call | None = None
    per_session: bool = False
    adapter: str = ""
    opener: Opener | None = None

    @property
    def name(self) -> str:
        """Its class, the function that opens it, or the two functions."""
        if self.owner is not None:
            return self.owner.name
        if self.opener is not None:
            return self.opener.name
        assert self.write is not None
        assert self.read is not None
        return f"{self.write.name} and {self.read.name}"

    @property
    def line(self) -> int:
        """The line where it begins."""
        if self.owner is not None:
            return self.owner.lineno
        if self.opener is not None:
            return self.opener.function.lineno
        return self.write.function.lineno if self.write else 1

    def __str__(self) -> str:
        return f"{self.name} in {self.source.file}, line {self.line}"


def find_memories(sources: Sources) -> list[FoundMemory]:
    """Return what of the project looks like a memory, the likeliest first."""
    found = [
        each
        for source in sources.all
        if not source.is_test
        for each in (*_find_classes(source, sources), *_find_functions(source, sources))
    ]
    likely = [each for each in found if each.score >= LEAST]
    if not likely:
        likely = [each for source in sources.all for each in _find_models(source, sources)]
    return sorted(likely, key=lambda each: (-each.score, each.source.file, each.line))


def _find_classes(source: Source, sources: Sources) -> Iterator[FoundMemory]:
    for owner in source.classes.values():
        bases = sources.list_bases(source, owner)
        methods = sources.list_methods(source, owner)
        maker = methods.get("__init__") or _read_dataclass(owner)
        makes = read_call(maker, source, sources, [], bound=True) if maker else None
        adapters = [
            each
            for pattern, each in INTERFACES.items()
            for base in bases
            if re.search(pattern, base)
        ]
        if adapters and not _is_abstract(methods):
            yield FoundMemory(
                source, owner, "adapter", 20, makes=makes, adapter=adapters[0],
                per_session=adapters[0] in {"langchain", "openai_agents"},
            )  # fmt: skip
            continue
        if _is_interface(bases, methods) or _is_model(bases, owner):
            continue
        calls = [
            read_call(each, source, sources, list(methods.values()), bound=True)
            for each in methods.values()
            if not is_unimplemented(each)
        ]
        yield from _judge_all(source, owner, calls, makes, sources)


def _find_functions(source: Source, sources: Sources) -> Iterator[FoundMemory]:
    functions = [
        each
        for each in source.functions.values()
        if not any(ROUTES.search(ast.unparse(mark)) for mark in each.decorator_list)
        and not is_unimplemented(each)
    ]
    calls = [read_call(each, source, sources, functions, bound=False) for each in functions]
    yield from _judge_all(source, None, calls, None, sources)


def _judge_all(
    source: Source,
    owner: ast.ClassDef | None,
    calls: Sequence[Call],
    makes: Call | None,
    sources: Sources,
) -> list[FoundMemory]:
    """Return what functions are by their names; else by the client or the storage they call."""
    found = list(_judge(source, owner, calls, makes))
    by_client = find_client_calls(calls) if _imports(source, "mem0") else None
    if any(each.score >= LEAST for each in found):
        more = by_client.others if by_client else {}  # such as what lists facts by another name
        return [replace(each, others={**more, **each.others}) for each in found]
    if _imports(source, "mem0"):
        if by_client:
            write, read, others = by_client.write, by_client.read, by_client.others
            found = [FoundMemory(source, owner, "facts", LEAST + 2, write, read, others, makes)]
        return found
    if stored := find_stored_calls(calls, sources, split(owner.name) if owner else []):
        write, read = stored.write, stored.read
        prepare = _find_others(calls, [], write, is_facts=False, per_session=False).get("prepare")
        others = stored.others | ({"prepare": prepare} if prepare else {})
        score = max(LEAST, _score(source, owner, write, read, False))
        kind: Kind = "facts" if stored.is_facts else "messages"
        found = [FoundMemory(source, owner, kind, score, write, read, others, makes)]
    return found


def _judge(
    source: Source,
    owner: ast.ClassDef | None,
    calls: Sequence[Call],
    makes: Call | None,
) -> Iterator[FoundMemory]:
    per_session = bool(makes and makes.part("session", "user"))
    writes = _rank([(rate_write(each, per_session), each) for each in calls])
    reads = _rank([(rate_read(each, per_session), each) for each in calls])
    recalls = _rank([(rate_recall(each, per_session), each) for each in calls])
    if not writes or not (reads or recalls):
        return
    write = writes[0]
    says = write.part("role", "one", "many", "question") and not _imports(source, "mem0")
    is_facts = bool(recalls) and (not reads or not says)
    read = recalls[0] if is_facts else reads[0] if reads else None
    if read is None or read is write:
        return
    per_session = per_session and not write.part("session", "user")
    if not per_session and not read.part("session", "user"):
        return
    yield FoundMemory(
        source,
        owner,
        "facts" if is_facts else "messages",
        _score(source, owner, write, read, per_session),
        write,
        read,
        _find_others(calls, reads, write, is_facts=is_facts, per_session=per_session),
        makes,
        per_session,
    )


def _imports(source: Source, package: str) -> bool:
    return any(each.partition(".")[0] == package for each in source.imports.values())


def _rank(rated: Sequence[tuple[int, Call]]) -> list[Call]:
    good = [each for each in rated if each[0] > 0]
    return [call for _, call in sorted(good, key=lambda each: -each[0])]


def rate_write(call: Call, per_session: bool = False) -> int:
    """Return how likely a function writes a message: 0 if it does not."""
    if name_deed(call.name) != "write" or not (per_session or call.part("session", "user")):
        return 0
    if call.part("role") and call.part("text", "one"):
        rating = 5
    elif call.part("one", "many"):
        rating = 4
    elif call.part("question") and call.part("answer"):
        rating = 2
    elif call.part("text"):
        rating = 3 if set(split(call.name)) & {"user", "human"} else 2
    else:
        return 0
    odd = sum(each.is_required and each.part == "other" for each in call.parameters)
    return max(1, rating + bool(set(split(call.name)) & NOUNS) - 2 * odd)


def rate_read(call: Call, per_session: bool = False) -> int:
    """Return how likely a function reads a history: 0 if it does not."""
    if name_deed(call.name) != "read" or not (per_session or call.part("session", "user")):
        return 0
    if _is_recall(call) or _returns_no_messages(call) or call.part("one", "many"):
        return 0
    words = set(split(call.name))
    rating = 3 + 2 * bool(words & {"history", "messages", "conversation", "transcript", "memories"})
    rating -= bool(words & {"recent", "last", "latest", "context", "prompt", "summary", "by"})
    rating -= 3 * bool(
        words & {"count", "sessions", "conversations", "users", "threads", "session"}
    )
    rating -= 2 * sum(
        each.is_required and each.part in {"other", "text"} for each in call.parameters
    )
    return max(0, rating)


def rate_recall(call: Call, per_session: bool = False) -> int:
    """Return how likely a function searches facts: 0 if it does not."""
    if name_deed(call.name) != "read" or not (per_session or call.part("session", "user")):
        return 0
    return (2 + bool(set(split(call.name)) & RECALLING)) if _is_recall(call) else 0


def _is_recall(call: Call) -> bool:
    named = [each for each in call.parameters if each.is_required and QUERY.fullmatch(each.name)]
    return bool(named)


def _returns_no_messages(call: Call) -> bool:
    written = ast.unparse(call.function.returns) if call.function.returns else ""
    return written in {"int", "bool", "None", "float", "bool | None", "int | None"}


def _find_others(
    calls: Sequence[Call], reads: Sequence[Call], write: Call, *, is_facts: bool, per_session: bool
) -> dict[str, Call]:
    """Return further calls by the names that goldfish has for them."""
    found: dict[str, Call] = {}
    whole = {"session", "user", "handle"}
    for call in calls:
        deed, words = name_deed(call.name), set(split(call.name))
        required = {each.part for each in call.parameters if each.is_required}
        is_whole = per_session or call.part("session", "user") is not None
        if deed == "remove" and required <= whole and is_whole:
            found.setdefault("forget_all" if is_facts else "clear", call)
        elif deed == "prepare" and _can_prepare(call):
            found.setdefault("prepare", call)
        elif deed == "begin":
            found.setdefault("begin", call)
        elif call is not write and (role := _name_role(words)) and rate_write(call, True):
            found.setdefault(role, call)
    if is_facts and reads:
        found["list_facts"] = reads[0]
    return found


def _name_role(words: set[str]) -> str:
    """Return for which role a method writes by its name, as others are called; else nothing."""
    if words & {"assistant", "ai", "bot"}:
        return "reply"
    return next((each for each in ("system", "tool") if each in words), "")


def _can_prepare(call: Call) -> bool:
    """Return True if a function can be called before the others: init has all that it takes.

    One that gives a connection is how the others are reached; one that opens a path of its own,
    which nothing can lead to the sandbox, is not called.
    """
    needed = [each for each in call.parameters if each.is_required and each.part != "handle"]
    if call.function not in call.source.functions.values():
        return not needed  # a method, which its object leads
    if not all(FILE.fullmatch(each.name) or URL.fullmatch(each.name) for each in needed):
        return False
    is_fixed = opens_fixed_path(call.source, call.function)
    return not is_fixed and not gives_connection(call.source, call.function)


def _score(
    source: Source, owner: ast.ClassDef | None, write: Call, read: Call, per_session: bool
) -> int:
    """Return how much speaks for it: names, parameters, and the calls in it."""
    named = split(owner.name) if owner else []
    score = 3 * bool(set(named) & NOUNS) - 4 * bool(set(named) & STAND_INS)
    score += 2 * bool(set(split(write.name)) & NOUNS) + bool(set(split(read.name)) & NOUNS)
    score += 3 * bool(write.part("role")) + 2 * bool(write.part("one", "many", "question"))
    score += 2 if per_session or write.part("session") else 1
    score += bool(set(split(source.module.replace(".", "_"))) & NOUNS)
    score += 2 * bool(_list_called(write.function) & STORING)
    score -= _is_in_process(named)
    return score


def _is_in_process(named: Sequence[str]) -> int:
    return 2 if "inmemory" in "".join(named) else 0


def _list_called(function: Function) -> set[str]:
    calls = [each.func for each in ast.walk(function) if isinstance(each, ast.Call)]
    return {each.attr for each in calls if isinstance(each, ast.Attribute)}


def _is_interface(bases: Sequence[str], methods: Mapping[str, Function]) -> bool:
    return any(each.endswith("Protocol") for each in bases) or _is_abstract(methods)


def _is_abstract(methods: Mapping[str, Function]) -> bool:
    marks = [ast.unparse(mark) for each in methods.values() for mark in each.decorator_list]
    return any("abstractmethod" in each for each in marks)


def is_unimplemented(function: Function) -> bool:
    """Return True if all that a function does is to raise NotImplementedError."""
    body = function.body[ast.get_docstring(function) is not None :]
    raised = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    named = raised.func if isinstance(raised, ast.Call) else raised
    return named is not None and ast.unparse(named) == "NotImplementedError"


def _is_model(bases: Sequence[str], owner: ast.ClassDef) -> bool:
    """Return True for a table of SQLAlchemy, SQLModel or Django, and for plain data."""
    names = {each.target.id for each in owner.body
             if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)}  # fmt: skip
    names |= {name.id for each in owner.body if isinstance(each, ast.Assign)
              for name in each.targets if isinstance(name, ast.Name)}  # fmt: skip
    tables = any(keyword.arg == "table" for keyword in owner.keywords)
    is_django = any(each.endswith("models.Model") for each in bases)
    return "__tablename__" in names or "__table__" in names or tables or is_django


def _read_dataclass(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the ``__init__`` that a dataclass gets."""
    if not any("dataclass" in ast.unparse(each) for each in owner.decorator_list):
        return None
    fields = [each for each in owner.body if isinstance(each, ast.AnnAssign)]
    arguments = [ast.arg("self")]
    defaults: list[ast.expr] = []
    for each in fields:
        if isinstance(each.target, ast.Name) and "init=False" not in ast.unparse(each):
            arguments.append(ast.arg(each.target.id, each.annotation))
            if each.value is not None:
                defaults.append(each.value)
    given = ast.arguments([], arguments, None, [], [], None, defaults)
    return ast.FunctionDef("__init__", given, [ast.Pass()], [], None, lineno=owner.lineno)


def _find_models(source: Source, sources: Sources) -> Iterator[FoundMemory]:
    """Yield tables that hold messages, for a project that writes to them here and there."""
    if source.is_test:
        return
    for owner in source.classes.values():
        bases = sources.list_bases(source, owner)
        if not _is_model(bases, owner):
            continue
        names = [each.name for each in list_fields(source, owner, sources)]
        _, text = find_keys(names)
        keys = [each for each in names if SESSION.fullmatch(each) or USER.fullmatch(each)]
        if text and keys and set(split(owner.name)) & NOUNS:
            yield FoundMemory(source, owner, "model", 10)

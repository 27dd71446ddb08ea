"""Writes the methods of a wrapper around a memory of facts."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from goldfish.cli.init.calls import MOST, CallWriter
from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.parameters import Call
from goldfish.cli.init.words import QUERY

SAID = '{"role": "user", "content": text}'
LIST_TEXTS = '''def _list_texts(found):
    """Return facts as dicts with a text, in whatever they come."""
    rows = found.get("results", []) if isinstance(found, dict) else found or []
    rows = rows.splitlines() if isinstance(rows, str) else rows
    keys = ("text", "memory", "content", "fact")
    return [
        {"text": each}
        if isinstance(each, str)
        else {"id": each.get("id"), "text": next(each[key] for key in keys if key in each)}
        for each in rows
    ]
'''


def write_facts(
    found: FoundMemory, writer: CallWriter, locate: Callable[[Call], str]
) -> Iterator[str]:
    """Yield the methods; ``locate`` says where a function is."""
    write, read = found.write, found.read
    assert write is not None
    assert read is not None
    given = {**name_user(write), "role": '"user"', "text": "text"}
    if one := write.part("one", "many"):
        text = "text" if one.shape and one.shape.kind == "text" else SAID
        given[one.part] = f"[{text}]" if one.part == "many" else text
    yield define("remember", "user_id, text", write)
    yield f"        {writer.call(write, given)}  # GUESS: it writes {locate(write)}\n"
    given = {**name_user(read), "limit": "limit", "text": "query", "one": "query"}
    given |= {"question": "query"}
    named = _name_query(read)
    if named.part("query"):
        call = writer.call(named, {**given, "query": "query"})
        yield define("recall", "user_id, query, *, limit=5", read)
        yield f"        found = {call}  # GUESS: it searches {locate(read)}\n"
        yield "        return _list_texts(found)\n"
    if every := found.others.get("list_facts", None if named.part("query") else read):
        yield define("list_facts", "user_id", every)
        call = writer.call(every, {**name_user(every), "limit": MOST})
        yield f"        return _list_texts({call})  # GUESS: it lists {locate(every)}\n"
    if forget := found.others.get("forget_all"):
        yield define("forget_all", "user_id", forget)
        yield f"        {writer.call(forget, name_user(forget))}\n"
    yield "\n\n" + LIST_TEXTS.rstrip("\n") + "\n"


def name_user(call: Call, name: str = "user_id") -> dict[str, str]:
    """Return what a call is given for whom it is about."""
    return {"id": name, **({"has_session": "yes"} if call.part("session") else {})}


def define(name: str, parameters: str, *calls: Call) -> str:
    """Return the line that begins a method, which waits if one of the calls in it does."""
    waits = "async " if any(each.is_async for each in calls) else ""
    return f"\n    {waits}def {name}(self, {parameters}):\n"


def _name_query(read: Call) -> Call:
    """Return a call whose query is known as such, whatever its name made of it."""
    parameters = [
        replace(each, part="query") if QUERY.fullmatch(each.name) and each.is_required else each
        for each in read.parameters
    ]
    return replace(read, parameters=parameters)

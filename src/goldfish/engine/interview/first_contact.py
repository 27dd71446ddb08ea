"""First contact: one ordinary write and read, without which there is nothing to check."""

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

from goldfish.catalogue.support.facts import fetch_texts, read_text, unpack_facts
from goldfish.errors import TargetError
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError, describe_error
from goldfish.harness.id_forms import OTHER_FORMS as OTHER_IDS
from goldfish.harness.memory import MISSING, Memory, contents_of
from goldfish.history.operations import METHODS
from goldfish.targets.declaration import Target
from goldfish.targets.forms import Form
from goldfish.targets.traces import find_user_line

TEXT = "The quick goldfish remembers its bowl"
MESSAGES = (
    "it stores a list of goldfish.ChatMessage (role, content, id, created_at, name, tool_calls, "
    "tool_call_id, metadata) under a session id"
)
HISTORY = (
    "it returns a list of messages, oldest first: objects or dicts with a content, (role, content) "
    "pairs, or texts"
)
FACTS = (
    "it returns a list of facts: objects or dicts with a text (or content), or (fact, score) pairs"
)
EXPECTED = {
    "add_messages": MESSAGES,
    "get_history": HISTORY,
    "remember": "it stores a text about a user",
    "list_facts": FACTS,
    "recall": FACTS,
}


Talk = Callable[[Memory], Awaitable[str]]  # returns a problem, or nothing
# Forms that a store may want its messages in, if it takes none of ours.
OTHER_FORMS: tuple[Form, ...] = ("dict", "langchain")


async def make_first_contact(memory: Memory) -> None:
    """Write and read once; raise a TargetError if that fails twice, or returns no messages.

    A store that takes its messages as dicts, or as LangChain's, is given such from then on, and one
    whose sessions and users are UUIDs or numbers is given those.
    """
    for talk in (_talk_of_messages, _talk_of_facts):
        if problem := await _find_problem(memory, talk):
            await memory.reopen()  # once more: what fails only sometimes is for the checks to tell
            if not (again := await _find_problem(memory, talk)):
                continue
            listen = _tell_and_listen if talk is _talk_of_facts else _talk_and_listen
            if not await _find_form(memory, listen):
                raise TargetError(again or problem)


async def _find_form(memory: Memory, listen: Talk) -> bool:
    """Find a form of messages and ids in which the store keeps one; return False if none does."""
    asked = memory.target
    for target in _list_forms(asked, listen):
        memory.declare(target)
        await memory.reopen()
        if not await _find_problem(memory, listen):
            return True
    memory.declare(asked)
    await memory.reopen()
    return False


def _list_forms(asked: Target, listen: Talk) -> Iterator[Target]:
    """Return the target with every other form of messages and of ids that it may want."""
    is_open = listen is _talk_and_listen and "messages" not in asked.declared
    forms: list[Form] = [asked.messages, *(OTHER_FORMS if is_open else ())]
    yield from (replace(asked, messages=form) for form in forms[1:])
    if asked.holds("text_ids"):
        lacks = asked.lacks | {"text_ids"}
        for ids in OTHER_IDS:
            other = replace(asked, dialect={**asked.dialect, "ids": ids}, lacks=lacks)
            yield from (replace(other, messages=form) for form in forms)


async def _talk_and_listen(memory: Memory) -> str:
    """Say something; return a problem unless it comes back."""
    session, said = memory.session(), memory.message()
    await memory.client.add(session, [said])
    found = await memory.client.contents(session)
    return "" if found == [said.content] else "it does not come back"


async def _tell_and_listen(memory: Memory) -> str:
    """Tell a fact; return a problem unless it comes back."""
    user, told = memory.session("user"), memory.text(TEXT)
    await memory.client.call("remember", user, told)
    return "" if await fetch_texts(memory.client, user, [told]) == [told] else "it is not there"


async def _find_problem(memory: Memory, talk: Talk) -> str:
    try:
        return await talk(memory)
    except StoreError as error:
        return _describe_failure(memory, error)
    except Violation as violation:
        # A call that does not return is for the checks to tell, with their evidence.
        return "" if violation.finding == "wedged" else violation.summary


def _describe_failure(memory: Memory, error: StoreError) -> str:
    where = find_user_line(error.error)
    return (
        f"the target {memory.target.name} fails at its first ordinary call, so nothing else was "
        f"asked: {METHODS[error.method]} raised {describe_error(error.error)}"
        f"{f' ({where})' if where else ''}. Expected: {EXPECTED[error.method]}"
    )


def _describe_shape(memory: Memory, method: str, found: Any) -> str:
    return (
        f"the target {memory.target.name} fails at its first ordinary call, so nothing else was "
        f"asked: {METHODS[method]} returned {describe_value(found)}. Expected: {EXPECTED[method]}"
    )


def describe_value(found: Any) -> str:
    """Return what a method returned, by its type and that of its first item."""
    if isinstance(found, list | tuple) and found:
        return f"a {type(found).__name__} of {type(found[0]).__name__}"
    return f"a {type(found).__name__}" if found is not None else "None"


async def _talk_of_messages(memory: Memory) -> str:
    client = memory.client
    if not (client.has("add_messages") and client.has("get_history")):
        return ""
    session = memory.session()
    await client.add(session, [memory.message()])
    found = await client.call("get_history", session)
    try:
        messages = await client.history(session)
    except Violation:
        return _describe_shape(memory, "get_history", found)
    if messages and MISSING in contents_of(messages):
        return _describe_shape(memory, "get_history", found)
    return ""


async def _talk_of_facts(memory: Memory) -> str:
    client = memory.client
    if not client.has("remember"):
        return ""
    user = memory.session("user")
    await client.call("remember", user, memory.text(TEXT))
    reads = {"list_facts": [user], "recall": [user, TEXT]}
    for method, arguments in reads.items():
        if not client.has(method):
            continue
        found = await client.call(method, *arguments)
        try:
            texts = [read_text(item) for item in unpack_facts(found, method)]
        except Violation:
            return _describe_shape(memory, method, found)
        if texts and MISSING in texts:
            return _describe_shape(memory, method, found)
    return ""

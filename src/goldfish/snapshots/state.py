"""The whole state of a memory as plain records, in one form for every store."""

import dataclasses
import inspect
import json
from collections.abc import Iterable
from typing import Any

from goldfish.encoding import decode_value, encode_message
from goldfish.errors import UsageError
from goldfish.messages import ChatMessage

VERSION = 1
Record = dict[str, Any]
State = dict[str, list[Record]]  # by "messages of <session>", "snapshots of …", "facts of <user>"


async def read_state(
    store: Any, sessions: Iterable[str] | None = None, users: Iterable[str] = ()
) -> State:
    """Read messages and snapshots of these sessions, or of all, and the facts of these users."""
    state: State = {}
    for session in await _list_sessions(store, sessions):
        messages = await _resolve(store.get_history(session))
        state[f"messages of {session}"] = [_make_record(each) for each in messages]
        if callable(getattr(store, "list_snapshots", None)):
            snapshots = await _resolve(store.list_snapshots(session))
            state[f"snapshots of {session}"] = [_make_record(each) for each in snapshots]
    for user in users:
        state[f"facts of {user}"] = [_make_record(each) for each in await _list_facts(store, user)]
    return {place: records for place, records in sorted(state.items()) if records}


def render_state(state: State) -> str:
    """Return the state as JSON that people can read and version control can compare."""
    document = {"version": VERSION, "state": state}
    return json.dumps(document, indent=2, sort_keys=True, ensure_ascii=True) + "\n"


def parse_state(text: str) -> State:
    """Parse a rendered state; a ValueError says what is wrong with a text edited by hand."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("version") != VERSION:
        raise ValueError(f"it has no version {VERSION}")
    state = document.get("state")
    if not isinstance(state, dict) or not all(map(_is_records, state.values())):
        raise ValueError("its state is not lists of records")
    return state


def _is_records(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


async def _list_sessions(store: Any, given: Iterable[str] | None) -> list[str]:
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    if not callable(getattr(store, "list_sessions", None)):
        raise UsageError(
            f"{type(store).__name__} cannot list its sessions: name them, sessions=[…]"
        )
    return [str(each) for each in await _resolve(store.list_sessions())]


async def _list_facts(store: Any, user: str) -> list[Any]:
    if not callable(getattr(store, "list_facts", None)):
        raise UsageError(f"{type(store).__name__} cannot list its facts: leave out users=[…]")
    return await _resolve(store.list_facts(user))


async def _resolve(answer: Any) -> list[Any]:
    """What a method answered, be it async, a coroutine or plain."""
    if inspect.isawaitable(answer):
        answer = await answer
    if hasattr(answer, "__aiter__"):
        return [each async for each in answer]
    return list(answer or ())


def _make_record(value: Any) -> Record:
    """A message, snapshot or fact as JSON has it."""
    if isinstance(value, ChatMessage):
        plain = decode_value(encode_message(value))
    elif hasattr(value, "model_dump"):
        plain = value.model_dump(mode="json")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        plain = dataclasses.asdict(value)
    else:
        plain = value if isinstance(value, dict) else {"value": value}
    # What JSON does not have is taken as the text that people would see.
    return dict(json.loads(json.dumps(plain, default=str)))

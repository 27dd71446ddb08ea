"""A recording replayed on another store, up to the first answer that differs."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness import wire
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, field, identity
from goldfish.history.operations import METHODS
from goldfish.replay.recording import RecordedCall

Difference = tuple[str, Any, Any]  # what differs, as it was recorded, and as it is here

# What each store makes for itself, so that it cannot be the same elsewhere.
OF_ITS_OWN = {"id", "created_at", "updated_at", "score", "why", "near"}
MADE_BY_STORE = {"id", "created_at"}  # of a message, where the memory makes them itself


async def replay_calls(memory: Memory, calls: Sequence[RecordedCall]) -> None:
    """Repeat the calls, one after the other; the violation shows the first answer that differs."""
    names: dict[Any, Any] = {}
    client = memory.client
    crowded = _find_crowded(calls)
    for number, call in enumerate(calls):
        if not client.has(call.method):
            raise UnsupportedError(
                Reason.stated(f"the store has no {call.method}, and the recording asks for it")
            )
        answer, error = await _get_answer(client, call, names)
        _learn_names(call, answer, names)
        if number in crowded and not error:
            continue  # it was asked amid a write: either answer would have been right
        for place, before, now in _find_differences(call, answer, error, memory):
            raise Violation(
                f"wrong: call {number + 1} of {len(calls)}, {call}, has another answer: {place}",
                f"recorded  {quote(before)}",
                f"here      {quote(now)}",
            )


def _find_crowded(calls: Sequence[RecordedCall]) -> set[int]:
    """Return the numbers of the reads that overlapped a write to the same session."""
    writes: dict[str, list[RecordedCall]] = defaultdict(list)
    for call in calls:
        if not _only_shows(call):
            writes[str(call.session)].append(call)
    return {
        number
        for number, call in enumerate(calls)
        if _only_shows(call) and any(map(call.overlaps, writes[str(call.session)]))
    }


def _only_shows(call: RecordedCall) -> bool:
    return call.method in METHODS and METHODS[call.method].only_shows


async def _get_answer(client: Client, call: RecordedCall, names: dict[Any, Any]) -> tuple[Any, str]:
    first, *rest = call.arguments or (None,)
    if METHODS[call.method].takes_id:  # ids that the other store gave, and this one gave otherwise
        rest = [names.get(each, each) if isinstance(each, str) else each for each in rest]
    arguments = [first, *rest] if call.arguments else []
    try:
        return await client.call(call.method, *arguments, **call.options), ""
    except StoreError as error:
        return None, str(error)


def _learn_names(call: RecordedCall, answer: Any, names: dict[Any, Any]) -> None:
    """Note what the two stores call the same thing."""
    if not METHODS[call.method].gives_ids:
        return
    before = call.result if isinstance(call.result, list) else [call.result]
    now = list(answer) if isinstance(answer, list | tuple) else [answer]
    for one, other in zip(before, now, strict=False):
        if one is not None and other is not None and isinstance(identity(one), str):
            names[identity(one)] = identity(other)


def _find_differences(
    call: RecordedCall, answer: Any, error: str, memory: Memory
) -> Iterator[Difference]:
    if bool(call.error) != bool(error):
        yield "whether it raises", call.error or "no error", error or "no error"
    elif error:
        return
    elif call.method == "get_history":
        yield from _compare_messages(call.result or [], list(answer), memory)
    elif call.method == "get_ttl":
        if (call.result is None) != (answer is None):
            yield "whether there is a deadline", call.result, answer
    elif call.method != "save_snapshot" and None not in (call.result, answer):
        own = () if call.method == "get_state" else OF_ITS_OWN
        yield from _compare_values(call.result, wire.unpack(wire.pack(answer)), "the answer", own)


def _compare_messages(
    before: Sequence[Any], now: Sequence[Any], memory: Memory
) -> Iterator[Difference]:
    made_there = set() if memory.target.retries else MADE_BY_STORE
    for number, (one, other) in enumerate(zip(before, now, strict=False), 1):
        for name in sorted(memory.target.carries - made_there):
            old, new = field(one, name), field(other, name)
            if MISSING not in (old, new) and old != new:
                yield f"message {number} of {len(before)}, its {name}", old, new
    if len(before) != len(now):
        longer = before if len(before) > len(now) else now
        extra = quote(field(longer[min(len(before), len(now))], "content"))
        where = "only recorded" if longer is before else "only here"
        yield f"the number of messages ({where}: {extra})", len(before), len(now)


def _compare_values(
    before: Any, now: Any, where: str, own: Collection[str]
) -> Iterator[Difference]:
    """Yield where two answers differ, except in what each store makes for itself."""
    if isinstance(before, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip(before, now, strict=False), 1):
            yield from _compare_values(one, other, f"{where}, item {number} of {len(before)}", own)
        if len(before) != len(now):
            yield f"{where}, the number of items", len(before), len(now)
    elif isinstance(before, dict) and isinstance(now, dict):
        for key in [key for key in {**before, **now} if key not in own]:
            inner = () if key == "metadata" else own  # which is the user's
            yield from _compare_values(before.get(key), now.get(key), f"{where}, its {key}", inner)
    elif before != now:
        yield where, before, now

"""A recorded conversation, asked of another store: the first answer that is not the same."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldfish.errors import HistoryError
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness import wire
from goldfish.harness.client import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, field, identity
from goldfish.history.operations import METHODS
from goldfish.replay.recorder import SCHEMA

Where = tuple[str, Any, Any]  # what differs, as it was recorded, and as it is here

# What each store makes for itself, so that it cannot be the same elsewhere.
OF_ITS_OWN = {"id", "created_at", "updated_at", "score", "why", "near"}
NOT_TOLD = {"id", "created_at"}  # of a message, where the memory makes them itself


@dataclass(frozen=True)
class Asked:
    """One call of a recording."""

    method: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    result: Any
    error: str
    start: float
    end: float

    @property
    def session(self) -> Any:
        """The session or user that it was about, if any."""
        return self.arguments[0] if self.arguments else None

    def overlaps(self, other: "Asked") -> bool:
        """Whether neither was over before the other began."""
        return other.start < self.end and self.start < other.end

    def __str__(self) -> str:
        """The call as one would write it, in short."""
        words = [quote(each) for each in self.arguments[:1]]
        words += ["…"] if self.arguments[1:] else []
        words += [f"{name}={quote(value)}" for name, value in self.options.items()]
        return f"{self.method}({', '.join(words)})"


def is_recording(path: Path) -> bool:
    """Whether the file begins as one that ``goldfish.record`` wrote."""
    try:
        with path.open("rb") as file:
            begins = file.readline(100).replace(b" ", b"")  # older releases wrote spaces
            return begins.startswith(b'{"$dict":{"recording"')
    except OSError:
        return False


def load_recording(path: Path) -> list[Asked]:
    """The calls of a recording, in the order in which they ended."""
    try:
        with path.open("rb") as file:
            if wire.unpacked(file.readline())["recording"] != SCHEMA:
                raise ValueError("it was written by a newer goldfish")
            calls = [_asked(wire.unpacked(line)) for line in file]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise HistoryError(
            f"{path} is no recording that can be read ({error}): give a file of goldfish.record"
        ) from error
    return sorted(calls, key=lambda call: call.end)


def _asked(told: Mapping[str, Any]) -> Asked:
    return Asked(
        told["method"],
        tuple(told["arguments"]),
        told["options"],
        told["result"],
        told["error"],
        told["start"],
        told["end"],
    )


async def replay_calls(memory: Memory, calls: Sequence[Asked]) -> None:
    """Ask it all, one call after the other; the violation shows the first that differs."""
    names: dict[Any, Any] = {}
    client = memory.client
    crowded = _crowded(calls)
    for number, call in enumerate(calls):
        if not client.has(call.method):
            raise UnsupportedError(
                Reason.stated(f"the store has no {call.method}, and the recording asks for it")
            )
        answer, error = await _answer(client, call, names)
        _learn(call, answer, names)
        if number in crowded and not error:
            continue  # it was asked amid a write: either answer would have been right
        for place, before, now in _first(_differences(call, answer, error, memory)):
            raise Violation(
                f"wrong: call {number + 1} of {len(calls)}, {call}, has another answer: {place}",
                f"recorded  {quote(before)}",
                f"here      {quote(now)}",
            )


def _crowded(calls: Sequence[Asked]) -> set[int]:
    """The reads that overlapped a write to the same session."""
    writes: dict[str, list[Asked]] = defaultdict(list)
    for call in calls:
        if not _only_shows(call):
            writes[str(call.session)].append(call)
    return {
        number
        for number, call in enumerate(calls)
        if _only_shows(call) and any(map(call.overlaps, writes[str(call.session)]))
    }


def _only_shows(call: Asked) -> bool:
    return call.method in METHODS and METHODS[call.method].only_shows


async def _answer(client: Client, call: Asked, names: dict[Any, Any]) -> tuple[Any, str]:
    first, *rest = call.arguments or (None,)
    if METHODS[call.method].takes_id:  # ids that the other store gave, and this one gave otherwise
        rest = [names.get(each, each) if isinstance(each, str) else each for each in rest]
    arguments = [first, *rest] if call.arguments else []
    try:
        return await client.call(call.method, *arguments, **call.options), ""
    except StoreError as error:
        return None, str(error)


def _learn(call: Asked, answer: Any, names: dict[Any, Any]) -> None:
    """What the two stores call the same thing."""
    if not METHODS[call.method].gives_ids:
        return
    before = call.result if isinstance(call.result, list) else [call.result]
    now = list(answer) if isinstance(answer, list | tuple) else [answer]
    for one, other in zip(before, now, strict=False):
        if one is not None and other is not None and isinstance(identity(one), str):
            names[identity(one)] = identity(other)


def _first(found: Iterator[Where]) -> Iterator[Where]:
    for each in found:
        yield each
        return


def _differences(call: Asked, answer: Any, error: str, memory: Memory) -> Iterator[Where]:
    if bool(call.error) != bool(error):
        yield "whether it raises", call.error or "no error", error or "no error"
    elif error:
        return
    elif call.method == "get_history":
        yield from _in_messages(call.result or [], list(answer), memory)
    elif call.method == "get_ttl":
        if (call.result is None) != (answer is None):
            yield "whether there is a deadline", call.result, answer
    elif call.method != "save_snapshot" and None not in (call.result, answer):
        own = () if call.method == "get_state" else OF_ITS_OWN
        yield from _in_values(call.result, wire.unpacked(wire.packed(answer)), "the answer", own)


def _in_messages(before: Sequence[Any], now: Sequence[Any], memory: Memory) -> Iterator[Where]:
    made_there = set() if memory.target.retries else NOT_TOLD
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


def _in_values(before: Any, now: Any, where: str, own: Collection[str]) -> Iterator[Where]:
    """Where two answers differ, whatever the stores have of their own."""
    if isinstance(before, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip(before, now, strict=False), 1):
            yield from _in_values(one, other, f"{where}, item {number} of {len(before)}", own)
        if len(before) != len(now):
            yield f"{where}, the number of items", len(before), len(now)
    elif isinstance(before, dict) and isinstance(now, dict):
        for key in [key for key in {**before, **now} if key not in own]:
            inner = () if key == "metadata" else own  # which is the user's
            yield from _in_values(before.get(key), now.get(key), f"{where}, its {key}", inner)
    elif before != now:
        yield where, before, now

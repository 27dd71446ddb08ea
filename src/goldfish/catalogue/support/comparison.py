"""Says where a message that came back differs from the one that was given, field by field."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from goldfish.findings.comparison import expect_contents, quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field
from goldfish.messages import ChatMessage


@contextmanager
def label_findings(variant: str) -> Iterator[None]:
    """Name the variant in whatever is found wrong about it."""
    try:
        yield
    except Violation as violation:
        text = f"{violation.finding}: {variant}: {violation.summary}"
        raise Violation(
            text, *violation.evidence, session=violation.session, about=violation.about
        ) from violation
    except StoreError as error:
        raise Violation(f"refused: {variant}: {error}") from error


async def expect_messages(
    client: Client,
    session: str,
    batch: Sequence[ChatMessage],
    fields: Iterable[str],
    **options: Any,
) -> None:
    """Raise if the history is not this batch, in its contents or in one of these fields."""
    found = await client.history(session, **options)
    expect_contents(contents_of(batch), contents_of(found), session=session)
    for given, back in zip(batch, found, strict=True):
        for name in ("content", *fields):
            if changed := describe_field_difference(given, back, name):
                raise Violation(f"corrupted: of {quote(given.content, 30)}, {changed}")


async def expect_kept_or_refused(memory: Memory, message: ChatMessage, *fields: str) -> None:
    """Raise unless an odd message is there exactly, or was refused and left nothing behind."""
    session = memory.session()
    refusal = await memory.client.offer(session, [message])
    found = await memory.client.contents(session)
    if refusal is not None and found:
        raise Violation(f"torn: {refusal}, and yet the session has {quote(found[0])}")
    if refusal is None and not found:
        raise Violation("swallowed: it was acknowledged, and the session is empty")
    if refusal is None:
        await expect_messages(memory.client, session, [message], fields)


def describe_field_difference(given: ChatMessage, back: Any, name: str) -> str | None:
    """How a field of a message came back changed; None if it is as it was."""
    value, found = getattr(given, name), field(back, name)
    if value is None or value in ([], {}):
        return _absent_difference(value, found, name)
    if name == "created_at":
        # In UTC, because Python says that an hour that comes twice equals nothing in another zone.
        return (
            None if parse_instant(found) == parse_instant(value) else _changed(name, value, found)
        )
    if isinstance(found, tuple):  # a frozen message of somebody's own may well hold tuples
        found = list(found)
    return describe_difference(value, found, name)


def _absent_difference(value: Any, found: Any, name: str) -> str | None:
    """What is not there may be left out or be None; what is empty may also be empty."""
    if found is None or found is MISSING:
        return None
    if value is not None and isinstance(found, Mapping | list | tuple) and not found:
        return None
    return _changed(name, value, found)


def parse_instant(found: Any) -> datetime | None:
    """The moment that came back, from a time with a zone, ISO 8601 text or seconds since 1970."""
    if isinstance(found, str):
        try:
            found = datetime.fromisoformat(found)
        except ValueError:
            return None
    if isinstance(found, int | float) and not isinstance(found, bool):
        found = datetime.fromtimestamp(found, UTC)
    if not isinstance(found, datetime) or found.tzinfo is None:
        return None
    return found.astimezone(UTC)


def describe_difference(given: Any, found: Any, path: str) -> str | None:
    """Where two values differ and how, by value and by the types that JSON keeps apart."""
    return _difference(given, found, path, frozenset())


Pairs = frozenset[tuple[int, int]]


def _difference(given: Any, found: Any, path: str, above: Pairs) -> str | None:
    pair = (id(given), id(found))
    if pair in above:  # a value that holds itself
        return None
    if isinstance(given, Mapping) and isinstance(found, Mapping):
        return _in_mapping(given, found, path, above | {pair})
    if isinstance(given, list | tuple) and isinstance(found, list | tuple):
        return _in_sequence(given, found, path, above | {pair})
    return None if _same(given, found) else _changed(path, given, found)


def _in_mapping(
    given: Mapping[Any, Any], found: Mapping[Any, Any], path: str, above: Pairs
) -> str | None:
    for key, value in given.items():
        if key not in found:
            return f"{path}[{quote(key, 40)}] is gone: it was {quote(value)}"
        if changed := _difference(value, found[key], f"{path}[{quote(key, 40)}]", above):
            return changed
    if strangers := [key for key in found if key not in given]:
        return f"{path}[{quote(strangers[0], 40)}] is there, which nobody gave"
    return None


def _in_sequence(given: Sequence[Any], found: Sequence[Any], path: str, above: Pairs) -> str | None:
    if isinstance(given, tuple) != isinstance(found, tuple) or len(given) != len(found):
        return _changed(path, given, found)
    for place, (value, back) in enumerate(zip(given, found, strict=True)):
        if changed := _difference(value, back, f"{path}[{place}]", above):
            return changed
    return None


def _same(given: Any, found: Any) -> bool:
    if isinstance(given, bool) or isinstance(found, bool):
        return given is found
    if isinstance(given, int | float) and isinstance(found, int | float):
        return given == found or (given != given and found != found)  # NaN is not equal to itself
    if isinstance(given, str):
        return isinstance(found, str) and given == found
    return type(given) is type(found) and bool(given == found)


def _changed(path: str, given: Any, found: Any) -> str:
    return f"{path} was {_shown(given)} and came back as {_shown(found)}"


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "nothing" if value is MISSING else quote(value)

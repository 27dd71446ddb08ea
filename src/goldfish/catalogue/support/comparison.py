"""Compares a message that came back with the one that was given, field by field."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from goldfish.catalogue.support.plain_forms import list_sequences, make_plain_forms
from goldfish.findings.comparison import expect_contents, quote
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field
from goldfish.messages import ChatMessage


@contextmanager
def label_findings(variant: str) -> Iterator[None]:
    """Put the name of a variant in front of what is found wrong with it."""
    try:
        yield
    except Violation as violation:
        raise Violation(
            f"{violation.finding}: {variant}: {violation.summary}",
            *violation.evidence,
            session=violation.session,
            about=violation.about,
            remainder=violation.remainder,
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
    """Raise if the history differs from this batch in its contents or in one of these fields."""
    found = await client.history(session, **options)
    expect_contents(contents_of(batch), contents_of(found), session=session)
    for given, back in zip(batch, found, strict=True):
        for name in ("content", *fields):
            if changed := describe_field_difference(given, back, name):
                raise Violation(f"corrupted: of {quote(given.content, 30)}, {changed}")


async def expect_kept_or_refused(memory: Memory, message: ChatMessage, *fields: str) -> None:
    """Raise unless an odd message is stored exactly, or refused and not stored."""
    session = memory.session()
    refusal = await memory.client.offer(session, [message])
    found = await memory.client.contents(session)
    if refusal is not None and found:
        raise Violation(f"torn: {refusal}, but the session has {quote(found[0])}")
    if refusal is None and not found:
        raise Violation("swallowed: it was acknowledged, but the session is empty")
    if refusal is None:
        await expect_messages(memory.client, session, [message], fields)


def describe_field_difference(given: ChatMessage, back: Any, name: str) -> str | None:
    """Return how a field of a message came back changed, or None."""
    value, found = getattr(given, name), field(back, name)
    if value is None or value in ([], {}):
        return _compare_absent(value, found, name)
    if name == "created_at":
        # In UTC, because Python says that a repeated hour equals no time of another zone.
        return (
            None
            if parse_instant(found) == parse_instant(value)
            else _describe_change(name, value, found)
        )
    if isinstance(found, tuple):  # a library's own frozen message may hold tuples
        found = list(found)
    return describe_change(value, found, name)


def describe_change(given: Any, found: Any, path: str) -> str | None:
    """Return how a value came back changed, or None if it is the same or a plain form of it."""
    difference = describe_difference(given, found, path)
    return None if difference is None or is_plain_form(given, found) else difference


def is_plain_form(given: Any, found: Any) -> bool:
    """Return True if what came back is what JSON or a model makes of what was given."""
    try:
        back = list_sequences(found)
        return any(describe_difference(form, back, "") is None for form in make_plain_forms(given))
    except RecursionError:  # it holds itself, and no plain form does
        return False


def _compare_absent(value: Any, found: Any, name: str) -> str | None:
    """Accept a missing field as missing or None, and an empty one also as empty."""
    if found is None or found is MISSING:
        return None
    if value is not None and isinstance(found, Mapping | list | tuple) and not found:
        return None
    return _describe_change(name, value, found)


def parse_instant(found: Any) -> datetime | None:
    """Return the UTC time of an aware datetime, ISO 8601 text or seconds since 1970, or None."""
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
    """Return where and how two values differ, or None; types that JSON keeps apart differ."""
    return _compare(given, found, path, frozenset())


EXACT = 2**53  # beyond it every float is a whole number
Pairs = frozenset[tuple[int, int]]


def _compare(given: Any, found: Any, path: str, above: Pairs) -> str | None:
    pair = (id(given), id(found))
    if pair in above:  # a value that holds itself
        return None
    if isinstance(given, Mapping) and isinstance(found, Mapping):
        return _compare_mappings(given, found, path, above | {pair})
    if isinstance(given, list | tuple) and isinstance(found, list | tuple):
        return _compare_sequences(given, found, path, above | {pair})
    return None if _is_same(given, found) else _describe_change(path, given, found)


def _compare_mappings(
    given: Mapping[Any, Any], found: Mapping[Any, Any], path: str, above: Pairs
) -> str | None:
    for key, value in given.items():
        if key not in found:
            return f"{path}[{quote(key, 40)}] is gone: it was {quote(value)}"
        if changed := _compare(value, found[key], f"{path}[{quote(key, 40)}]", above):
            return changed
    if strangers := [key for key in found if key not in given]:
        return f"{path}[{quote(strangers[0], 40)}] is there, but was never given"
    return None


def _compare_sequences(
    given: Sequence[Any], found: Sequence[Any], path: str, above: Pairs
) -> str | None:
    if isinstance(given, tuple) != isinstance(found, tuple) or len(given) != len(found):
        return _describe_change(path, given, found)
    for place, (value, back) in enumerate(zip(given, found, strict=True)):
        if changed := _compare(value, back, f"{path}[{place}]", above):
            return changed
    return None


def _is_same(given: Any, found: Any) -> bool:
    if isinstance(given, bool) or isinstance(found, bool):
        return given is found
    if isinstance(given, float) and isinstance(found, int) and abs(given) >= EXACT:
        return float(found) == given  # JSON has one kind of number: some databases write it out
    if isinstance(given, int | float) and isinstance(found, int | float):
        return given == found or (given != given and found != found)  # NaN is not equal to itself
    if isinstance(given, str):
        return isinstance(found, str) and given == found
    return type(given) is type(found) and bool(given == found)


def _describe_change(path: str, given: Any, found: Any) -> str:
    return f"{path} was {_render(given)} and came back as {_render(found)}"


def _render(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return "nothing" if value is MISSING else quote(value)

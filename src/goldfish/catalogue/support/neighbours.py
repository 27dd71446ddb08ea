"""Sessions with look-alike ids, which must not change when one of them does."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from goldfish.findings.comparison import expect_contents, quote
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of


def make_look_alikes(session: str) -> list[str]:
    """Return ids like that of a session: patterns, prefixes, paths, other case or space."""
    patterns = ["*", "%", "_", "?", "[0-9]"]
    longer = ["1", "10", ":1", "/1", "-copy", " "]
    ids = [session + ending for ending in (*patterns, *longer)]
    return [*ids, session, session[:-1], session.upper(), f" {session}", f"x{session}"]


def alternate_ends(names: Iterable[str]) -> Iterator[str]:
    """Yield the newest name, the oldest, the second newest, and so on.

    So some are touched when all others are older, and some when all others are younger.
    """
    left = deque(names)
    while left:
        yield left.pop()
        if left:
            yield left.popleft()


async def write_look_alikes(memory: Memory, session: str) -> dict[str, list[Any]]:
    """Write to look-alike sessions; return the contents of each that the store keeps apart.

    Those that it refuses or confuses are left out: ISO is about them.
    """
    written: dict[str, list[Any]] = {}
    for name in make_look_alikes(session):
        batch = memory.messages(3)
        if await memory.client.offer(name, batch) is None:
            written[name] = contents_of(batch)
    return {name: given for name, given in written.items() if await _is_stored(memory, name, given)}


async def _is_stored(memory: Memory, session: str, given: list[Any]) -> bool:
    try:
        return await memory.client.contents(session) == given
    except (StoreError, Violation):
        return False


async def expect_untouched(memory: Memory, others: dict[str, list[Any]], deed: str) -> None:
    """Raise if one of the other sessions has changed, and name the deed that did it."""
    for name, given in others.items():
        found = await memory.client.contents(name)
        if missing := [each for each in given if each not in found]:
            raise Violation(
                f"lost: {deed} took {quote(missing[0])} from session {quote(name)}",
                f"{len(missing)} of {len(given)} messages of session {quote(name)} are missing",
            )
        expect_contents(given, found, session=name)

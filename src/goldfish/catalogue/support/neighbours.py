"""Sessions that a careless store takes for one another, and whether one suffers for another."""

from typing import Any

from goldfish.findings.comparison import expect_contents, quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory, contents_of


def make_look_alikes(session: str) -> list[str]:
    """Ids that match the session as a pattern, a prefix, a path, or but for case and space."""
    patterns = ["*", "%", "_", "?", "[0-9]"]
    longer = ["1", "10", ":1", "/1", "-copy", " "]
    ids = [session + ending for ending in (*patterns, *longer)]
    return [*ids, session, session[:-1], session.upper(), f" {session}", f"x{session}"]


async def write_look_alikes(memory: Memory, session: str) -> dict[str, list[Any]]:
    """The look-alikes that the store takes and keeps apart, with the contents of each.

    Those that it refuses or confuses are left out: whether it may is not a matter of what is
    removed.
    """
    written: dict[str, list[Any]] = {}
    for name in make_look_alikes(session):
        batch = memory.messages(3)
        if await memory.client.offer(name, batch) is None:
            written[name] = contents_of(batch)
    return {name: given for name, given in written.items() if await _has(memory, name, given)}


async def _has(memory: Memory, session: str, given: list[Any]) -> bool:
    try:
        return await memory.client.contents(session) == given
    except (StoreError, Violation):
        return False


async def expect_untouched(memory: Memory, others: dict[str, list[Any]], deed: str) -> None:
    """Raise if one of the other sessions is not what it was, and say what did it."""
    for name, given in others.items():
        found = await memory.client.contents(name)
        if missing := [each for each in given if each not in found]:
            raise Violation(
                f"lost: {deed} took {quote(missing[0])} from session {quote(name)}",
                f"{len(missing)} of {len(given)} messages of session {quote(name)} are gone",
            )
        expect_contents(given, found, session=name)

"""Whether an opening that has been there for a while sees what others did meanwhile."""

from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.findings.comparison import expect_contents, quote, quote_list
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Client, Memory


def choose_writers(memory: Memory, one: Client, two: Client) -> tuple[Client, Client]:
    """Both may write, unless the memory never promised more than one writer."""
    return (one, one) if memory.target.claims == "one writer" else (one, two)


def require_several_writers(memory: Memory) -> None:
    """Several writers at once are more than some memories ever promised."""
    if memory.target.claims == "one writer":
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, "one writer only"))


async def expect_fresh(
    memory: Memory,
    client: Client,
    session: str,
    expected: Sequence[Any],
    *,
    gone: Iterable[Any] = (),
    elsewhere: bool = False,
) -> None:
    """Raise if the client does not see this; as stale, if a new opening of the storage does.

    ``elsewhere`` asks a new process, because openings of one process may share what is old.
    """
    found = await client.contents(session)
    if found == list(expected):
        return
    newcomer = await (memory.elsewhere() if elsewhere else memory.open())
    if await newcomer.contents(session) == list(expected):
        raise Violation(
            f"stale: an opening gives back {len(found)} messages of session {quote(session)}, "
            f"where a new opening finds {len(expected)}",
            f"the old opening read {quote_list(found)}",
            f"the new opening read {quote_list(expected)}",
        )
    expect_contents(expected, found, session=session, gone=gone)

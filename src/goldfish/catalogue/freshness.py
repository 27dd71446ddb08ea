"""Whether an opening that has been there for a while sees what others did meanwhile."""

from collections.abc import Iterable, Sequence
from typing import Any

from goldfish.diagnosis import judge, shown, shown_list
from goldfish.driver import Client, Memory
from goldfish.verdict import Violation


async def expect_fresh(
    memory: Memory,
    client: Client,
    session: str,
    expected: Sequence[Any],
    *,
    gone: Iterable[Any] = (),
) -> None:
    """Raise if the client does not see this; as stale, if a new opening of the storage does."""
    found = await client.contents(session)
    if found == list(expected):
        return
    newcomer = await memory.open()
    if await newcomer.contents(session) == list(expected):
        raise Violation(
            f"stale: an opening gives back {len(found)} messages of session {shown(session)}, "
            f"where a new opening finds {len(expected)}",
            f"the old opening read {shown_list(found)}",
            f"the new opening read {shown_list(expected)}",
        )
    judge(expected, found, session=session, gone=gone)

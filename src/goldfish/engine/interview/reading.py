"""What the interview asks about reads: is it everything that comes back, or the newest part?"""

from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.support.sessions import write_session
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of
from goldfish.harness.patience import Patience

MANY = 120  # messages, more than a window or a page has by default
LONGEST = 10.0  # seconds: a slow memory is not asked
EVERYTHING = 1_000_000
SPEAKERS = ("user", "assistant")
LIMITS = ("limit", "last", "max_messages", "count", "n", "k", "page_size")


async def find_limits(memory: Memory) -> dict[str, dict[str, int]]:
    """Return, by method, what must be passed so that it returns everything."""
    limits = {method: {"limit": EVERYTHING} for method in ("get_history", "list_sessions")}
    return {
        method: options
        for method, options in limits.items()
        if memory.client.spells(method, "limit") and await _is_taken(memory, method, options)
    }


async def _is_taken(memory: Memory, method: str, options: dict[str, int]) -> bool:
    session, batch = await write_session(memory, 3)
    try:
        if method == "get_history":
            return await memory.client.contents(session, **options) == contents_of(batch)
        return session in list(await memory.client.call(method, **options))
    except (StoreError, Violation, TypeError):
        return False


async def find_window(memory: Memory) -> dict[str, Any]:
    """Return what is learnt of a memory that returns the newest messages only: at least how many.

    Some windows count rounds, or what one side said, and hold more or fewer messages by who speaks.
    """
    learnt = await _find_window(memory, SPEAKERS)
    if "window" in learnt:
        for speaker in SPEAKERS:
            alone = await _find_window(memory, [speaker])
            learnt["window"] = min(learnt["window"], alone.get("window", MANY))
    return learnt


async def _find_window(memory: Memory, speakers: Sequence[str]) -> dict[str, Any]:
    """Return the window of a session in which these speak in turns.

    It is no window if a parameter brings the others, and none if others than the newest come.
    """
    session = memory.session()
    batch = [memory.message(role=speakers[place % len(speakers)]) for place in range(MANY)]
    patience = Patience(LONGEST)
    for first in range(0, MANY, 10):
        if patience.is_over:
            return {}
        await patience.spend_on(memory.client.add(session, batch[first : first + 10]))
    said = contents_of(batch)
    found = await memory.client.contents(session)
    if len(found) >= MANY:
        return {}
    for name in LIMITS:
        if memory.client.spells("get_history", name):
            options = {name: EVERYTHING}
            if await memory.client.contents(session, **options) == said:
                return {"options": {"get_history": options}}
    return _measure_window(said, found)


def _measure_window(said: list[Any], found: list[Any]) -> dict[str, Any]:
    """Return the size of a window, and whether a summary before it quotes what left it."""
    newest = [each for each in found if each in said]
    others = [each for each in found if each not in said]
    if not newest or newest != said[-len(newest) :] or found != [*others, *newest]:
        return {}
    if not others:
        return {"window": len(newest)}
    told = " ".join(map(str, others))
    quotes = len(others) == 1 and all(str(each) in told for each in said[: -len(newest)])
    return {"window": len(newest), "summarises": True} if quotes else {}

"""Waiting for something to become true, so that expiry is tested without long sleeps.

The clocks of real servers are not moved: no process can do that without root or a patched server.
Tests of expiry therefore use deadlines of a fraction of a second, and wait for what they bring.
"""

import asyncio
import time
from collections.abc import Callable

_STEP = 0.002


def wait_until(
    condition: Callable[[], object], within: float = 5.0, *, what: str = "the condition holds"
) -> None:
    """Return as soon as the condition holds; TimeoutError if it does not within so many seconds."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(_describe_timeout(what, within))
        time.sleep(_STEP)


async def eventually(
    condition: Callable[[], object], within: float = 5.0, *, what: str = "the condition holds"
) -> None:
    """Do the same as wait_until(), while the event loop goes on."""
    deadline = time.monotonic() + within
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(_describe_timeout(what, within))
        await asyncio.sleep(_STEP)


def _describe_timeout(what: str, within: float) -> str:
    return f"waited {within:g} s until {what}: allow more time, or look at what holds it up"

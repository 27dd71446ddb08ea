"""Processes that write to a store until they are killed."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine
from typing import Any

from tests.stores.pods import _context

SEED = 20_261_118

Write = Callable[[str, int, Any], Coroutine[Any, Any, None]]


def kill_amid_writes(write: Write, url: str, number: int) -> None:
    """Run ``write(url, number, begun)`` elsewhere, and kill it soon after it has begun."""
    begun = _context.Event()
    pod = _context.Process(target=_run, args=(write, url, number, begun), daemon=True)
    pod.start()
    assert begun.wait(30)
    time.sleep(random.Random(SEED + number).uniform(0, 0.05))
    pod.kill()
    pod.join()


def _run(write: Write, url: str, number: int, begun: Any) -> None:
    asyncio.run(write(url, number, begun))

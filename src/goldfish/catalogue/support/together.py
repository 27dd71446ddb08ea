"""Calls that are made together, all of which end before the first error is told."""

import asyncio
from collections.abc import Awaitable
from typing import Any


async def finish_all(*calls: Awaitable[Any]) -> list[Any]:
    """Return what the calls return; raise the first error once all have ended.

    The others are its evidence, which shows that they were made at once, and none of them goes on
    into what comes next.
    """
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for each in answers:
        if isinstance(each, BaseException):
            raise each
    return answers

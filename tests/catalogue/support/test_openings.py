"""Callers of one storage who act at once."""

import asyncio

import pytest

from goldfish.catalogue.support.openings import do_at_once


async def test_the_first_error_is_raised_when_nothing_is_under_way() -> None:
    """Calls that were under way beside it are over by then, and so in the history."""
    ended = []

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("waiting")

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        await do_at_once([wait(), fail(), wait()])
    assert ended == ["waiting"] * 2

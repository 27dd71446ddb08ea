"""Waiting counts what the machine grants, also while others wait inside."""

import asyncio

from goldfish.harness.patience import Patience


async def test_patience_is_used_up_by_what_it_is_spent_on() -> None:
    """A long try counts as a whole, and not as one beat."""
    patience = Patience(0.3)
    while not patience.is_over:
        await patience.spend_on(asyncio.sleep(0.3))
    assert patience.granted >= 0.3


async def test_work_that_patience_is_spent_on_returns_or_raises() -> None:
    """As if it was awaited."""
    patience = Patience(60)
    assert await patience.spend_on(asyncio.sleep(0, "done")) == "done"
    failed = await asyncio.gather(patience.spend_on(_fail()), return_exceptions=True)
    assert list(map(str, failed)) == ["no"]
    assert not patience.is_over


async def _fail() -> None:
    raise ValueError("no")

"""What the Redis store does in the last moment before a deadline, and while others clear."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable

import pytest

from goldfish import ChatMessage, RedisMemoryStore
from goldfish.services import shared_redis

TRIES = 60


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text, id=text) for text in texts]


Last = Callable[[RedisMemoryStore, str], Awaitable[object]]
CALLS: dict[str, Last] = {
    "set_state": lambda store, session: store.set_state(session, {"x": 1}),
    "save_snapshot": lambda store, session: store.save_snapshot(session),
    "delete_messages": lambda store, session: store.delete_messages(session, ["a", "c"]),
    "trim": lambda store, session: store.trim(session, keep_last=1),
    "add_messages": lambda store, session: store.add_messages(session, said("e")),
}


@pytest.mark.parametrize("name", CALLS)
async def test_a_session_ends_whatever_is_done_in_its_last_moment(name: str) -> None:
    """It is empty after its deadline, writable again, and never said to be damaged.

    What comes after the deadline begins a session anew; so only what the deadline took is asked.
    """
    random.seed(1)
    async with RedisMemoryStore(shared_redis().database(), embedder=None) as store:
        for number in range(TRIES):
            session = str(number)
            await store.add_messages(session, said("a", "b", "c", "d"))
            await store.set_ttl(session, 0.002)
            moment = time.perf_counter() + random.uniform(0.0012, 0.0028)
            while time.perf_counter() < moment:
                pass
            await CALLS[name](store, session)
            await asyncio.sleep(0.005)
            left = [message.content for message in await store.get_history(session)]
            assert set(left) <= {"e"}
            await store.add_messages(session, said("z"))
        assert len(await store.list_sessions()) == TRIES


async def test_a_snapshot_of_the_last_moment_has_a_deadline() -> None:
    """A rollback restores the time that was left, however short."""
    random.seed(2)
    async with RedisMemoryStore(shared_redis().database(), embedder=None) as store:
        for number in range(TRIES):
            session = str(number)
            await store.add_messages(session, said("a"))
            await store.set_ttl(session, 0.002)
            moment = time.perf_counter() + random.uniform(0.0012, 0.0028)
            while time.perf_counter() < moment:
                pass
            snapshot = await store.save_snapshot(session)
            await store.rollback_to_snapshot(session, snapshot)
            await asyncio.sleep(0.01)
            assert await store.get_history(session) == []


async def test_clearing_all_while_others_set_a_user_s_state_is_no_damage() -> None:
    """The keys of a user go together, also if the clearing is cancelled."""
    url = shared_redis().database()
    async with RedisMemoryStore(url) as one, RedisMemoryStore(url) as other:

        async def write() -> None:
            for value in range(6):
                await one.set_state("s", {"x": value}, user_id="u")

        for number in range(40):
            clearing = asyncio.ensure_future(other.clear_all())
            writing = asyncio.ensure_future(write())
            if number % 2:
                await asyncio.sleep(0.001)
                clearing.cancel()
            await writing
            await asyncio.wait({clearing})
            await one.get_state("s", user_id="u")

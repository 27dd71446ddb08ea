"""Turns that are overtaken are taken again, and those of one process queue."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("langgraph.checkpoint.base")

from goldfish.dropins.langgraph import TurnOvertakenError, Turns


class Turn:
    """Is overtaken so many times, and knows how many are taken at the same moment."""

    def __init__(self, overtaken: int) -> None:
        self.left = overtaken
        self.taken = self.at_once = self.most_at_once = 0

    def take(self) -> str:
        self.taken += 1
        if self.left:
            self.left -= 1
            raise TurnOvertakenError("take the turn again")
        return "done"

    async def atake(self) -> str:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return self.take()


def test_an_overtaken_turn_is_taken_again_until_it_comes_through() -> None:
    """Its result is that of the last time."""
    turn = Turn(2)
    assert Turns().take("t", turn.take) == "done"
    assert turn.taken == 3


async def test_the_async_turns_of_one_thread_queue_and_those_of_others_do_not() -> None:
    """One after the other on a thread, each again if it was overtaken."""
    turns, same, other = Turns(), Turn(3), Turn(0)
    asked = [turns.atake("t", same.atake) for _ in range(5)]
    asked += [turns.atake(str(n), other.atake) for n in range(5)]
    assert await asyncio.gather(*asked) == ["done"] * 10
    assert (same.most_at_once, same.taken) == (1, 8)
    assert other.most_at_once > 1


async def test_there_is_an_end_to_it_and_other_errors_end_it_at_once() -> None:
    """After so many times the error is the caller's."""
    turn = Turn(9)
    with pytest.raises(TurnOvertakenError):
        Turns(most=3).take("t", turn.take)
    with pytest.raises(TurnOvertakenError):
        await Turns(most=3).atake("t", turn.atake)
    assert turn.taken == 6
    with pytest.raises(ZeroDivisionError):
        Turns().take("t", lambda: 1 / 0)


def test_threads_of_the_process_take_turns_one_at_a_time() -> None:
    """A queue that nobody stands in any more is forgotten."""
    turns, inside = Turns(), threading.Lock()

    def turn() -> bool:
        was_alone = inside.acquire(blocking=False)
        if was_alone:
            time.sleep(0.001)
            inside.release()
        return was_alone

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda _: turns.take("t", turn), range(40)))
    assert not turns._queues

"""What the durable stores promise across processes that write at once, and that die."""

import random
from collections.abc import Iterable

import goldfish
from tests.stores.backends import Backend
from tests.stores.pods import Pod, kill_soon, run_writers

SEED = 20261115


async def history_of(backend: Backend) -> list[str]:
    async with backend.open() as store:
        return [str(message.content) for message in await store.get_history("s")]


def assert_whole_batches_in_order(found: list[str], writers: Iterable[str]) -> None:
    questions, answers = found[::2], found[1::2]
    assert [text.replace("question", "answer") for text in questions] == answers
    for writer in writers:
        numbers = [int(text.split()[1]) for text in questions if text.split()[0] == writer]
        assert numbers == list(range(len(numbers))), f"{writer} out of order"


async def test_four_processes_write_two_hundred_batches_each(durable: Backend) -> None:
    """Nothing is lost or doubled, batches stay whole, and each writer's order holds."""
    writers = ["w0", "w1", "w2", "w3"]
    acknowledged = run_writers(durable.url, writers, 200)
    assert {writer: len(numbers) for writer, numbers in acknowledged.items()} == dict.fromkeys(
        writers, 200
    )
    found = await history_of(durable)
    assert len(found) == 4 * 200 * 2
    assert_whole_batches_in_order(found, writers)


async def test_eight_processes_open_a_fresh_storage_at_once(durable: Backend) -> None:
    """Making the schema is safe: every first write of every process succeeds."""
    writers = [f"w{n}" for n in range(8)]
    acknowledged = run_writers(durable.url, writers, 1)
    assert acknowledged == {writer: [0] for writer in writers}
    found = await history_of(durable)
    assert len(found) == 16
    assert_whole_batches_in_order(found, writers)


async def test_fifty_kills_of_a_writer_lose_nothing_acknowledged(durable: Backend) -> None:
    """Each killed process's acknowledged batches are there, and no batch is torn."""
    moments = random.Random(SEED)
    acknowledged = {}
    for n in range(50):
        pod = Pod(durable.url, f"w{n}", 1_000_000)
        acknowledged[pod.writer] = kill_soon(pod, moments)
    found = await history_of(durable)
    assert_whole_batches_in_order(found, acknowledged)
    stored = {tuple(text.split()[:2]) for text in found}
    told = {(writer, str(n)) for writer, numbers in acknowledged.items() for n in numbers}
    assert told - stored == set(), f"lost, seed {SEED}"
    # The last batch of each may have been stored without the acknowledgement getting through.
    assert len(stored) <= len(told) + 50


async def test_a_write_is_visible_to_another_process_at_once(durable: Backend) -> None:
    """What a pod has acknowledged is in the next read of this process."""
    pod = Pod(durable.url, "w", 1_000_000)
    async with durable.open() as store:
        for _ in range(50):
            (number,) = pod.wait_for_acks(1)
            history = await store.get_history("s")
            assert f"w {number} answer" in {message.content for message in history}
    pod.kill()
    pod.acknowledged()


async def test_memory_says_that_it_lives_in_one_process_only() -> None:
    """The in-memory store is excused from outliving its process, and its docstring says so."""
    assert "this process only" in (goldfish.InMemoryStore.__doc__ or "")

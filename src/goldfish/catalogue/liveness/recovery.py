"""LIV, continued: after a fault, an abandoned call or a stopped neighbour the store goes on."""

import asyncio
import contextlib

from goldfish.catalogue.registry import OtherProcess, Server, check
from goldfish.catalogue.support.adversity import FOREVER, Adversity
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory, contents_of

CROWD = 40  # more than a usual pool has connections


@check(
    "LIV12",
    "After forty calls that failed because the server was away, the store works as before.",
    incident=(
        "the goldfish bot: each failed call kept its connection, until the pool was exhausted and "
        "the bot answered nobody."
    ),
    needs=[Server],
    own_servers=True,
)
async def calls_that_failed_give_back_what_they_held(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    with memory.sandbox.faults.network(memory.target.services[0]).reset():
        await asyncio.gather(*(_offered(story, memory.deadline) for _ in range(CROWD)))
    await story.recover()


@check(
    "LIV13",
    "After forty calls that were given up while nothing came, the store works as before.",
    incident=(
        "redis-py issue 2624: a call that was cancelled left its connection with an answer that "
        "nobody had read."
    ),
    needs=[Server],
    own_servers=True,
)
async def calls_that_were_given_up_give_back_what_they_held(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    with memory.sandbox.faults.network(memory.target.services[0]).hang():
        await asyncio.gather(*(_offered(story, 0.2) for _ in range(CROWD)))
    await story.recover()


@check(
    "LIV14",
    "While another process stands still in a call, others wait at most until it goes on.",
    incident=(
        "pi-cursor-sdk issue 150: one session's long write held the lock, and the turns of the "
        'other sessions in the same directory failed with "database is locked".'
    ),
    needs=[OtherProcess],
)
async def a_stopped_neighbour_does_not_stop_the_others_for_good(memory: Memory) -> None:
    here, session = memory.client, memory.session()
    await here.add(memory.session(), memory.messages(1))  # first writes at once: see CON08
    (pod,) = await memory.pods(1)
    for _ in range(6):
        busy = [
            asyncio.create_task(pod.call("add_messages", session, [each], deadline=FOREVER))
            for each in memory.messages(6)
        ]
        await asyncio.sleep(memory.random.uniform(0, 0.01))
        pod.pause()
        mine, batch = memory.session(), memory.messages(2)
        writing = asyncio.create_task(here.add(mine, batch))
        await asyncio.sleep(0.05)
        pod.thaw()
        for call in await asyncio.gather(writing, *busy, return_exceptions=True):
            if isinstance(call, BaseException):
                raise call
        await here.expect(mine, contents_of(batch))


async def _offered(story: Adversity, patience: float) -> None:
    """Add a message to a session of its own, which may fail or be given up."""
    memory = story.memory
    call = story.client.waiting(FOREVER).add(memory.session(), memory.messages(1))
    with contextlib.suppress(StoreError, TimeoutError):
        await asyncio.wait_for(call, patience)

"""LIV: after a fault, an abandoned call or a frozen neighbour the store goes on."""

import asyncio
import contextlib

from goldfish.catalogue.registry import OtherProcess, check
from goldfish.catalogue.support.servers import check_on_server, get_network
from goldfish.catalogue.support.subjects import Messages
from goldfish.catalogue.support.together import finish_all
from goldfish.catalogue.support.trials import FOREVER, MessageTrial
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory
from goldfish.harness.pods import Pod

CROWD = 40  # more than a usual pool has connections


@check_on_server(
    "LIV12",
    "After forty calls that failed because connections were reset, the store works as before.",
    incident="the goldfish bot: each failed call kept its connection, until the pool was "
    "exhausted and the bot stopped answering.",
)
async def calls_that_failed_give_back_what_they_held(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    with get_network(memory).reset():
        await asyncio.gather(*(_add_within(memory, memory.deadline) for _ in range(CROWD)))
    await trial.recover()


@check_on_server(
    "LIV13",
    "After forty calls that were given up on a silent network, the store works as before.",
    incident="redis-py issue 2624: a call that was cancelled left an unread answer on its "
    "connection.",
)
async def calls_that_were_given_up_give_back_what_they_held(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    with get_network(memory).hang():
        await asyncio.gather(*(_add_within(memory, 0.2) for _ in range(CROWD)))
    await trial.recover()


@check(
    "LIV14",
    "When a process is frozen in the middle of a call, others wait no longer than until it thaws.",
    incident="pi-cursor-sdk issue 150: one session's long write held the lock, and the turns of "
    'the other sessions in the same directory failed with "database is locked".',
    needs=[OtherProcess],
)
async def a_stopped_neighbour_does_not_stop_the_others_for_good(memory: Memory) -> None:
    here, session = memory.client, memory.session()
    await here.add(memory.session(), memory.messages(1))  # CON08 is about first writes at once
    there = (await memory.elsewhere()).waiting(FOREVER)  # recorded: it is who may overwrite
    assert isinstance(there.opened, Pod)
    for _ in range(6):
        adding = (there.add(session, [each]) for each in memory.messages(6))
        busy = [asyncio.create_task(each) for each in adding]
        await asyncio.sleep(memory.random.uniform(0, 0.01))
        there.opened.pause()
        mine = Messages(memory)
        writing = asyncio.create_task(mine.write(here, 2))
        await asyncio.sleep(0.05)
        there.opened.thaw()
        await finish_all(writing, *busy)
        await mine.expect(here)


async def _add_within(memory: Memory, seconds: float) -> None:
    """Add a message to a session of its own; it may fail, and is given up after these seconds."""
    call = memory.client.waiting(FOREVER).add(memory.session(), memory.messages(1))
    with contextlib.suppress(StoreError, TimeoutError):
        await asyncio.wait_for(call, seconds)

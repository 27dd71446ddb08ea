"""FLT: faults that strike again and again while several processes write."""

import asyncio
from random import Random

from goldfish.catalogue.registry import OtherProcess, Server
from goldfish.catalogue.support.servers import blame_forgetful_server, check_on_server
from goldfish.catalogue.support.trials import FOREVER, RECOVERY
from goldfish.harness.memory import Memory
from goldfish.harness.patience import Patience, wait_patiently
from goldfish.stress.fleet import Fleet, Nemesis
from goldfish.stress.nemesis import cut_connections, kill_server
from goldfish.stress.withstand import MakeNemesis, withstand
from goldfish.stress.workload import Workload

WRITING = {"add": 8, "read": 3}
CALM = "is all well?"  # a session that is only read, once there is something in it


@check_on_server(
    "FLT13",
    "Processes whose connections are cut again and again lose and duplicate no message.",
    incident="a client that opens a new connection and sends its last command again cannot know "
    "whether the old one arrived: redis.Redis(host=…) of redis-py 8.1 does so up to ten times.",
    needs=[Server, OtherProcess],
)
async def cut_connections_lose_and_double_nothing_under_load(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=2, mix=WRITING, operations=60)
    await withstand(memory, crowd, rounds=3, nemesis=_wait_for_recovery(cut_connections))


@check_on_server(
    "FLT14",
    "A server that is killed and restarted under load loses no acknowledged message.",
    incident="the Redis documentation on persistence: without an append-only file a restart "
    "brings back the last snapshot, and everything since then is lost.",
    needs=[Server, OtherProcess],
)
async def a_server_killed_under_load_loses_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=2, mix=WRITING, operations=80)
    with blame_forgetful_server(memory):
        await withstand(memory, crowd, rounds=2, nemesis=_wait_for_recovery(kill_server))


def _wait_for_recovery(make: MakeNemesis) -> MakeNemesis:
    """Return a nemesis that counts as at work until the store has recovered from it.

    A connection that was cut while nobody used it is an error of the next call, and the store is
    not to blame for that.
    """

    def nemesis(random: Random) -> Nemesis:
        async def harm(fleet: Fleet) -> None:
            # Not every memory can read what nobody wrote, and that must not look like an outage.
            greeting = fleet.memory.messages(1)
            await fleet.places[0].call("add_messages", CALM, greeting, deadline=fleet.patience)
            with fleet.fault("the store may be coming back"):
                await make(random)(fleet)
                await _await_two_quiet_rounds(fleet)

        return harm

    return nemesis


async def _await_two_quiet_rounds(fleet: Fleet) -> None:
    """Wait until reads in all places and lanes at once succeed twice in a row."""
    patience = Patience(RECOVERY * fleet.patience)
    quiet = 0
    while quiet < 2 and not patience.is_over:
        calls = [
            wait_patiently(place.call("get_history", CALM, deadline=FOREVER, lane=lane), 1.0)
            for place in fleet.places
            for lane in range(6)
        ]
        answers = await patience.spend_on(asyncio.gather(*calls, return_exceptions=True))
        quiet = 0 if any(isinstance(each, Exception) for each in answers) else quiet + 1
        await patience.spend_on(asyncio.sleep(0 if quiet else 0.02))

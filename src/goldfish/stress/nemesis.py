"""What does harm while a workload runs: it stops, kills and replaces pods, at random instants."""

import asyncio
import time
from random import Random

from goldfish.history.faults import PodFault
from goldfish.stress.fleet import Fleet, Nemesis

LET_THROUGH_WITHIN = 1.0  # seconds


def stop_pods(random: Random) -> Nemesis:
    """Stop one pod after another in whatever it does, let the others go on, and thaw it."""

    async def stop(fleet: Fleet) -> None:
        while not fleet.over.is_set():
            victim = random.randrange(len(fleet.places))
            await fleet.pause_for(random.uniform(0, 0.01))
            with fleet.fault(PodFault("stop", f"pod{victim + 1}")):
                fleet.pause(victim)
                try:
                    await fleet.pause_for(random.uniform(0.02, 0.06))
                finally:
                    fleet.thaw(victim)

    return stop


def kill_pods(random: Random) -> Nemesis:
    """Kill one pod after another in whatever it does, and start another in its place."""

    async def kill(fleet: Fleet) -> None:
        while not fleet.over.is_set():
            victim = random.randrange(len(fleet.places))
            await fleet.pause_for(random.uniform(0, 0.03))
            with fleet.fault(PodFault("kill", f"pod{victim + 1}")):
                fleet.kill(victim)
                await fleet.replace(victim)

    return kill


def kill_all_pods(random: Random) -> Nemesis:
    """Kill all pods at once in whatever they do, as a power cut would, and start them anew."""

    async def kill(fleet: Fleet) -> None:
        await fleet.pause_for(random.uniform(0.005, 0.05))
        with fleet.fault(PodFault("kill")):
            for number in range(len(fleet.places)):
                fleet.kill(number)
            for number in range(len(fleet.places)):
                await fleet.replace(number)

    return kill


def add_pods(random: Random) -> Nemesis:
    """Start one pod after another, each of which is asked from then on in place of an older one."""

    async def add(fleet: Fleet) -> None:
        while not fleet.over.is_set():
            await fleet.pause_for(random.uniform(0, 0.02))
            await fleet.replace(random.randrange(len(fleet.places)))

    return add


def cut_connections(random: Random) -> Nemesis:
    """Cut the connections to the server, in every way that a network can, again and again."""

    async def cut(fleet: Fleet) -> None:
        network = fleet.memory.sandbox.faults.network(fleet.memory.target.services[0])
        ways = (network.cut, network.reset, network.refuse, network.cut_before_reply)
        while not fleet.over.is_set():
            await _wait_for_add(fleet)
            await fleet.pause_for(random.uniform(0.005, 0.03))
            way = random.choice(ways)
            with fleet.fault(f"network: {way.__name__}"), way():
                await fleet.pause_for(random.uniform(0.001, 0.02))

    return cut


async def _wait_for_add(fleet: Fleet) -> None:
    """Wait for the next add that succeeds, or give up on it: what is never let through is unproven.

    A turn of an agent may take longer than a connection is left alone.
    """
    before = len(fleet.history.calls)
    give_up = time.monotonic() + LET_THROUGH_WITHIN
    while not fleet.over.is_set() and time.monotonic() < give_up:
        later = fleet.history.calls[before:]
        if any(call.action == "add" and call.outcome == "ok" for call in later):
            return
        await fleet.pause_for(0.005)


def stop_server(random: Random) -> Nemesis:
    """Stop the server for an instant, again and again: what came meanwhile, it takes by turns."""

    async def stop(fleet: Fleet) -> None:
        server = fleet.memory.sandbox.faults.server(fleet.memory.target.services[0])
        while not fleet.over.is_set():
            with fleet.fault("stop the server"), server.pause():
                await fleet.pause_for(random.uniform(0.03, 0.1))
            await fleet.pause_for(random.uniform(0.001, 0.008))

    return stop


def kill_server(random: Random) -> Nemesis:
    """Kill the server in whatever it does, and start it again on its data."""

    async def kill(fleet: Fleet) -> None:
        server = fleet.memory.sandbox.faults.server(fleet.memory.target.services[0])
        await fleet.pause_for(random.uniform(0.005, 0.06))
        with fleet.fault("kill the server"):
            death = await asyncio.to_thread(server.kill)
            await asyncio.to_thread(death.heal)

    return kill

"""Pods at work at once, and the record of what they were asked."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from random import Random
from typing import Any

import goldfish
from goldfish.harness.forks import ForkServer
from goldfish.harness.memory import Memory
from goldfish.harness.patience import is_second_try
from goldfish.history import FAULT
from goldfish.integrations.goldfish.targets import memory as in_memory
from goldfish.integrations.goldfish.targets import sqlite
from goldfish.stress.fleet import Fleet
from goldfish.stress.workload import Operation, Workload
from goldfish.targets.declaration import Target
from goldfish.world.sandbox import Sandbox


class Threaded:
    """A sync store that tells which thread called it."""

    def __init__(self, sandbox: Any) -> None:
        self.opening = sandbox.opening

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        if session_id == "refused":
            raise RuntimeError("no room")

    def get_history(self, session_id: str) -> list[Any]:
        return [{"content": f"{id(self)} {threading.get_ident()}"}]


alone = goldfish.target(Threaded)
shared = goldfish.target(threads=True)(Threaded)


class Hashing:
    """A store that tells how its program hashes."""

    def __init__(self, sandbox: Any) -> None:
        pass

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        pass

    def get_history(self, session_id: str) -> list[Any]:
        return [{"content": str(hash(session_id))}]


hashing = goldfish.target(Hashing)


@asynccontextmanager
async def opened(target: Target, pods: int, **options: Any) -> AsyncIterator[Fleet]:
    sandbox, forks = Sandbox(), ForkServer(target)
    memory = Memory(target, sandbox, Random(1), 10.0, forks, code="CON01")
    try:
        yield await Fleet.open(memory, pods, **{"patience": 10.0, **options})
    finally:
        await memory.discard()
        forks.close()
        sandbox.close()


async def test_every_call_is_recorded_with_its_process_place_and_times() -> None:
    """A plan of 60 calls leaves 60 records, in the order of each process, on more than one pod."""
    plan = Workload(pods=2, processes=3, operations=60).plan(Random(1))
    async with opened(sqlite, 2) as fleet:
        await fleet.run(plan)
        calls = fleet.history.calls
    assert len(calls) == 60
    assert {call.outcome for call in calls} == {"ok"}
    assert {call.place for call in calls} == {"pod1", "pod2"}
    for process in ("w1", "w2", "w3"):
        mine = sorted((c for c in calls if c.process == process), key=lambda call: call.start)
        assert [call.value for call in mine] == [op.value for op in plan if op.process == process]
        assert all(one.end <= two.start for one, two in pairwise(mine))
    assert all(call.start < call.end for call in calls)


async def test_pods_of_an_in_process_memory_do_not_share_it() -> None:
    """Each pod is a process of its own: what one has been told, another does not know."""
    async with opened(in_memory, 2) as fleet:
        await fleet.ask(Operation("w1", 0, "s", "add", ("a",)))
        found = [(await fleet.ask(Operation("w1", pod, "s", "read"))).result for pod in (0, 1)]
    assert found == [("a",), ()]


async def test_pods_apart_are_of_two_programs_that_hash_differently() -> None:
    """What is forked from one program has its seed of hash(); replicas of a service do not."""
    reads = [Operation("w1", pod, "s", "read") for pod in range(3)]
    for apart, different in ((False, 1), (True, 2)):
        async with opened(hashing, 3, apart=apart) as fleet:
            first, second, third = [(await fleet.ask(read)).result for read in reads]
        assert len({first, second}) == different
        assert first == third


async def test_kills_of_processes_that_open_the_storage_are_on_record() -> None:
    """So that what breaks afterwards is not told as if nothing had happened."""
    async with opened(alone, 1) as fleet:
        await fleet.memory.kill_while_opening(1)
        faults = [call.value for call in fleet.memory.record.history.calls if call.action == FAULT]
    assert faults == ["kill all pods"]


async def test_a_refusal_is_a_failure_and_a_death_is_unknown() -> None:
    """A call that was cut off may have happened; one that raised says why it did not."""
    async with opened(alone, 2) as fleet:
        refused = await fleet.ask(Operation("w1", 0, "refused", "add", ("a",)))
        assert (refused.outcome, "RuntimeError: no room" in refused.error) == ("fail", True)
        fleet.pause(0)
        asking = asyncio.create_task(fleet.ask(Operation("w1", 0, "s", "read")))
        await asyncio.sleep(0.01)
        fleet.kill(0)
        assert (await asking).outcome == "unknown"
        assert (await fleet.ask(Operation("w1", 0, "s", "read"))).place == "pod2"
        await fleet.replace(0)
        assert (await fleet.ask(Operation("w1", 0, "s", "read"))).place == "pod1"


async def test_a_stopped_pod_is_unknown_past_the_patience_and_answers_after_its_thaw() -> None:
    """Nothing of that is the end of the pod, nor of the fleet."""
    is_second_try.set(True)  # or a busy machine would be to blame
    async with opened(sqlite, 1, patience=0.2) as fleet:
        fleet.pause(0)
        late = await fleet.ask(Operation("w1", 0, "s", "add", ("a",)))
        fleet.thaw(0)
        fleet.patience = 10.0
        while not (read := await fleet.ask(Operation("w1", 0, "s", "read"))).result:
            assert read.outcome == "ok"  # the late one may come after the first readings
    assert (late.outcome, late.error) == ("unknown", "no answer within 0.2 s")
    assert (read.outcome, read.result) == ("ok", ("a",))


async def test_lanes_of_a_sync_store_are_openings_of_their_own_unless_it_shares() -> None:
    """One thread for each lane; one store for all only where the target says so."""
    for target, stores in ((alone, 2), (shared, 1)):
        for pods in (0, 1):
            async with opened(target, pods, lanes=2) as fleet:
                calls = [await fleet.ask(Operation(f"w{n}", 0, "s", "read")) for n in (1, 2, 1, 2)]
            seen = [call.result[0].split() for call in calls]
            assert len({store for store, _ in seen}) == stores
            assert len({thread for _, thread in seen}) == 2


async def test_a_fault_is_part_of_the_record() -> None:
    """What the harness did to the world stands among the calls, with its time."""
    async with opened(sqlite, 1) as fleet:
        with fleet.fault("kill pod1"):
            fleet.kill(0)
            await fleet.replace(0)
        (fault,) = fleet.history.calls
    assert (fault.action, fault.value) == ("fault", "kill pod1")
    assert fault.start < fault.end


async def test_nothing_is_saved_before_something_was_said() -> None:
    """Not every memory can save what is empty: such a save, or rollback, is a read."""
    async with opened(sqlite, 1) as fleet:
        for action, value in (("save", None), ("rollback", 1), ("add", ("[a] a",)), ("save", None)):
            await fleet.ask(Operation("w1", 0, "s1", action, value))
        asked = [call.action for call in fleet.history.calls]
    assert asked == ["read", "read", "add", "save"]

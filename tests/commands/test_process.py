"""The processes of a command: they are killed and paused with their pod, and none is left."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from goldfish import ChatMessage
from goldfish.findings.result import Violation
from goldfish.harness.crash import CrashViolation
from goldfish.harness.errors import StoreError
from goldfish.harness.forks import ForkServer
from goldfish.harness.local import LocalClient
from goldfish.harness.patience import is_second_try
from goldfish.harness.pods import Pod
from goldfish.harness.transcript import Transcript
from goldfish.services import reaper
from goldfish.targets.names import resolve
from goldfish.world.sandbox import Sandbox
from tests.commands.programs import command

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="it looks at /proc")


@asynccontextmanager
async def opened_pod() -> AsyncIterator[tuple[Pod, int]]:
    """Open the program in a pod; yield the pod, and the number of the program's process."""
    sandbox, forks = Sandbox(), ForkServer(resolve(command()))
    sandbox.opening += 1
    pod = await (await Pod.fork(forks, sandbox.description(), {}, Transcript())).open()
    (pid,) = reaper.list_descendants(pod.pid)
    try:
        yield pod, pid
    finally:
        pod.kill()
        forks.close()
        sandbox.close()


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text("latin-1").rpartition(")")[2].split()[0]


async def test_a_pod_serves_calls_of_the_command() -> None:
    """Many at once, and what the command does not take is refused by Python's own rules."""
    async with opened_pod() as (pod, _):
        batch = [ChatMessage(role="user", content="hello 🐟")]
        await pod.call("add_messages", "s", batch, deadline=20)
        reads = (pod.call("get_history", "s", deadline=20) for _ in range(10))
        for found in await asyncio.gather(*reads):
            assert ChatMessage(**found[0]) == batch[0]
        assert pod.methods["get_history"] == ["session_id", "last"]


async def test_a_killed_pod_takes_its_command_with_it() -> None:
    """At once, and also if somebody else kills only the pod."""
    async with opened_pod() as (pod, pid):
        pod.kill()
        assert reaper.wait_until_dead([pid])
    async with opened_pod() as (pod, pid):
        os.kill(pid, signal.SIGSTOP)  # so it cannot see the end of its input
        os.kill(pod.pid, signal.SIGKILL)
        assert reaper.wait_until_dead([pid])


async def test_a_paused_pod_pauses_its_command() -> None:
    """And both go on."""
    async with opened_pod() as (pod, pid):
        pod.pause()
        for _ in range(500):
            if state_of(pid) == "T":
                break
            await asyncio.sleep(0.01)
        assert state_of(pid) == "T"
        pod.thaw()
        assert await pod.call("get_history", "s", deadline=20) == []


async def test_a_closed_pod_leaves_no_command() -> None:
    """It was asked to shut down."""
    async with opened_pod() as (pod, pid):
        await pod.close(deadline=20)
        assert reaper.wait_until_dead([pid])


async def test_a_command_that_ends_itself_has_crashed() -> None:
    """In a pod and here, with what it said last; one that was killed has not."""
    sandbox, target = Sandbox(), resolve(command("dies of the unknown"))
    client = await LocalClient.open(target, sandbox, deadline=20)
    client.store.boom = partial(client.store._process.ask, "boom", {})
    with pytest.raises(CrashViolation, match="ended itself with exit code 1 during boom") as raised:
        await client.call("boom", deadline=20)
    assert "stderr: there is no such method" in raised.value.evidence
    await client.close(deadline=20)
    async with opened_pod() as (pod, pid):
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(StoreError, match="the process ended"):
            await pod.call("get_history", "s", deadline=20)
    sandbox.close()


async def test_a_call_that_never_returns_ends_the_command() -> None:
    """The client gives up its thread, and the process goes with it."""
    is_second_try.set(True)  # or a busy machine would be to blame
    sandbox = Sandbox()
    client = await LocalClient.open(resolve(command()), sandbox, deadline=20)
    pid = client.store._process.pid
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(Violation, match="wedged: get_history did not return"):
        await client.call("get_history", "s", deadline=0.2)
    assert reaper.wait_until_dead([pid])
    sandbox.close()

"""MCP servers as targets: real processes, judged by what they do when several share a file."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.harness.memory import Memory
from goldfish.harness.pods import Pod
from goldfish.services import reaper
from goldfish.targets.declaration import Target
from goldfish.world.sandbox import Sandbox
from tests.lateness import skip_if_late
from tests.mcp import targets
from tests.packages import needs

pytestmark = needs("mcp")


def judge(target: Target, *codes: str) -> dict[str, Result]:
    """Return the results of these checks; skip if the machine was too late to tell."""
    checks = [catalogue()[code] for code in codes]
    report = run(open_target(target), checks, Plan(seed=1, deadline=30))
    skip_if_late(report.results)
    return {each.code: each for each in report.results}


def test_a_right_server_is_held() -> None:
    """Several processes, a kill, a reopen, and its users apart."""
    found = judge(targets.right, "CON18", "CON19", "DUR23", "DUR26", "ISO23", "REV07")
    assert {each.verdict for each in found.values()} == {Verdict.HELD}, found


def test_two_processes_that_lose_a_fact_are_shown_by_the_smallest_history() -> None:
    """Two tell one fact each, and one of the two is gone."""
    result = judge(targets.racy, "CON18")["CON18"]
    assert (result.verdict, result.finding) == (Verdict.BROKEN, "lost")
    assert result.excerpt is not None
    writes = [each for each in result.excerpt.calls if each.action == "remember"]
    assert len({each.process for each in writes}) == len(writes) == 2


def test_prose_is_asked_whether_it_contains_what_was_told() -> None:
    """A right server that answers in sentences is held too."""
    found = judge(targets.prose, "CON18", "DUR23", "ISO23")
    assert {each.verdict for each in found.values()} == {Verdict.HELD}, found


@pytest.fixture
def memory() -> Iterator[Memory]:
    """The right server in a sandbox."""
    sandbox = Sandbox()
    yield Memory(targets.right, sandbox, Random(1), 30.0)
    sandbox.close()


def find_servers(pid: int) -> list[int]:
    """Return the servers that a process has started."""
    return [
        each
        for each in reaper.list_descendants(pid)
        if b"server.py" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def read_state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="it looks into /proc")
def test_a_server_is_paused_and_killed_with_its_pod(memory: Memory) -> None:
    """SIGSTOP stops it, SIGKILL leaves nothing behind."""

    async def main() -> None:
        (pod,) = await memory.pods(1)
        await pod.call("remember", "ann", "tea", deadline=30)
        (server,) = find_servers(pod.pid)
        pod.pause()
        assert wait_for_state(server, "T")
        pod.thaw()
        assert await pod.call("list_facts", "ann", deadline=30)
        pod.kill()
        assert reaper.wait_until_dead([server, pod.pid])
        await memory.discard()

    asyncio.run(main())


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="it looks into /proc")
def test_a_server_that_dies_is_an_error_and_not_a_hang(memory: Memory) -> None:
    """The caller learns it at once, and a closed pod has no server left."""

    async def main() -> None:
        (pod,) = await memory.pods(1)
        (server,) = find_servers(pod.pid)
        os.kill(server, signal.SIGKILL)
        with pytest.raises(Exception, match="the server ended before it answered"):
            await pod.call("list_facts", "ann", deadline=30)
        other = await memory.elsewhere()
        assert isinstance(other.opened, Pod)
        servers = find_servers(other.opened.pid)
        await other.close()
        assert reaper.wait_until_dead(servers)
        await memory.discard()

    asyncio.run(main())


def wait_for_state(pid: int, state: str) -> bool:
    give_up = time.monotonic() + 10
    while read_state(pid) != state and time.monotonic() < give_up:
        time.sleep(0.01)
    return read_state(pid) == state

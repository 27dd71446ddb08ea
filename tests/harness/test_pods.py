"""Other processes that open the target."""

import asyncio
import importlib
import inspect
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from goldfish import ChatMessage, target
from goldfish.findings.result import Violation
from goldfish.harness.errors import NoPodError, StoreError
from goldfish.harness.forks import ForkServer
from goldfish.harness.patience import is_second_try
from goldfish.harness.pods import Pod
from goldfish.harness.transcript import Transcript
from goldfish.integrations.goldfish.targets import sqlite
from goldfish.targets.loading import load_file
from goldfish.world.sandbox import Sandbox


class Odd:
    """A store with unusual manners."""

    def __init__(self, sandbox: Any) -> None:
        print("libraries print to standard output")

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        raise RuntimeError("refused \ud800")

    def get_history(self, session_id: str) -> list[Any]:
        signal.pause()
        return []


odd = target(Odd)


class Lazy:
    """A store that imports when it is opened, and says whether that was news."""

    def __init__(self, sandbox: Any) -> None:
        self.news = "wave" not in sys.modules
        importlib.import_module("wave")

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        raise NotImplementedError

    def get_history(self, session_id: str) -> list[Any]:
        return [{"content": self.news}]


lazy = target(Lazy)


class Worldly:
    """A store that says where it is, and who forked whoever forked it."""

    def __init__(self, sandbox: Any) -> None:
        pass

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        raise NotImplementedError

    def get_history(self, session_id: str) -> list[Any]:
        base = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
        world = {"city": os.environ.get("CITY"), "cwd": os.getcwd(), "first": sys.path[0]}
        return [{"content": base, "metadata": world}]


worldly = target(Worldly)


async def opened(forks: ForkServer, sandbox: Sandbox) -> Pod:
    sandbox.opening += 1
    return await (await Pod.fork(forks, sandbox.description(), {}, Transcript())).open()


async def test_a_pod_serves_calls_on_the_same_storage() -> None:
    """Messages of any text travel both ways, and what one pod wrote another reads."""
    sandbox, forks = Sandbox(), ForkServer(sqlite)
    batch = [ChatMessage(role="user", content="lone \ud800, NUL \0, 🐠", metadata={"n": 2**70})]
    one, other = await opened(forks, sandbox), await opened(forks, sandbox)
    assert one.pid != other.pid != os.getpid()
    await one.call("add_messages", "s", batch, deadline=5)
    assert await other.call("get_history", "s", deadline=5) == batch
    assert "trim" in one.methods
    await one.close(deadline=5)
    other.kill()
    forks.close()
    sandbox.close()


async def test_what_a_store_raises_or_never_returns_in_a_pod_is_told() -> None:
    """An error comes with its description, a hang as wedged, a death as an error."""
    is_second_try.set(True)  # or a busy machine would be to blame
    sandbox, forks = Sandbox(), ForkServer(odd)
    pod = await opened(forks, sandbox)
    with pytest.raises(StoreError, match="RuntimeError: refused"):
        await pod.call("add_messages", "s", [], deadline=5)
    with pytest.raises(Violation, match="did not return"):
        await pod.call("get_history", "s", deadline=0.2)
    os.kill(pod.pid, signal.SIGKILL)
    with pytest.raises((StoreError, ConnectionError, BrokenPipeError)):
        await pod.call("add_messages", "s", [], deadline=5)
    pod.kill()
    forks.close()
    sandbox.close()


async def test_a_pod_that_cannot_begin_says_why() -> None:
    """By the error that ended it, and not by an exit code alone."""
    sandbox, forks = Sandbox(), ForkServer(sqlite)
    with pytest.raises(NoPodError, match=r"could not be started: AttributeError: .*'nothing'"):
        await forks.order_pod(sandbox.description(), {}, "goldfish.harness.replica:nothing")
    forks.close()
    sandbox.close()


async def test_what_opening_imports_is_paid_for_once() -> None:
    """The second pod begins with the modules that the first had to import."""
    sandbox, forks = Sandbox(), ForkServer(lazy)
    pods = [await opened(forks, sandbox) for _ in range(2)]
    found = [await pod.call("get_history", "s", deadline=5) for pod in pods]
    assert [messages[0]["content"] for messages in found] == [True, False]
    for pod in pods:
        pod.kill()
    forks.close()
    sandbox.close()


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
async def test_a_pod_has_the_world_of_today_from_the_base_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another environment, directory or path needs other servers, and no other base."""

    async def look() -> dict[str, Any]:
        pod = await opened(ForkServer(worldly), Sandbox())
        (said,) = await pod.call("get_history", "s", deadline=5)
        pod.kill()
        return {"base": said["content"], **said["metadata"]}

    before = await look()
    monkeypatch.setenv("CITY", "Bergen")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    world = {"city": "Bergen", "cwd": str(tmp_path), "first": str(tmp_path)}
    assert await look() == {"base": before["base"], **world}


def test_a_factory_inside_a_function_cannot_be_found_by_another_process() -> None:
    """The error says what to do."""
    with pytest.raises(NoPodError, match="move it to the top of a module"):
        ForkServer(target(lambda sandbox: None))


def test_a_dead_harness_leaves_no_pods_behind(tmp_path: Any) -> None:
    """Pods end when the process that they serve is killed, even if they are stopped."""
    code = (
        "import asyncio, os, signal, sys\n"
        "from goldfish.harness.transcript import Transcript\n"
        "from goldfish.harness.forks import ForkServer, _servers\n"
        "from goldfish.harness.pods import Pod\n"
        "from goldfish.world.sandbox import Sandbox\n"
        "from goldfish.integrations.goldfish.targets import sqlite\n"
        "async def main():\n"
        "    forks = ForkServer(sqlite); sandbox = Sandbox()\n"
        "    place = sandbox.description()\n"
        "    forked = [await Pod.fork(forks, place, {}, Transcript()) for _ in range(2)]\n"
        "    pods = [await pod.open() for pod in forked]\n"
        "    os.kill(pods[1].pid, signal.SIGSTOP)\n"
        "    print(*(pod.pid for pod in pods), _servers._process.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    pids = asyncio.run(_printed(code))
    assert len(pids) == 3
    asyncio.run(asyncio.wait_for(_gone(pids), 10))


async def _printed(code: str) -> list[int]:
    import sys

    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    line = await process.stdout.readline()
    await process.wait()
    return [int(pid) for pid in line.split()]


async def _gone(pids: list[int]) -> None:
    while any(_alive(pid) for pid in pids):
        await asyncio.sleep(0.02)


def _alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


class Plain:
    """A stranger's store, which says what is loaded beside it."""

    def __init__(self, sandbox: Any) -> None:
        pass

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        raise NotImplementedError

    def get_history(self, session_id: str) -> list[Any]:
        return [{"content": name} for name in sys.modules if name.partition(".")[0] == "goldfish"]


async def test_a_pod_of_a_plain_store_loads_none_of_our_stores(tmp_path: Path) -> None:
    """A stranger's memory is alone with the modules that check it."""
    source = f"import sys\nfrom typing import Any\n\n{inspect.getsource(Plain)}"
    (tmp_path / "plain.py").write_text(source, "utf-8")
    sandbox, forks = Sandbox(), ForkServer(load_file(tmp_path / "plain.py", "Plain", label="plain"))
    pod = await opened(forks, sandbox)
    found = await pod.call("get_history", "s", deadline=5)
    await pod.close(deadline=5)
    forks.close()
    sandbox.close()
    loaded = [each["content"] for each in found]
    assert [name for name in loaded if name.startswith("goldfish.stores")] == []
    assert "goldfish.harness.replica" in loaded

"""Fixtures for all tests: async tests run without a plugin, stores open on real servers."""

import asyncio
import gc
import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.backends import BACKENDS, Backend

# What a run says there besides is tested for itself; other tests compare what people see.
os.environ.pop("GITHUB_ACTIONS", None)


# What is run there is run as a user does: each check in a process of its own, which costs a second.
AS_USERS_DO = ("cli", "docs", "engine/test_isolation.py", "examples", "harness", "plugin")


# They take longest, so each worker begins with some: none is left alone with one at the end.
LONG = ("docs/test_site", "docs/test_pages", "examples", "cli/init", "stores/model", "plugin")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Share what takes long between the workers, each of which gets its part of the list."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if _name_of(item.path).startswith(LONG)]
    rest = [item for item in items if not _name_of(item.path).startswith(LONG)]
    size = -(-len(rest) // workers)
    items[:] = [
        item
        for worker in range(workers)
        for item in (*long[worker::workers], *rest[worker * size : (worker + 1) * size])
    ]


def pytest_collection_finish() -> None:
    """Look for garbage in what the tests make, and not again and again in what was collected."""
    gc.collect()
    gc.freeze()


def _name_of(path: Path) -> str:
    """Return the path of a test file below the tests."""
    return path.relative_to(Path(__file__).parent).as_posix()


@pytest.fixture(autouse=True)
def _stay_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run checks in the process of the test, but where the isolation of checks is tested too."""
    if not _name_of(request.path).startswith(AS_USERS_DO):
        monkeypatch.setenv("GOLDFISH_IN_PROCESS", "1")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a coroutine test in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    asyncio.run(asyncio.wait_for(pyfuncitem.obj(**arguments), timeout=120))
    return True


@pytest.fixture(params=list(BACKENDS))
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place to store in, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


@pytest.fixture(params=["sqlite", "redis", "postgres"])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """The same, on each backend that outlives a process."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend

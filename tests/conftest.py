"""Fixtures for all tests: async tests run without a plugin, stores open on real servers."""

import asyncio
import inspect
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stores.backends import BACKENDS, Backend

# What a run says there besides is tested for itself; other tests compare what people see.
os.environ.pop("GITHUB_ACTIONS", None)


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

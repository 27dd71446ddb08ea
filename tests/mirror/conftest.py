"""One mirror for all tests here, with a clean record for each, and clients that reach only it."""

import gc
import warnings
from collections.abc import Iterator

import pytest

from goldfish.mirror import Mirror


@pytest.fixture(scope="session")
def server() -> Iterator[Mirror]:
    """A mirror that runs for the whole session."""
    with Mirror() as mirror:
        yield mirror


@pytest.fixture
def mirror(server: Mirror, monkeypatch: pytest.MonkeyPatch) -> Mirror:
    """The mirror with a clean record, to which the environment leads."""
    server.clear()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return server


@pytest.fixture(autouse=True, scope="module")
def _forgive_clients() -> Iterator[None]:
    """Collect what clients leave open, before another test is blamed for it."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()

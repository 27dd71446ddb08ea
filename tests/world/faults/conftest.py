"""A sandbox with servers of its own, and clients that give up after a moment."""

from collections.abc import Iterator

import pytest

from goldfish.world.sandbox import Sandbox


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A sandbox whose servers may be tormented."""
    sandbox = Sandbox(own_servers=True)
    yield sandbox
    sandbox.close()

"""Fixtures for the tests of stores."""

from collections.abc import Iterator

import pytest

from goldfish.services import shared_postgres


@pytest.fixture
def dsn() -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    dsn = shared_postgres().database()
    yield dsn
    shared_postgres().release(dsn)

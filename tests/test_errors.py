"""Errors: one tree, and no secrets in them."""

import pytest

import goldfish
from goldfish.errors import mask


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("redis://bob:hunter2@host:1/0", "redis://***@host:1/0"),
        ("redis://:hunter2@host", "redis://***@host"),
        ("postgresql://bob:p@ss:w/rd@host/db", "postgresql://***@host/db"),
        ("host=h password=hunter2 user=u", "host=h password=*** user=u"),
        ("host=h password='hunter 2' user=u", "host=h password=*** user=u"),
        ("redis://host/0?password=hunter2&db=1", "redis://host/0?password=***&db=1"),
        ("nothing secret at redis://host/0", "nothing secret at redis://host/0"),
    ],
)
def test_credentials_are_masked(text: str, expected: str) -> None:
    """In URLs, connection strings and queries."""
    assert mask(text) == expected


def test_the_tree_is_as_drawn() -> None:
    """Callers may catch the root, the store's errors, or one kind."""
    assert issubclass(goldfish.MemoryStoreBackendError, goldfish.MemoryStoreError)
    assert issubclass(goldfish.SchemaTooNewError, goldfish.MemoryStoreBackendError)
    assert issubclass(goldfish.SnapshotNotFound, goldfish.MemoryStoreError)
    assert issubclass(goldfish.UnstorableError, ValueError)
    assert issubclass(goldfish.MissingExtraError, ImportError)
    for name in dir(goldfish):
        value = getattr(goldfish, name)
        if value is goldfish.Violation:
            continue  # the target's fault, not a misuse: another tree
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, goldfish.GoldfishError)

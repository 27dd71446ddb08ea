"""Packages that few tests need: found without an import, imported by the first test that uses them.

Every worker collects every test, and an import at the top of a module would cost each of them
up to two seconds.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest


def needs(*distributions: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests if one of the distributions is not installed."""
    missing = [name for name in distributions if not _is_installed(name)]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


class Lazily:
    """A module that is imported when one of its names is used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("__", "_mock")):  # pytest looks what it is
            raise AttributeError(name)
        return getattr(import_module(self._module), name)

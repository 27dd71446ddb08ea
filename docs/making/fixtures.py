"""The pytest plugin as a page: its fixtures, options and settings, in their own words."""

import inspect
from collections.abc import Iterator
from typing import Any

import goldfish_pytest
from docs.making.markdown import escaped

INTRODUCTION = """# pytest

Installing goldfish installs the plugin. It does nothing, and imports nothing of goldfish, until
one of these is used. `goldfish.suite(target)` makes a test of a target, one item per promise: see
[My own store](../howto/own-store.md).
"""


def page() -> str:
    """The page of the plugin."""
    parts = [INTRODUCTION, "## Fixtures\n"]
    parts += [f"### `{name}`\n\n{escaped(about)}\n" for name, about in fixtures()]
    parts.append("## Options\n\n| option | what it does |\n|---|---|")
    parts += [f"| `{name}` | {escaped(about)} |" for name, about in options()]
    parts.append("\n## Settings\n\n| setting | what it does |\n|---|---|")
    parts += [f"| `{name}` | {escaped(about)} |" for name, about in settings()]
    return "\n".join(parts) + "\n"


def fixtures() -> Iterator[tuple[str, str]]:
    """The fixtures with their docstrings, as they stand in the plugin."""
    for name, thing in vars(goldfish_pytest).items():
        if type(thing).__name__ == "FixtureFunctionDefinition":
            yield name, " ".join((inspect.getdoc(thing) or "").split())


def options() -> list[tuple[str, str]]:
    """What can be written on pytest's command line; the shared option is added later by pytest."""
    shared = (goldfish_pytest.UPDATE, "Make what snapshot_db and snapshot_store see the baselines")
    return [*_asked().options, shared]


def settings() -> list[tuple[str, str]]:
    """What can be written in pytest's section of a configuration file."""
    return _asked().settings


class _Registrations:
    """Stands where pytest's parser does, and writes down what the plugin registers."""

    def __init__(self) -> None:
        self.options: list[tuple[str, str]] = []
        self.settings: list[tuple[str, str]] = []

    def getgroup(self, *_: str) -> "_Registrations":
        return self

    def addoption(self, name: str, *, help: str, metavar: str = "", **_: Any) -> None:  # noqa: A002 - pytest's word
        self.options.append((f"{name} {metavar}".strip(), help))

    def addini(self, name: str, help: str, **_: Any) -> None:  # noqa: A002 - pytest's word
        self.settings.append((name, help))


def _asked() -> _Registrations:
    registrations: Any = _Registrations()
    goldfish_pytest.pytest_addoption(registrations)
    asked: _Registrations = registrations
    return asked

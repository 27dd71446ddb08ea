"""Finds the baselines that no test uses any more, and removes them if this run may."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from goldfish.snapshots.baselines import (
    ENDINGS,
    FOLDER,
    UPDATE,
    locate_baseline,
    locate_shared_baseline,
    show_path,
)


@dataclass
class BaselineUsage:
    """The baselines that one process of a run used; the controller adds up those of its workers."""

    stems: dict[str, list[str]] = field(default_factory=dict)  # of each collected test
    folders: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    partial: bool = False  # some tests were left out on purpose, or stopped short of

    def count(self, items: Iterable[pytest.Item]) -> None:
        """Record the collected tests, and where their baselines would be."""
        for item in items:
            folder = item.path.parent / FOLDER
            if folder.is_dir():
                self.folders.add(str(folder))
                name = item.nodeid.partition("::")[2]
                stems = locate_baseline(item.path, name), locate_shared_baseline(item.path, name)
                self.stems[item.nodeid] = [str(stem) for stem in stems]

    def as_dict(self) -> dict[str, Any]:
        """Return what a worker sends to the controller."""
        return {
            "stems": self.stems,
            "folders": sorted(self.folders),
            "used": sorted(self.used),
            "partial": self.partial,
        }

    def add(self, other: Mapping[str, Any]) -> None:
        """Add what a worker sent."""
        self.stems.update(other["stems"])
        self.folders.update(other["folders"])
        self.used.update(other["used"])
        self.partial = self.partial or other["partial"]

    def find_unused(self) -> list[Path]:
        """Return the baselines of collected and of deleted test files that no test uses.

        A test that was skipped or failed keeps its files, whatever it used.
        """
        waiting = [stems for test, stems in self.stems.items() if test not in self.passed]
        spared = {stem for stems in waiting for stem in stems}
        collected = {Path(stems[0]).parent for stems in self.stems.values()}
        found = []
        for folder in sorted(map(Path, self.folders)):
            for place in sorted(each for each in folder.iterdir() if each.is_dir()):
                if place in collected or not _has_test_file(folder, place.name):
                    found += [
                        each for each in _list_baselines(place) if not self._spares(each, spared)
                    ]
        return found

    def _spares(self, path: Path, spared: set[str]) -> bool:
        return str(path) in self.used or any(str(path).startswith(f"{stem}.") for stem in spared)


def _has_test_file(folder: Path, stem: str) -> bool:
    """Return True if a test file exists that was not collected: its baselines are left alone."""
    return (folder.parent / f"{stem}.py").exists()


def _list_baselines(place: Path) -> list[Path]:
    return sorted(each for each in place.iterdir() if each.name.endswith(ENDINGS))


def is_partial(config: pytest.Config) -> bool:
    """Return True if the command line selects only some tests of a file."""
    option = config.option
    asked = ("keyword", "markexpr", "deselect", "lf", "collectonly", "stepwise")
    return any(getattr(option, each, None) for each in asked) or any(
        "::" in str(argument) for argument in config.args
    )


def is_whole(config: pytest.Config) -> bool:
    """Return True if whole directories were run, which removing anything requires."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return all(Path(config.invocation_params.dir, each).is_dir() for each in config.args)


def report_unused(terminal: Any, usage: BaselineUsage, *, update: bool, passed: bool) -> None:
    """Report unused baselines; remove them if a full, passing run updates."""
    config = terminal.config
    unused = [] if usage.partial or is_partial(config) else usage.find_unused()
    if not unused:
        return
    remove = update and passed and is_whole(config)
    if remove:
        for path in unused:
            path.unlink(missing_ok=True)
    word = "removed" if remove else f"a full, passing run with {UPDATE} removes them"
    terminal.section("unused baselines")
    for path in unused:
        terminal.line(f"  {show_path(path)}")
    terminal.line(f"{len(unused)} unused: {word}")

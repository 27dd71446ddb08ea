"""Which baselines no test needs any more, and whether this run may remove them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from goldfish.snapshots.baselines import ENDINGS, FOLDER, UPDATE, shared_stem_of, stem_of, told


@dataclass
class Census:
    """What one process of a run knows; those of its workers are added up by the controller."""

    stems: dict[str, list[str]] = field(default_factory=dict)  # of each collected test
    folders: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    passed: set[str] = field(default_factory=set)
    partial: bool = False  # some tests were left out on purpose, or stopped short of

    def count(self, items: Iterable[pytest.Item]) -> None:
        """Note the tests that were collected, and where their baselines would be."""
        for item in items:
            folder = item.path.parent / FOLDER
            if folder.is_dir():
                self.folders.add(str(folder))
                name = item.nodeid.partition("::")[2]
                stems = stem_of(item.path, name), shared_stem_of(item.path, name)
                self.stems[item.nodeid] = [str(stem) for stem in stems]

    def plain(self) -> dict[str, Any]:
        """What a worker sends to the controller."""
        return {
            "stems": self.stems,
            "folders": sorted(self.folders),
            "used": sorted(self.used),
            "partial": self.partial,
        }

    def add(self, other: Mapping[str, Any]) -> None:
        """Take over what a worker knows."""
        self.stems.update(other["stems"])
        self.folders.update(other["folders"])
        self.used.update(other["used"])
        self.partial = self.partial or other["partial"]

    def unused(self) -> list[Path]:
        """The baselines of collected test files, and of vanished ones, that no test needs.

        The files of a test that was skipped or failed are its own, whatever it used.
        """
        waiting = [stems for test, stems in self.stems.items() if test not in self.passed]
        spared = {stem for stems in waiting for stem in stems}
        collected = {Path(stems[0]).parent for stems in self.stems.values()}
        found = []
        for folder in sorted(map(Path, self.folders)):
            for place in sorted(each for each in folder.iterdir() if each.is_dir()):
                if place in collected or not _test_file(folder, place.name):
                    found += [each for each in _baselines(place) if not self._spares(each, spared)]
        return found

    def _spares(self, path: Path, spared: set[str]) -> bool:
        return str(path) in self.used or any(str(path).startswith(f"{stem}.") for stem in spared)


def _test_file(folder: Path, stem: str) -> bool:
    """Whether there is a test file that was just not collected: it is none of our business."""
    return (folder.parent / f"{stem}.py").exists()


def _baselines(place: Path) -> list[Path]:
    return sorted(each for each in place.iterdir() if each.name.endswith(ENDINGS))


def is_partial(config: pytest.Config) -> bool:
    """Whether the command line asks for some tests of a file only."""
    option = config.option
    asked = ("keyword", "markexpr", "deselect", "lf", "collectonly", "stepwise")
    return any(getattr(option, each, None) for each in asked) or any(
        "::" in str(argument) for argument in config.args
    )


def is_whole(config: pytest.Config) -> bool:
    """Whether the run was of whole directories, as it must be before anything is removed."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return all(Path(config.invocation_params.dir, each).is_dir() for each in config.args)


def tell(terminal: Any, census: Census, *, update: bool, passed: bool) -> None:
    """Report the baselines that nobody needs; remove them in an update of a full, passing run."""
    config = terminal.config
    unused = [] if census.partial or is_partial(config) else census.unused()
    if not unused:
        return
    remove = update and passed and is_whole(config)
    if remove:
        for path in unused:
            path.unlink(missing_ok=True)
    word = "removed" if remove else f"a full, passing run with {UPDATE} removes them"
    terminal.section("unused baselines")
    for path in unused:
        terminal.line(f"  {told(path)}")
    terminal.line(f"{len(unused)} unused: {word}")

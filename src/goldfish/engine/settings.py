"""What a project has settled in its pyproject.toml: which edition it is held to, as what."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from goldfish.catalogue.editions import LATEST, read_edition
from goldfish.catalogue.profiles import parse_profiles
from goldfish.errors import UsageError
from goldfish.targets.lookup import suggest_name

TABLE = "[tool.goldfish]"
KEYS = ("edition", "profile")


@dataclass(frozen=True)
class Scope:
    """Which of all checks may be asked: those of an edition, and of profiles; all if empty."""

    edition: str = ""
    profiles: tuple[str, ...] = ()

    @property
    def profile(self) -> str:
        """The profiles as one text."""
        return ", ".join(self.profiles)


EVERYTHING = Scope()


def choose_scope(edition: str | None, profiles: Iterable[str], start: Path | None = None) -> Scope:
    """Return what was asked for; what was not is settled by pyproject.toml, above ``start``."""
    settled = read_settings(start or Path.cwd())
    edition = edition or settled.edition
    if edition == LATEST:
        edition = ""
    if edition:
        read_edition(edition)  # which says so if there is none
    return Scope(edition, parse_profiles(profiles) or settled.profiles)


def read_settings(start: Path) -> Scope:
    """Return what the nearest pyproject.toml says of goldfish; nothing if it says nothing."""
    path = next((at for at in _list_candidates(start) if at.is_file()), None)
    if path is None:
        return EVERYTHING
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("goldfish", {})
    except (OSError, ValueError):  # whose tools will tell
        return EVERYTHING
    for name in table:
        if name not in KEYS:
            wrong = suggest_name("setting", name, KEYS, see=f"use {' or '.join(KEYS)}")
            raise UsageError(f"{path}, {TABLE}: {wrong}")
    edition = table.get("edition", "")
    if not isinstance(edition, str):  # 2026.11 without quotes is a number
        raise UsageError(f'{path}, {TABLE}: write edition = "{edition}", in quotes')
    return Scope(edition, parse_profiles(_list_words(path, table.get("profile", []))))


def _list_candidates(start: Path) -> list[Path]:
    here = start.resolve()
    return [folder / "pyproject.toml" for folder in (here, *here.parents)]


def _list_words(path: Path, value: Any) -> list[str]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
        raise UsageError(f'{path}, {TABLE}: write profile = "shared", or a list of such words')
    return words

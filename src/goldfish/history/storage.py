"""The files of histories: a directory for each target, in it a directory for each run."""

import contextlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from goldfish.errors import HistoryError, UsageError
from goldfish.history.collector import pause_collector
from goldfish.history.lines import parse_lines
from goldfish.history.model import History, parse_about

LATEST = "latest"


def make_run_directory(root: Path, target: str) -> Path:
    """Make a directory for the histories of one run; the link ``latest`` beside it leads there."""
    home = root / quote(target, safe=" :")
    run = home / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    try:
        run.mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"{run} cannot be made: {error.strerror}: give another directory"
        ) from None
    _update_link(home / LATEST, run.name)
    return run


def _update_link(link: Path, name: str) -> None:
    """Point the link to the newest run, in one step, so that it always leads somewhere."""
    fresh = link.with_name(f"{LATEST}.{name}")
    with contextlib.suppress(OSError):  # a file system without links is no reason to stop
        fresh.symlink_to(name)
        os.replace(fresh, link)


def load_histories(run: Path) -> list[History]:
    """Load the histories of a run, or the one in a file.

    Of the directories above it, those of the newest run of each target.
    """
    if run.is_file():
        return [load_history(run)]
    found = _find_histories(run)
    if not found:
        raise HistoryError(f"{run} holds no histories: give a directory that --save-runs filled")
    return [load_history(path) for path in found]


def _find_histories(run: Path) -> list[Path]:
    """Return the files of a run, of the newest run of a target, or of those of all targets."""
    if found := sorted(run.glob("*.jsonl")):
        return found
    if (run / LATEST).is_dir():
        return sorted((run / LATEST).glob("*.jsonl"))
    runs = sorted(each for each in run.glob("*/*") if each.is_dir() and each.name != LATEST)
    newest = {each.parent: each for each in runs}  # their names sort by time
    return [path for each in newest.values() for path in sorted(each.glob("*.jsonl"))]


def load_history(path: Path) -> History:
    """Load the history in a file; a HistoryError says what is wrong with it."""
    try:
        with path.open(encoding="utf-8") as file, pause_collector():
            about = parse_about(json.loads(file.readline()))
            return History(parse_lines(file), about)
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}: give a saved run") from error
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HistoryError(
            f"{path} is not a history of goldfish ({type(error).__name__}: {error!s:.200}): "
            "give a file or directory that --save-runs wrote"
        ) from error

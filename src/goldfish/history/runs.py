"""Where histories are kept: a directory for each target, in it one for each run."""

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from goldfish.errors import HistoryError, UsageError
from goldfish.history import History, load

LATEST = "latest"


def kept(root: Path, target: str) -> Path:
    """A new directory for the histories of one run; ``latest`` beside it leads there."""
    home = root / quote(target, safe=" :")
    run = home / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    try:
        run.mkdir(parents=True)
    except OSError as error:
        raise UsageError(
            f"{run} cannot be made: {error.strerror}: give another directory"
        ) from None
    _point(home / LATEST, run.name)
    return run


def _point(link: Path, name: str) -> None:
    """Let the link lead to the newest run, in one step, so that it always leads somewhere."""
    fresh = link.with_name(f"{LATEST}.{name}")
    with contextlib.suppress(OSError):  # a file system without links is no reason to stop
        fresh.symlink_to(name)
        os.replace(fresh, link)


def histories(run: Path) -> list[History]:
    """The histories that a run kept, or the one in a file."""
    if run.is_file():
        return [load(run)]
    found = sorted(run.glob("*.jsonl"))
    if not found and (run / LATEST).is_dir():
        return histories(run / LATEST)
    if not found:
        raise HistoryError(f"{run} holds no histories: give a directory that --save-runs filled")
    return [load(path) for path in found]

"""``goldfish model``: where the embedding model is, and how it gets there."""

import sys

from goldfish.embedding import model
from goldfish.embedding.install import install as fetch
from goldfish.errors import ModelNotFoundError, UsageError
from goldfish.report.sanitize import escape_controls

ACTIONS = ("install", "path")


def run(action: str | None) -> int:
    """Do what was asked; without an action, say where the model is and whether it is whole."""
    if action is None:
        return _told(f"{model.NAME} is in", model.whole())
    if action == "path":
        print(escape_controls(str(model.find())))
        return 0
    if action == "install":
        return _install()
    raise UsageError(f"no such action: {action!r}; it is one of {', '.join(ACTIONS)}")


def _install() -> int:
    try:
        return _told(f"{model.NAME} is there already, in", model.whole())
    except ModelNotFoundError:
        if model.given():
            raise  # what we fetch would not be looked at
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(f"fetching {model.NAME}")
        place = fetch(lambda done, total: bar.update(task, completed=done, total=total))
    return _told(f"{model.NAME} is now in", place)


def _told(what: str, place: object) -> int:
    print(escape_controls(f"{what} {place}"))
    return 0

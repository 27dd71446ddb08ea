"""``goldfish model``: show where the embedding model is, or install it."""

import sys

from goldfish.embedding import model
from goldfish.embedding.install import install as fetch
from goldfish.errors import ModelNotFoundError, UsageError
from goldfish.report.sanitize import escape_controls

ACTIONS = ("install", "path")


def run(action: str | None) -> int:
    """Run the action; without one, show where the model is after checking its files."""
    if action is None:
        return _print_place(f"{model.NAME} is in", model.verify())
    if action == "path":
        print(escape_controls(str(model.find())))
        return 0
    if action == "install":
        return _install()
    raise UsageError(f"no action named {action!r}: use {' or '.join(ACTIONS)}")


def _install() -> int:
    try:
        return _print_place(f"{model.NAME} is there already, in", model.verify())
    except ModelNotFoundError:
        if model.read_setting():
            raise  # GOLDFISH_MODEL would still win over what we fetch
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as bar:
        task = bar.add_task(f"fetching {model.NAME}")
        place = fetch(lambda done, total: bar.update(task, completed=done, total=total))
    return _print_place(f"{model.NAME} is now in", place)


def _print_place(what: str, place: object) -> int:
    print(escape_controls(f"{what} {place}"))
    return 0

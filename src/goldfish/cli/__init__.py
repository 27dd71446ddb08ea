"""The entry point: from a command line to an exit code, and one sentence for what went wrong."""

import sys
from collections.abc import Sequence

from goldfish.errors import GoldfishError, mask

WRONG_USE, INTERRUPTED, NOBODY_READS = 2, 130, 141


def main() -> None:
    """The entry point: run, and exit with 0 held, 1 broken or unknown, 2 wrong use."""
    sys.exit(answer(sys.argv[1:]))


def answer(arguments: Sequence[str]) -> int:
    """The exit code of a command line; an error is one sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # whatever the terminal can show
    try:
        code = _run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _unread()
    except GoldfishError as error:
        return _refused(mask(str(error)))
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        import traceback

        print(mask(traceback.format_exc()), end="", file=sys.stderr)
        return _refused("this is a fault of goldfish itself: please report what is above")


def _run(arguments: Sequence[str]) -> int:
    """A plain comparison begins at once: the import of Typer would be a good part of its time."""
    if arguments[:1] == ["diff"]:
        from goldfish.cli.diff import at_once

        if (code := at_once(arguments[1:])) is not None:
            return code
    from goldfish.cli.app import run

    return run(arguments)


def _unread() -> int:
    """Whoever read our output has left, as `head` does: the interpreter must not complain of it."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return NOBODY_READS


def _refused(sentence: str) -> int:
    from goldfish.report.sanitize import escape_controls, sanitize_text

    lines = [escape_controls(line) for line in sanitize_text(sentence).splitlines()]
    print("goldfish: " + "\n".join(lines), file=sys.stderr)
    return WRONG_USE

"""Finds the line of the user's own code that an error came from."""

import os
import traceback
from pathlib import Path

_LIBRARY = os.path.dirname(os.__file__)
_GOLDFISH = str(Path(__file__).parents[1])


def find_user_line(error: BaseException) -> str:
    """Return "line 3 of my_app/memory.py", or nothing if no line of the user's was involved."""
    if isinstance(error, SyntaxError) and error.filename:
        return _describe_line(error.filename, error.lineno)
    frames = [
        each for each in traceback.extract_tb(error.__traceback__) if _is_users(each.filename)
    ]
    return _describe_line(frames[-1].filename, frames[-1].lineno) if frames else ""


def _is_users(filename: str) -> bool:
    foreign = filename.startswith(("<", _LIBRARY, _GOLDFISH))
    return not foreign and "site-packages" not in filename


def _describe_line(filename: str, line: int | None) -> str:
    here = os.getcwd() + os.sep
    return f"line {line} of {filename.removeprefix(here)}"

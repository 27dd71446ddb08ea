"""How tests write the command of a memory: right, or wrong in one way."""

import shlex
import sys
from pathlib import Path

PROGRAM = Path(__file__).with_name("program.py")


def command(mode: str = "right") -> str:
    """Return a target: the program that is wrong in this way."""
    return "cmd:" + shlex.join([sys.executable, "-I", "-S", str(PROGRAM), mode])

"""Finds the files that a project's memory opens by itself, where nothing can hand it another."""

import ast
import re
from collections.abc import Iterator, Sequence

from goldfish.cli.init.openers import CONNECTS, is_lazy
from goldfish.cli.init.sources import Function, Source

PATHS = {"Path", "expanduser", "connect", "TinyDB", "join"}
WRITING = re.compile(r"\.write\w*\(|\bdump\(|\bopen\([^)]*, *['\"](w|a|x|r\+)|\bconnect\(|TinyDB\(")


def find_fixed_file(functions: Sequence[Function]) -> ast.expr | None:
    """Return the path that functions write to and that is settled in them; None without one."""
    if not any(WRITING.search(ast.unparse(each)) for each in functions):
        return None
    return next((path for each in functions for path in _list_paths(each)), None)


def _list_paths(function: Function) -> Iterator[ast.expr]:
    for node in ast.walk(ast.Module(function.body, [])):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func).rpartition(".")[2]
        first = node.args[0] if node.args else None
        is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
        is_written = name == "open" and WRITING.search(ast.unparse(node)) is not None
        is_place = name == "home" or (is_text and (name in PATHS or is_written))
        if is_place and not (isinstance(first, ast.Constant) and first.value == ":memory:"):
            yield node


def connects_itself(source: Source, maker: Function | None) -> bool:
    """Return True if making an object connects at once, to what is written in the code."""
    return maker is not None and any(
        isinstance(node, ast.Call)
        and CONNECTS.search(source.resolve(node.func))
        and not is_lazy(source.resolve(node.func))
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value != ":memory:"
        for node in ast.walk(maker)
    )

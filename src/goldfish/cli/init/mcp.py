"""``goldfish init --mcp``: write the map of an MCP server's tools, and say what to look at."""

import asyncio
import pprint
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from goldfish.mcp.guessing import Guess
from goldfish.mcp.looking import look_at
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls

FILE = Path("test_mcp_memory.py")
TEXT = '''"""The memory of an MCP server: what its tools mean to goldfish."""

import goldfish

memory = goldfish.adapt.mcp(
    {command!r},
{arguments})

test_memory = goldfish.suite(memory)
'''


def init_mcp(
    command: str, path: Path | None, force: bool, write: Callable[[Path, str, bool], None]
) -> int:
    """Look at the server, write the file, and say what was guessed and how to go on."""
    page, path = Page(), path or FILE
    guess = asyncio.run(look_at(command))
    write(path, render(command, guess), force)
    page.write(f"Written: {path}", style="bold green")
    for method, tool in guess.tool_map.items():
        if isinstance(tool, dict):
            page.write(escape_controls(f"  {method}: {tool['tool']} {tool.get('arguments', {})}"))
    page.write("Look at it before you trust it:", style="bold")
    for remark in guess.remarks:
        page.write(escape_controls(f"  {remark}"))
    page.write("  Which variable or argument names the file it writes? Give env={…}: {path} is new")
    page.write("  for each check. HOME and the working directory lead there already.")
    page.write(f"Next: pytest {shlex.quote(str(path))}", style="bold")
    return 0


def render(command: str, guess: Guess) -> str:
    """Return the file with the map."""
    arguments = "".join(_render_argument(*each) for each in guess.tool_map.items())
    return TEXT.format(command=command, arguments=arguments)


def _render_argument(name: str, value: Any) -> str:
    lines = pprint.pformat(value, width=92 - len(name), sort_dicts=False).splitlines()
    indent = "\n" + " " * (5 + len(name))
    return f"    {name}={indent.join(lines)},\n"

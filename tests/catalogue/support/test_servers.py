"""A server without persistence is told apart from a store that forgets."""

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Verdict
from goldfish.integrations.goldfish.targets import redis


def test_a_redis_without_persistence_is_said_to_forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an append-only file the promise holds; without one, the reason is told plainly."""
    checks = [catalogue()["DUR22"]]
    (kept,) = run(redis, checks, Plan(seed=1)).results
    monkeypatch.setenv("GOLDFISH_REDIS_PERSISTENCE", "none")
    (forgotten,) = run(redis, checks, Plan(seed=1)).results
    assert kept.verdict is Verdict.HELD
    assert forgotten.verdict is Verdict.BROKEN
    assert forgotten.finding == "lost"
    assert "keeps nothing on disk" in forgotten.summary
    assert "a restart forgets" in forgotten.summary

"""Histories of a correct store: no false alarm, and every anomaly that is put in is found."""

import random

import pytest

from bench.judges import Log, Mix, simulated
from goldfish.findings.kinds import KINDS
from goldfish.history import Call
from goldfish.judges import judge
from tests.judges.damage import DAMAGES, Damage

MIXES = {
    "adds and reads": Mix(calls=40, removals=0.0, last=0.0, uncertain=0.0),
    "one process": Mix(calls=40, processes=1, removals=0.1, last=0.3, uncertain=0.0, most_kept=6),
    "trims and clears": Mix(calls=40, removals=0.15, last=0.3, uncertain=0.05, most_kept=8),
    "many processes": Mix(calls=60, processes=12, removals=0.05, last=0.2, uncertain=0.1),
    "hardly an answer": Mix(calls=40, removals=0.1, last=0.2, uncertain=0.6, most_kept=5),
}


def _accusations(calls: list[Call]) -> list[str]:
    found = judge(sorted(calls, key=lambda call: call.end)).findings
    return [each.summary for each in found if each.kind not in {"refused", "wedged"}]


@pytest.mark.parametrize("name", MIXES)
def test_a_correct_store_is_never_accused(name: str) -> None:
    """Hundreds of histories of concurrent processes, whatever they do, give no alarm."""
    choice = random.Random(name)
    for _ in range(400):
        assert _accusations(simulated(choice, "s", MIXES[name])) == []


def test_a_correct_store_with_retries_is_never_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adding a batch again, as whoever got no answer does, gives no alarm."""

    def add_what_is_missing(log: Log, action: str, value: object) -> tuple[str, ...] | None:
        if action == "add" and isinstance(value, tuple):
            value = tuple(each for each in value if each not in log.messages[log.front :])
        return apply(log, action, value)

    apply = Log.apply
    monkeypatch.setattr(Log, "apply", add_what_is_missing)
    monkeypatch.setattr("bench.judges._planned", _planned_with_retries)
    choice = random.Random(7)
    for _ in range(300):
        assert _accusations(simulated(choice, "s", MIXES["trims and clears"])) == []


def _planned_with_retries(choice: random.Random, session: str, mix: Mix, number: int) -> Call:
    action = "add" if choice.random() < mix.adds else choice.choice(("read", "read", "clear"))
    batch = choice.randrange(mix.calls // 3)  # so that most batches are added more than once
    value = tuple(f"[{batch}.{part}]" for part in range(1 + batch % 3)) if action == "add" else None
    outcome = choice.choice(("ok", "ok", "ok", "unknown"))
    process = f"p{choice.randrange(mix.processes)}"
    return Call(process, session, action, value, None, 0.0, 0.0, outcome)  # type: ignore[arg-type]


def read_to_the_end(calls: list[Call]) -> list[Call]:
    """The calls and a last read of it all: they are in the order of their effects."""
    log = tuple(content for call in calls if call.action == "add" for content in call.value)
    end = max(call.end for call in calls)
    return [*calls, Call("p", "s", "read", None, log, end + 1, end + 2)]


def test_there_is_a_damage_for_every_kind() -> None:
    """Every kind of finding is put into histories, all but those that no history can show."""
    assert {damage.__name__ for damage in DAMAGES} == set(KINDS) - {"swallowed", "crashed"}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage.__name__))
def test_every_anomaly_is_found(damage: Damage) -> None:
    """One anomaly in the history of a correct store is found, by its name, and comes first."""
    choice = random.Random(damage.__name__)
    mix = Mix(calls=30, removals=0.0, last=0.0, uncertain=0.0)
    for _ in range(60):
        calls = damage(choice, read_to_the_end(simulated(choice, "s", mix)))
        judgement = judge(sorted(calls, key=lambda call: call.end))
        assert [each.kind for each in judgement.findings][:1] == [damage.__name__]

"""Sessions that were rolled back: nothing is blamed for what a rollback explains."""

import random

import pytest

from bench.judges import Log, Mix, simulated
from goldfish.history import Call
from goldfish.history.notation import parse_history, render_history
from goldfish.judges import judge
from goldfish.judges.smallest import find_smallest
from tests.judges.verdicts import findings, kinds

MIX = Mix(calls=40, removals=0.1, last=0.2, uncertain=0.05, most_kept=6)

EXPLAINED = {
    "what was added since is gone": (
        "0-1 p s add a\n2-3 p s save v\n4-5 p s add b\n6-7 p s rollback v\n8-9 p s read: a"
    ),
    "what was trimmed is back": (
        "0-1 p s add a b c\n2-3 p s save v\n4-5 p s trim 1\n6-7 p s rollback v\n8-9 p s read: a b c"
    ),
    "half of a batch is back": (
        "0-1 p s add a b c\n1-2 p s trim 2\n2-3 p s save v\n4-5 p s clear\n"
        "6-7 p s rollback v\n8-9 p s read: b c"
    ),
    "an add meets it, and is before it": (
        "0-1 p s add a\n2-3 p s save v\n4-9 q s add b\n5-6 p s rollback v\n10-11 p s read: a"
    ),
    "an add meets it, and is after it": (
        "0-1 p s add a\n2-3 p s save v\n4-9 q s add b\n5-6 p s rollback v\n10-11 p s read: a b"
    ),
    "a clear meets it, and is after it": (
        "0-1 p s add a\n2-3 p s save v\n4-9 q s clear\n5-6 p s rollback v\n10-11 p s read:"
    ),
    "nobody knows whether it happened": (
        "0-1 p s add a\n2-3 p s save v\n4-5 p s add b\n6-7 p s rollback v ?\n"
        "8-9 p s read: a b\n10-11 p s read: a"
    ),
}
REJECTED = {
    "what was added after it is gone": (
        "lost",
        "0-1 p s add a\n2-3 p s save v\n6-7 p s rollback v\n8-9 p s add b\n10-11 q s read: a",
    ),
    "what it brought back goes again": (
        "lost",
        "0-1 p s add a\n2-3 p s save v\n6-7 p s rollback v\n8-9 q s read: a\n10-11 q s read:",
    ),
    "what came after it is torn": (
        "torn",
        "0-1 p s add a\n2-3 p s save v\n6-7 p s rollback v\n7-10 p s add b c\n8-9 q s read: a b",
    ),
    "two readers see another order": (
        "reordered",
        "0-1 p s add a b\n2-3 p s save v\n6-7 p s rollback v\n8-9 p s read: a b\n8-9 q s read: b a",
    ),
    "nobody ever wrote it": (
        "phantom",
        "0-1 p s add a\n2-3 p s save v\n6-7 p s rollback v\n8-9 p s read: a x",
    ),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_a_rollback_explains_it(name: str) -> None:
    """What was there before it may be there after it, or not."""
    assert findings(EXPLAINED[name]) == ()


@pytest.mark.parametrize("name", REJECTED)
def test_no_rollback_explains_it(name: str) -> None:
    """What happens after the last rollback is judged as ever."""
    kind, text = REJECTED[name]
    assert kinds(text)[:1] == [kind]


def test_the_smallest_history_has_the_rollback() -> None:
    """Without it, nobody would understand what else is missing."""
    history = parse_history(REJECTED["what was added after it is gone"][1])
    calls = find_smallest(history, judge(history).findings[0])
    assert [line.split(maxsplit=3)[-1] for line in render_history(calls)] == [
        "rollback v",
        "add b",
        "read: ",
    ]


def test_a_correct_store_with_rollbacks_is_never_accused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of histories with saves and rollbacks among everything else give no alarm."""
    monkeypatch.setattr("bench.judges._action", _action)
    monkeypatch.setattr("bench.judges.Log", Saving)
    choice, judged = random.Random(5), 0
    for _ in range(400):
        calls = simulated(choice, "s", MIX)
        judgement = judge(sorted(calls, key=lambda call: call.end))
        judged += judgement.acknowledged
        assert [each for each in judgement.findings if each.kind not in {"refused", "wedged"}] == []
    assert judged > 1000  # so much was left to judge


def test_a_message_that_is_lost_after_a_rollback_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is left out of the last read, in the history of a correct store."""
    monkeypatch.setattr("bench.judges._action", _action)
    monkeypatch.setattr("bench.judges.Log", Saving)
    choice = random.Random(6)
    for _ in range(100):
        calls = simulated(choice, "s", Mix(calls=20, removals=0.0, last=0.0, uncertain=0.0))
        end = max(call.end for call in calls)
        read = Call("p", "s", "read", None, ("[x]", "[y]"), end + 5, end + 6)
        added = Call("p", "s", "add", ("[x]", "[lost]", "[y]"), None, end + 1, end + 2)
        found = judge([*sorted(calls, key=lambda call: call.end), added, read]).findings
        assert "lost" in {each.kind for each in found}


class Saving(Log):
    """The model of a session that is saved and rolled back now and then."""

    def apply(self, action: str, value: object) -> tuple[str, ...] | None:
        if action == "save":
            self.states.append(self.messages[self.front :])
            return None
        if action != "rollback":
            return super().apply(action, value)
        if self.states:
            self.messages, self.front = list(self.states[len(self.messages) % len(self.states)]), 0
        return None

    @property
    def states(self) -> list[list[str]]:
        """What was saved, the oldest first."""
        found: list[list[str]] = self.__dict__.setdefault("saved", [])
        return found


def _action(choice: random.Random, mix: Mix) -> str:
    actions = ("add", "read", "save", "rollback", "trim", "clear")
    kept = 100 * mix.removals
    return choice.choices(actions, (50, 30, 6, 4, kept / 2, kept / 2))[0]

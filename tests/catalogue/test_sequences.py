"""Sequences of calls: right memories of any shape follow the model; wrong ones are found out."""

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.catalogue.sequences import trying
from goldfish.catalogue.sequences.steps import Step, show_script
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Report, Result, Verdict
from goldfish.messages import ChatMessage
from goldfish.specimens import gallery
from goldfish.specimens.references.state import StateReference
from goldfish.specimens.sequences import SearchingReference
from goldfish.targets.declaration import as_target
from tests.catalogue.strangers import ListedNotebook, Notebook

PLAN = Plan(deadline=30)


class ListOfDicts:
    """A dict of lists, as many write it first: no ids, no trim, messages come back as dicts."""

    def __init__(self, sandbox: Any) -> None:
        self._sessions: dict[str, list[dict[str, Any]]] = {}

    def add_messages(self, session_id: str, messages: list[ChatMessage]) -> None:
        said = [{"role": each.role, "content": each.content} for each in messages]
        self._sessions.setdefault(session_id, []).extend(said)

    def get_history(self, session_id: str, last: int | None = None) -> list[dict[str, Any]]:
        history = self._sessions.get(session_id, [])
        return list(history[-last:] if last else history)

    def clear(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)


class JsonFiles:
    """One JSON file per session; counts are not told, and removing deletes the file."""

    def __init__(self, sandbox: Any) -> None:
        self._folder: Path = sandbox.path / "sessions"
        self._folder.mkdir(exist_ok=True)

    async def add_messages(self, session_id: str, messages: list[ChatMessage]) -> None:
        history = self._read(session_id)
        known = {each["id"] for each in history}
        history += [each.model_dump(mode="json") for each in messages if each.id not in known]
        self._write(session_id, history)

    async def get_history(self, session_id: str) -> list[ChatMessage]:
        return [ChatMessage.model_validate(each) for each in self._read(session_id)]

    async def trim(self, session_id: str, keep_last: int) -> None:
        history = self._read(session_id)
        self._write(session_id, history[max(0, len(history) - keep_last) :])

    async def clear_all(self) -> None:
        for path in self._folder.iterdir():
            path.unlink()

    async def list_sessions(self) -> set[str]:
        return {bytes.fromhex(path.stem).decode() for path in self._folder.iterdir()}

    async def save_snapshot(self, session_id: str) -> dict[str, Any]:
        count = len(list(self._folder.parent.glob("*.saved")))
        saved = self._folder.parent / f"{count}.saved"
        saved.write_text(json.dumps(self._read(session_id)))
        return {"snapshot_id": saved.name}

    async def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        self._write(session_id, json.loads((self._folder.parent / snapshot_id).read_text()))

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{session_id.encode().hex()}.json"

    def _read(self, session_id: str) -> list[Any]:
        path = self._path(session_id)
        return json.loads(path.read_text()) if path.exists() else []

    def _write(self, session_id: str, history: list[Any]) -> None:
        self._path(session_id).write_text(json.dumps(history))


class OwnDecisions(ListOfDicts):
    """It decides otherwise than the small print where that is a memory's own affair."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self._state: dict[str, dict[str, Any]] = {}
        self._saved: dict[str, dict[str, list[Any]]] = {}

    def set_state(self, session_id: str, values: dict[str, Any]) -> None:
        self._state.setdefault(session_id, {}).update(values)

    def get_state(self, session_id: str) -> dict[str, Any]:
        return dict(self._state.get(session_id, {}))

    def save_snapshot(self, session_id: str) -> str:
        saved = self._saved.setdefault(session_id, {})
        saved[f"v{len(saved)}"] = list(self._sessions.get(session_id, []))
        return f"v{len(saved) - 1}"

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Messages alone: the state stays as it is."""
        self._sessions[session_id] = list(self._saved[session_id][snapshot_id])

    def clear(self, session_id: str) -> None:
        """Snapshots go with the session, and the state stays."""
        super().clear(session_id)
        self._saved.pop(session_id, None)

    def clear_all(self) -> None:
        self._sessions.clear()


class EqualFactsApart:
    """Facts in a list: told twice, they are there twice, and the newest comes first."""

    def __init__(self, sandbox: Any) -> None:
        self._facts: list[dict[str, Any]] = []
        self._made = 0

    def remember(self, user_id: str, text: str) -> dict[str, Any]:
        self._made += 1
        self._facts.insert(0, {"id": self._made, "user": user_id, "text": text})
        return self._facts[0]

    def list_facts(self, user_id: str) -> list[dict[str, Any]]:
        return [fact for fact in self._facts if fact["user"] == user_id]

    def forget(self, user_id: str, fact_id: int) -> None:
        self._facts = [fact for fact in self._facts if fact["id"] != fact_id]


def check_sequences(store: Callable[..., Any]) -> Report:
    checks = [each for each in catalogue().values() if each.family == "SEQ"]
    asked = [each for each in checks if all(hasattr(store, n) for n in ESSENTIALS[each.about])]
    return run(as_target(store), asked, PLAN)


ESSENTIALS = {
    "messages": ("add_messages", "get_history"),
    "facts": ("remember",),
    "state": ("set_state", "get_state"),
}
RIGHT = [
    *(ListOfDicts, JsonFiles, OwnDecisions, EqualFactsApart, Notebook, ListedNotebook),
    *(SearchingReference, StateReference),
]


@pytest.mark.parametrize("store", RIGHT)
def test_a_right_memory_of_any_shape_follows_the_model(store: type) -> None:
    """Nothing is asked that it does not do when nothing goes wrong."""
    results = check_sequences(store).results
    assert [each for each in results if each.verdict is Verdict.BROKEN] == []
    assert [each for each in results if each.verdict is Verdict.UNKNOWN] == []
    assert Verdict.HELD in {each.verdict for each in results}


class DropsASecondYes(ListOfDicts):
    """A turn that equals the one before it is taken for a retry."""

    def add_messages(self, session_id: str, messages: list[ChatMessage]) -> None:
        for message in messages:
            history = self.get_history(session_id)
            if not history or history[-1]["content"] != message.content:
                super().add_messages(session_id, [message])


class TrimsTheSnapshots(OwnDecisions):
    """Snapshots share the list of their session, which a clear empties in place."""

    def save_snapshot(self, session_id: str) -> str:
        saved = self._saved.setdefault(session_id, {})
        saved[f"v{len(saved)}"] = self._sessions.setdefault(session_id, [])[:]
        return f"v{len(saved) - 1}"

    def rollback_to_snapshot(self, session_id: str, snapshot_id: str) -> None:
        """Hand the snapshot's own list to the session."""
        self._sessions[session_id] = self._saved[session_id][snapshot_id]


@pytest.mark.parametrize(
    ("store", "code", "kind"),
    [(DropsASecondYes, "SEQ01", "lost"), (TrimsTheSnapshots, "SEQ04", "resurrected")],
)
def test_a_wrong_memory_is_found_out(store: type, code: str, kind: str) -> None:
    """By a sequence that can be pasted, with what was expected and what came."""
    (result,) = run(as_target(store), [catalogue()[code]], PLAN).results
    assert (result.verdict, result.finding) == (Verdict.BROKEN, kind)
    *script, expected, got = result.evidence
    calls = [line for line in script if not line.startswith(" ")]
    assert all("await memory." in line for line in calls)
    assert expected.startswith("expected: [")
    assert got.startswith("got:      [")
    assert len(calls) <= 6


def test_a_page_of_a_filter_has_what_the_filter_lets_through() -> None:
    """The limit counts the facts that match."""
    broken = gallery()["limits-before-it-filters"].target
    results = (run(broken, [catalogue()["SEQ06"]], Plan(seed=seed)).results for seed in range(9))
    assert any(result.finding == "wrong" for (result,) in results)


def test_a_difference_is_told_by_the_fewest_calls() -> None:
    """No call, and no message of a batch, can be left out."""
    found = run(gallery()["writes-into-its-snapshot"].target, [catalogue()["SEQ04"]], PLAN)
    verbs = [_verb(line) for line in _script(found.results[0])]
    rest = ["rollback_to_snapshot", "add_messages", "rollback_to_snapshot", "get_history"]
    assert verbs[-5:] == ["save_snapshot", *rest]
    assert verbs[:-5] in ([], ["add_messages"])


def _script(result: Result) -> list[str]:
    return [line for line in result.evidence if "await " in line]


def _verb(line: str) -> str:
    return line.partition("memory.")[2].partition("(")[0]


def test_a_long_call_is_broken_so_that_it_can_be_pasted() -> None:
    """After commas that Python reads over, and never within a text."""
    said = [ChatMessage(role="user", content=f"one, (two, {number}") for number in range(4)]
    (call, clear) = (Step("add_messages", ("talk", said)), Step("clear", ("talk",)))
    lines = show_script([call, clear])
    assert len(lines) > 3
    assert max(map(len, lines)) <= 72
    assert lines[-1] == "await memory.clear('talk')"
    made = ast.unparse(ast.parse("\n".join(lines)))
    assert made.count("ChatMessage") == made.count("one, (two,") == 4


def test_a_memory_that_is_slow_to_open_is_asked_a_few_sequences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where each opening starts a program, twenty sequences would take a minute."""
    drawn: list[Any] = []
    draw = trying._draw

    def note(*given: Any) -> Any:
        drawn.append(given)
        return draw(*given)

    monkeypatch.setattr(trying, "_draw", note)
    monkeypatch.setattr(trying, "LONGEST", 0.0)
    target = as_target(lambda sandbox: ListOfDicts(sandbox), "beside the test")
    (result,) = run(target, [catalogue()["SEQ01"]], PLAN).results
    assert (result.verdict, len(drawn)) == (Verdict.HELD, trying.FEWEST)

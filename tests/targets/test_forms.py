"""Messages as people have them: dicts, LangChain's, items of OpenAI; declared, or found out."""

import json
from typing import Any

import pytest

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.errors import TargetError
from goldfish.findings.result import Verdict
from goldfish.targets.declaration import Target
from goldfish.targets.forms import FORMS, put_in_form, read_form

SAID = goldfish.ChatMessage(role="user", content="Hello", metadata={"source": "web"})


class Dicts:
    """A store that encodes what it is given as JSON."""

    def __init__(self) -> None:
        self.rows: dict[str, list[str]] = {}

    def add_messages(self, session_id: str, messages: list[dict[str, Any]]) -> None:
        """Keep each message as a text."""
        self.rows.setdefault(session_id, []).extend(map(json.dumps, messages))

    def get_history(self, session_id: str) -> list[dict[str, Any]]:
        """Return the messages as they were given."""
        return [json.loads(row) for row in self.rows.get(session_id, [])]


class LangChains(Dicts):
    """A store of LangChain's messages, which it knows by their type."""

    def add_messages(self, session_id: str, messages: list[Any]) -> None:
        """Keep each message as its type and its dump."""
        rows = [json.dumps([each.type, each.model_dump()]) for each in messages]
        self.rows.setdefault(session_id, []).extend(rows)

    def get_history(self, session_id: str) -> list[Any]:
        """Return messages of LangChain."""
        from langchain_core.messages import messages_from_dict

        rows = map(json.loads, self.rows.get(session_id, []))
        return messages_from_dict([{"type": kind, "data": data} for kind, data in rows])


def judge(target: Target, *codes: str) -> list[str]:
    """Return the verdicts of some checks, in a process that has the target already."""
    opened = open_target(target)
    report = run(opened, [catalogue()[code] for code in codes], Plan(seed=1))
    return [str(each.verdict) for each in report.results]


@pytest.mark.parametrize("declared", [{}, {"messages": "dict"}])
def test_a_store_that_wants_dicts_gets_dicts(declared: dict[str, Any]) -> None:
    """Whether it says so or not; all fields come back, so all are judged."""
    target = goldfish.target(**declared)(lambda sandbox: Dicts())
    opened = open_target(target)
    assert (opened.messages, opened.carries) == ("dict", goldfish.target(Dicts).carries)
    assert set(judge(target, "ISO01", "ORD01", "FID09", "FID20")) == {Verdict.HELD}


def test_a_store_that_wants_messages_of_langchain_gets_them() -> None:
    """It is found out after dicts were tried, and what comes back is read as ours."""
    pytest.importorskip("langchain_core")
    target = goldfish.target(claims="one opening")(lambda sandbox: LangChains())
    assert open_target(target).messages == "langchain"
    assert set(judge(target, "ISO01", "FID09")) == {Verdict.HELD}


def test_items_of_openai_are_declared() -> None:
    """A tool's result is an item of its own kind there, and comes back as a message."""
    result = goldfish.ChatMessage(role="tool", content="42", tool_call_id="call_1")
    _, (item,) = put_in_form("openai", "add_messages", ("s", [result]))
    assert item["type"] == "function_call_output"
    (back,) = read_form("openai", "get_history", [item])
    assert (back.role, back.content, back.tool_call_id) == ("tool", "42", "call_1")


def test_a_dict_holds_what_json_can_carry_and_nothing_empty() -> None:
    """Times are texts; a key without a value is left out."""
    _, (given,) = put_in_form("dict", "add_messages", ("s", [SAID]))
    assert json.loads(json.dumps(given)) == given
    assert list(given) == ["role", "content", "id", "created_at", "metadata"]


def test_a_declared_form_is_not_doubted() -> None:
    """A store that does not take it fails at its first call, with one sentence."""
    target = goldfish.target(messages="goldfish")(lambda sandbox: Dicts())
    with pytest.raises(TargetError, match="fails at its first ordinary call"):
        open_target(target)


def test_an_unknown_form_is_told() -> None:
    """With the forms that there are."""
    with pytest.raises(TargetError, match=f"messages= must be one of '{FORMS[0]}'"):
        goldfish.target(messages="json")(lambda sandbox: Dicts())  # type: ignore[call-overload]

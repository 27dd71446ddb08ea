"""What a check asks of a target: facts or messages, powers that are declared, powers that lack."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from goldfish.catalogue.registry import Check, catalogue
from goldfish.cli.explain import explain
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result, Verdict
from goldfish.harness.wire import pack, unpack
from goldfish.messages import Fact, Recollection
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.sqlite import Reference
from goldfish.targets.declaration import Target, apply_declarations, as_target

FACTS = as_target(FactsReference, "facts")
WHY = "the model is not installed: goldfish model install"


class WithoutModel(FactsReference):
    """A memory for facts that cannot recall here, and says why."""

    @property
    def lacking(self) -> Mapping[str, str]:
        """The methods that cannot be used, with the reason."""
        return {"recall": WHY}


class LackingSomethingElse(FactsReference):
    """A stranger whose attribute of that name means something else."""

    lacking = "nothing"


def result(target: Target, code: str) -> Result:
    """What one check says about a target."""
    (found,) = run(target, [catalogue()[code]], Plan(workers=1)).results
    return found


def of(subject: str) -> list[Check]:
    """The checks about messages or about facts."""
    return [check for check in catalogue().values() if check.about == subject]


def test_a_memory_of_facts_alone_is_not_asked_about_messages() -> None:
    """A check about messages, of whatever family, is unsupported, and does not crash."""
    one_of_each = {check.family: check for check in of("messages")}
    report = run(FACTS, list(one_of_each.values()), Plan(workers=2))
    assert {each.verdict for each in report.results} == {Verdict.UNSUPPORTED}
    told = {each.summary for each in report.results}
    assert told <= {"the store has no add_messages", "needs a server-backed store"} | {
        f"needs a store on {service}" for service in ("redis", "postgres")
    }


def test_a_memory_of_messages_alone_is_not_asked_about_facts() -> None:
    """Every check about facts is unsupported, and none crashes."""
    report = run(as_target(Reference, "messages"), of("facts"), Plan(workers=2))
    assert {each.verdict for each in report.results} == {Verdict.UNSUPPORTED}


def test_a_lacking_method_is_not_asked_for_the_reason_that_the_store_gives() -> None:
    """What the store can do without it is asked all the same."""
    target = as_target(WithoutModel, "without")
    assert result(target, "REC01").verdict is Verdict.UNSUPPORTED
    assert result(target, "REC01").summary == f"not asked: {WHY}"
    assert result(target, "DUP05").verdict is Verdict.HELD


def test_an_attribute_that_merely_is_called_lacking_means_nothing() -> None:
    """Only a mapping from methods to reasons is a declaration."""
    assert result(as_target(LackingSomethingElse, "else"), "REC01").verdict is Verdict.HELD


def test_a_setting_of_an_object_is_not_a_declaration() -> None:
    """Numbers and flags that a class has are; those that only its object has are its own."""

    class Client:
        """A stranger that retries, and shows its prompts a window of ten messages."""

        scoped_ids = False

        def __init__(self) -> None:
            self.retries, self.window = True, 10

    found = apply_declarations(Client(), as_target(Client))
    assert found.declared == {"scoped_ids"}


@pytest.mark.parametrize(
    ("code", "declared", "summary"),
    [
        ("REC04", {"recalls": "words"}, "it recalls by words, not by meaning"),
        ("REC15", {"filters": None}, "it has no filters"),
        ("REC17", {"filters": "equality"}, "its filters do not compare"),
    ],
)
def test_what_no_method_shows_is_asked_only_where_it_was_declared(
    code: str, declared: dict[str, Any], summary: str
) -> None:
    """By the target, where the store itself says nothing."""
    plain = type("Plain", (FactsReference,), {"filters": None})
    found = result(replace(as_target(plain, "plain"), **declared), code)
    assert (found.verdict, found.summary) == (Verdict.UNSUPPORTED, summary)


def test_every_need_can_be_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind of need has its words, in the explanation of a check that has it."""
    codes = {need.text: check.code for check in catalogue().values() for need in check.needs}
    for code in codes.values():
        explain(code)
    assert "a memory on " in " ".join(capsys.readouterr().out.split())


def test_facts_travel_between_processes() -> None:
    """Ours by their fields, a library's own by those that they have, times as times."""
    fact = Fact(id="1", user_id="ann", text="Ann plays the cello", metadata={"n": 2**60})
    (found,) = unpack(pack([Recollection(fact=fact, score=0.5)]))
    assert (found["fact"], found["score"]) == (fact.model_dump(), 0.5)
    stranger = type("Memory", (), {"id": "7", "text": "tea"})()
    assert unpack(pack(stranger))["text"] == "tea"

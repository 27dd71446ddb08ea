"""Methods that are there in name only are missing: nothing that needs one is asked of a memory."""

from collections.abc import Sequence
from typing import Any

from goldfish.catalogue.registry import catalogue
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Report, Verdict
from goldfish.history.operations import METHODS
from goldfish.messages import ChatMessage
from goldfish.targets.declaration import as_target
from tests.engine.right_memories import Dictionary, Inheriting

CODES = "CLR01 TRM01 TTL01 SNP01 REC01 FID33 STA01 SEQ01 ISO01 ORD01"


def examine(store: type[Any], codes: str) -> Report:
    """Return the report of these checks, after an interview."""
    checks = [catalogue()[code] for code in codes.split() if code in catalogue()]
    return run(open_target(as_target(store)), checks, Plan(deadline=30))


def test_a_method_that_only_raises_not_implemented_is_missing() -> None:
    """Each optional one that is asked for in the quiet; nothing is called broken for it."""
    target = open_target(as_target(Inheriting))
    assert target.interface is not None
    missing = {*target.interface.lacking}
    named = {name for name in METHODS if name in vars(Inheriting)}
    assert missing == named - {"clear_all"}
    assert not missing & {*target.interface.methods}
    report = examine(Inheriting, CODES)
    verdicts = {each.code: each.verdict for each in report.results}
    assert Verdict.BROKEN not in verdicts.values(), report
    assert verdicts["ISO01"] is Verdict.HELD
    assert verdicts["CLR01"] is Verdict.UNSUPPORTED
    (said,) = [each.summary for each in report.results if each.code == "CLR01"]
    assert "its clear raises NotImplementedError" in said


class Emptied(Dictionary):
    """A method that the interview does not ask, as it empties all."""

    def clear_all(self) -> None:
        raise NotImplementedError


class Picky(Dictionary):
    """A method that is there, and whose one parameter is not."""

    def get_history(self, session_id: str, last: int | None = None) -> list[ChatMessage]:
        if last == 1:
            raise NotImplementedError
        return super().get_history(session_id, last)

    def clear(self, session_id: str) -> None:
        if self.sessions.get(session_id):
            raise NotImplementedError
        super().clear(session_id)


def test_a_check_that_meets_one_is_unsupported() -> None:
    """What no interview saw is told by the check, as a power that the memory does not have."""
    (result,) = examine(Picky, "CLR01").results
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.summary == "its clear raises NotImplementedError"
    codes = [code for code, each in catalogue().items() if "clear_all" in str(each.needs)]
    results = examine(Emptied, " ".join(codes)).results
    assert Verdict.BROKEN not in {each.verdict for each in results}


class Refusing(Dictionary):
    """A memory that does not take every message."""

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        if len(messages) > 1:
            raise NotImplementedError("one at a time")
        super().add_messages(session_id, messages)


def test_a_method_that_a_memory_needs_is_not_excused() -> None:
    """Without it there is nothing to check."""
    assert Verdict.BROKEN in {each.verdict for each in examine(Refusing, "ISO01 ORD01").results}

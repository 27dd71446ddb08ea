"""What a memory does when asked quietly is what it is held to; a bug is found all the same."""

import json
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish.catalogue.registry import catalogue
from goldfish.cli import run_command
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan, run
from goldfish.errors import TargetError
from goldfish.findings.result import Report, Verdict
from goldfish.messages import ChatMessage
from goldfish.specimens import gallery
from goldfish.targets.declaration import Target, as_target
from tests.engine.right_forms import (
    Bot,
    Chats,
    Limited,
    Notes,
    Page,
    Scalars,
    Slots,
    Slugs,
    Tabled,
)
from tests.engine.right_memories import (
    Alphabet,
    Constrained,
    Dictionary,
    Dumped,
    Exclusive,
    Facts,
    Files,
    Global,
    Loose,
    Paged,
    Pairs,
    Positive,
    Queued,
    Registered,
    Rewinding,
    Rounds,
    Sliding,
    Sourced,
    Stamping,
    Strict,
    TwoColumns,
    TwoSpeakers,
    Typed,
    Unique,
    Windowed,
    Wrapped,
)

# The checks that hang on a trait, beside some that hang on none.
ABOUT_MESSAGES = (
    *("ISO02", "ISO04", "ISO06", "ISO14", "ORD01", "ORD14", "FID09", "FID10", "FID11", "FID12"),
    *("FID13", "FID14", "FID15", "FID20", "FID21", "FID24", "FID26", "FID28", "FID30", "FID61"),
    *("DUP01", "DUP02", "DUP03", "DUR01", "DUR02"),
)
ABOUT_FACTS = (
    *("ISO23", "ISO25", "ISO27", "FID33", "FID35", "DUP06", "DUP10", "DUP11", "REC01", "REC03"),
    *("REC14", "REC15", "REV07"),
)
RIGHT: dict[type[Any], set[str]] = {
    Dictionary: {"retries", "claims"},
    Files: {"carries", "retries"},
    TwoColumns: {"carries", "retries", "strict_last"},
    Alphabet: {"carries", "retries", "strict_last", "any_ids"},
    Dumped: {"first_contents", "strict_last"},
    Typed: {"retries", "strict_last"},
    Wrapped: {"carries", "retries"},
    Facts: {"equal_facts", "filters", "scoped_ids", "facts_in_order"},
    Unique: set(),
}
# Memories with other ways, each with what it does not do and checks that would blame it for that.
PARTICULAR: dict[type[Any], tuple[set[str], str]] = {
    Registered: (
        {"first_contents", "strict_last", "empty_unknowns", "ttl_or_none"} | {"empty_deadlines"},
        "ISO01 CLR02 LIV01 TTL12 TTL15",
    ),
    Sliding: (
        {"first_contents", "strict_last", "ttl_or_none", "empty_deadlines"}
        | {"idle_reads", "idle_writes"},
        "TTL01 TTL06 TTL07 TTL12",
    ),
    Windowed: (
        {"carries", "retries", "strict_last", "window", "blank_contents", "large_contents"},
        "FID05 FID07 FID29 LIV60 ORD02",
    ),
    Paged: (
        {"carries", "retries", "strict_last", "last_zero", "trim_counts", "strict_trim"},
        "ORD01 ORD13 TRM01 TRM02 TRM10 SEQ02",
    ),
    Rewinding: (
        {"carries", "retries", "cleared_snapshots", "later_snapshots"},
        "SNP01 SNP03 SNP09 SNP30 SEQ04",
    ),
    Positive: ({"carries", "retries", "last_zero"}, "ORD11 ORD13 ORD14 CON09"),
    Pairs: ({"carries", "retries"}, "ORD01 ISO02 FID09 CLR18"),
    Constrained: (
        {"carries", "retries", "strict_last", "blank_contents", "large_contents", "tool_messages"},
        "DUR36 FID05 FID07 FID09 FID27 FID31 ORD10",
    ),
    Strict: (
        {"first_contents", "strict_last", "any_message_ids", "deep_metadata"},
        "CLR11 DUP03 DUP04 DUR08 FID10 FID15 FID20 FID30 ISO19 LIV01 ORD03 ORD05 ORD07",
    ),
    TwoSpeakers: (
        {"carries", "retries", "strict_last", "system_messages", "tool_messages"},
        "CLR01 DUR08 FID09 FID20 FID30 ORD09 ORD10",
    ),
    Loose: (
        {
            *("equal_facts", "facts_in_order"),
            *("verbatim_facts", "prompt_facts", "steady_fact_ids"),
        },
        "FID32 REC03 REV01 REV05",
    ),
    Exclusive: ({"carries", "retries", "openings_beside"}, "DUR03 DUR04 DUR07 CON01 CON04 CON08"),
    Global: ({"retries", "claims"}, "DUR03 DUR12 DUR16 CON01 ORD01"),
    Rounds: ({"carries", "retries", "window"}, "SEQ01 ORD01 DUR02"),
    Stamping: (
        {"first_contents", "strict_last", "plain_metadata", "empty_unknowns"},
        "CLR10 FID15 FID20",
    ),
    Sourced: ({"plain_metadata"}, "DUP10 DUP14 FID33 FID34 FID62 REV03"),
    Chats: (
        {"carries", "retries", "strict_last", "text_ids"},
        "ISO01 ISO03 ISO15 ISO19 CLR01 CLR17 CLR18 CLR19 CON01 DUR02",
    ),
    Bot: (
        {"carries", "retries", "strict_last", "text_ids"},
        "ISO01 ISO11 ISO17 CLR17 ORD01 DUR02 LIV11",
    ),
    Tabled: (
        {"carries", "retries", "aware_times", "snapshots_in_order"},
        "FID11 FID20 ORD01 SNP01 SNP06 SNP07 SNP08 SNP11 SNP21 DUR02",
    ),
    Slugs: (
        {"carries", "retries", "aware_times", "snapshots_in_order", "any_ids"},
        "FID11 ISO08 SNP06 SNP11",
    ),
    Page: (set(), "ISO23 ISO25 ISO27 FID33 FID34 REC01 REV05 DUR23"),
    Limited: (
        {"high_limits", "large_contents"},
        "FID32 FID33 REC01 REC07 REC09 REC10 REC12 REC13",
    ),
    Scalars: (
        {"carries", "retries", "strict_last", "any_ids", "deep_values"},
        "FID40 FID41 FID43 FID44 FID45 FID46 ISO40 SEQ06",
    ),
    Slots: ({"carries", "retries", "strict_last", "any_ids"}, "ISO40 ISO43 FID41"),
    Notes: ({"text_ids"}, "ISO23 ISO24 ISO27 ISO28 FID33 REC01 REV05 DUR23 DUR29"),
    Queued: ({"equal_facts", "facts_in_order", "prompt_facts", "scoped_ids"}, "DUR23 DUR45"),
}


def examine(target: Target, *codes: str) -> Report:
    """Return the report of these checks, after an interview."""
    checks = [catalogue()[code] for code in codes]
    return run(open_target(target), checks, Plan(deadline=30))


def blame(report: Report) -> dict[str, str | None]:
    """Return the finding of each check that is broken or unknown."""
    unkind = {Verdict.BROKEN, Verdict.UNKNOWN}
    return {each.code: each.finding for each in report.results if each.verdict in unkind}


@pytest.mark.parametrize("store", RIGHT)
def test_a_right_memory_is_not_blamed_and_told_once_what_it_does_not_do(store: type[Any]) -> None:
    """Without any declaration."""
    codes = ABOUT_FACTS if issubclass(store, Facts) else ABOUT_MESSAGES
    report = examine(as_target(store), *codes)
    assert {each.trait for each in report.absences} == RIGHT[store]
    assert blame(report) == {}


@pytest.mark.parametrize("store", PARTICULAR)
def test_a_right_memory_with_ways_of_its_own_is_understood(store: type[Any]) -> None:
    """What it says otherwise is translated, and what it does not do is told once."""
    absences, codes = PARTICULAR[store]
    report = examine(as_target(store), *codes.split())
    assert {each.trait for each in report.absences} == absences
    assert blame(report) == {}


class KeepsNothing(Files):
    """Returns from a save without saving."""

    def load(self, file: Path) -> Any:
        return []


class LosesFields(Dumped):
    """Drops the metadata of a message that calls a tool."""

    def add_messages(self, session_id: str, messages: Any) -> None:
        kept = [
            each.model_copy(update={"metadata": {}}) if each.tool_calls else each
            for each in messages
        ]
        super().add_messages(session_id, kept)


class SoonForgotten(Dumped):
    """Knows the ids of the last ten messages only."""

    def add_messages(self, session_id: str, messages: Any) -> None:
        every = {each.id for each in self.get_history(session_id)}
        known = {each.id for each in self.get_history(session_id, last=10)}
        late = {each.id for each in messages} & every - known
        news = [each for each in messages if each.id not in known]
        marked = [
            each.model_copy(update={"id": f"{each.id}'"}) if each.id in late else each
            for each in news
        ]
        super().add_messages(session_id, marked)


class Forgetful(Files):
    """Has a folder, and keeps its messages elsewhere: in the process."""

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.held = Dictionary(sandbox)

    def add_messages(self, session_id: str, messages: Any) -> None:
        self.held.add_messages(session_id, messages)

    def get_history(self, session_id: str) -> Any:
        return self.held.get_history(session_id)


class Confusing(Alphabet):
    """Takes plain ids, and two of them for one."""

    def add_messages(self, session_id: str, messages: Any) -> None:
        super().add_messages(session_id.casefold(), messages)

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        return super().get_history(session_id.casefold(), last=last)


class Misplaced(Registered):
    """Takes ids that differ in capital letters for one, and says "unknown" of others."""

    def get_history(self, session_id: str, *, last: int | None = -1) -> list[ChatMessage]:
        return super().get_history(session_id.lower(), last=last)


class Leaking(Unique):
    """Looks at the user when a fact is read, and not when it is forgotten."""

    def forget(self, user_id: str, fact_id: str) -> None:
        self.db.execute("DELETE FROM facts WHERE id = ?", (fact_id,))


class Shortening(Rewinding):
    """Remembers how much there was: a rollback takes away what is newer, for ever."""

    def rollback_to_snapshot(self, session_id: str, label: str) -> None:
        count = len(self.saved[session_id][label])
        with self.locked(session_id) as file:
            file.write_text(json.dumps(self.load(file)[:count]))


WRONG = [
    (KeepsNothing, "ORD01", "lost"),
    (LosesFields, "FID20", "corrupted"),
    (SoonForgotten, "DUP01", "duplicated"),
    (Forgetful, "DUR02", "lost"),
    (Confusing, "ISO03", "leaked"),
    (Leaking, "ISO27", "lost"),
    (Misplaced, "ISO03", "leaked"),
    (Facts, "DUP05", "duplicated"),
    (Shortening, "SNP03", "lost"),
]


@pytest.mark.parametrize(("store", "code", "finding"), WRONG)
def test_a_bug_is_found_beside_what_a_memory_does_not_do(
    store: type, code: str, finding: str
) -> None:
    """What fails only sometimes, or only here and there, is not a trait."""
    assert blame(examine(as_target(store), code)) == {code: finding}


def test_a_fact_that_was_never_kept_says_nothing_of_who_may_forget_it() -> None:
    """Nor of how it may be spelled: another user was told it before."""
    report = examine(gallery()["facts-of-whoever"].target, "DUP06", "DUP09")
    assert "scoped_ids" not in {each.trait for each in report.absences}
    assert blame(report) == {"DUP09": "lost"}


def test_equal_facts_that_are_kept_apart_are_one_finding() -> None:
    """The others that hang on it are unsupported."""
    codes = ("DUP05", "DUP06", "DUP07", "DUP10", "DUP11")
    assert blame(examine(as_target(Facts), *codes)) == {"DUP05": "duplicated"}
    assert blame(examine(goldfish.target(lacks={"equal_facts"})(Facts), *codes)) == {}


def test_a_declaration_wins_over_the_interview() -> None:
    """In both directions, also where the trait has no argument of its own."""
    held = goldfish.target(retries=True, has={"strict_last"})(TwoColumns)
    report = examine(held, "DUP01", "ORD14", "FID12")
    assert blame(report) == {"DUP01": "duplicated", "ORD14": "wrong"}
    assert [each.trait for each in report.absences] == ["carries"]
    excused = goldfish.target(lacks={"equal_facts"})(Unique)
    assert "equal_facts" not in {each.trait for each in examine(excused, "DUP11").absences}


def test_each_absence_names_the_declaration_that_would_hold_a_memory_to_it() -> None:
    """As it is written on a target."""
    told = {each.trait: each.declaration for each in open_target(as_target(Facts)).absences}
    assert told["scoped_ids"] == "@goldfish.target(scoped_ids=True)"
    assert told["facts_in_order"] == "@goldfish.target(has={'facts_in_order'})"


@pytest.mark.parametrize("name", ["memory", "sqlite"])
def test_our_own_stores_have_every_trait(name: str) -> None:
    """Asked as strangers, without their declarations."""
    from goldfish.targets.names import resolve

    asked = as_target(resolve(name).factory, name)
    assert {each.trait for each in open_target(asked).absences} <= {"claims"}


class Unserialisable(Files):
    """Its author forgot that a set is not JSON, whatever the messages are."""

    def add_messages(self, session_id: str, messages: Any) -> None:
        with self.locked(session_id) as file:
            file.write_text(json.dumps({"said": {len(messages)}}))


class Shapeless(Files):
    """Returns the numbers of words alone."""

    def get_history(self, session_id: str) -> Any:
        return [len(each["content"]) for each in super().get_history(session_id)]


def test_a_first_write_that_fails_ends_the_run_with_the_users_line() -> None:
    """One message says what failed, where, and what was expected."""
    with pytest.raises(TargetError, match=r"add_messages.*TypeError.*test_interview\.py.*Expected"):
        open_target(as_target(Unserialisable))


def test_a_first_read_that_returns_no_messages_ends_the_run() -> None:
    """With what came back, and what was expected."""
    with pytest.raises(TargetError, match="returned a list of int"):
        open_target(as_target(Shapeless))


def test_a_run_that_ends_at_first_contact_exits_with_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And says so once."""
    code = run_command(["check", f"{__file__}:Unserialisable", "--only", "ORD01"])
    said = capsys.readouterr().err
    assert code == 2
    assert said.count("Unserialisable") == 1

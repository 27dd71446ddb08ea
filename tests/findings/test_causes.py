"""Findings with one mechanism are one cause: grouped by evidence, and told by the simplest."""

from dataclasses import replace

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.findings.causes import Mechanism, find_causes
from goldfish.findings.reason import Reason
from goldfish.findings.result import Result, Verdict
from goldfish.history import Call
from goldfish.history.excerpt import Excerpt, make_excerpt
from goldfish.history.origin import Frame, Origin

AT_ONCE = "at once, processes, reopened"


def broken(
    code: str, finding: str, conditions: str = "", line: int = 0, message: str = ""
) -> Result:
    """A broken promise, under these conditions, with an error in this line if there is one."""
    place = Frame("memory.py", line, "add_messages")
    origin = Origin("TypeError", message, "add_messages", place, place) if line else None
    result = Result(code, "a_name", "A promise.", Verdict.BROKEN, Reason.stated("x"), finding)
    asked = frozenset(filter(None, conditions.split(", ")))
    is_basic = catalogue()[code].basic
    return replace(result, origin=origin, conditions=asked, is_basic=is_basic)


def group(*results: Result) -> list[tuple[Mechanism, tuple[str, ...]]]:
    """Return the mechanism and the codes of each cause."""
    return [(cause.mechanism, cause.codes) for cause in find_causes(results)]


def test_one_line_that_raises_is_one_cause() -> None:
    """Whatever each check was about; an error in another line is another cause."""
    results = [
        broken("ISO01", "refused", line=12),
        broken("DUR02", "refused", "reopened", line=12),
        broken("CON01", "refused", AT_ONCE, line=12),
        broken("FID01", "refused", line=80),
    ]
    assert group(*results) == [
        (Mechanism.ERROR, ("ISO01", "DUR02", "CON01")),
        (Mechanism.ERROR, ("FID01",)),
    ]


def test_an_error_that_one_call_meets_alone_is_not_a_races() -> None:
    """A limit that is refused is refused among others too."""
    results = [
        broken("ORD13", "refused", "last", line=23),
        broken("CON09", "refused", f"{AT_ONCE}, last", line=23),
        broken("CON02", "torn", AT_ONCE),
    ]
    assert group(*results) == [
        (Mechanism.ERROR, ("ORD13", "CON09")),
        (Mechanism.RACE, ("CON02",)),
    ]


def test_an_order_that_is_wrong_alone_is_not_a_races() -> None:
    """The last messages in reverse are in reverse among others too."""
    results = [
        broken("ORD11", "reordered", "last"),
        broken("CON09", "reordered", AT_ONCE),
        broken("CON17", "torn", AT_ONCE),
        broken("CON01", "lost", AT_ONCE),
    ]
    assert group(*results) == [
        (Mechanism.BASE, ("ORD11", "CON09", "CON17")),
        (Mechanism.RACE, ("CON01",)),
    ]


def test_an_error_after_a_full_disk_does_not_explain_a_race() -> None:
    """Though both leave half a file, of which each read says the same."""
    results = [
        broken("FLT24", "wedged", "harmed, processes", line=16),
        broken("CON01", "lost", AT_ONCE),
        broken("CON02", "refused", AT_ONCE, line=16),
    ]
    assert group(*results) == [
        (Mechanism.ERROR, ("FLT24",)),
        (Mechanism.RACE, ("CON01", "CON02")),
    ]


def test_what_one_method_leaves_behind_is_one_cause_wherever_it_is_met() -> None:
    """The same words after the same method; without that method they are about something else."""
    nested = "cannot start a transaction within a transaction"
    results = [
        broken("CLR09", "refused", "delete_messages", line=36, message=nested),
        broken("CLR16", "refused", "delete_messages, trim", line=52, message=nested),
        broken("TTL01", "refused", "set_ttl", line=68, message=nested),
    ]
    assert group(*results) == [
        (Mechanism.ERROR, ("CLR09", "CLR16")),
        (Mechanism.ERROR, ("TTL01",)),
    ]


def test_an_order_does_not_explain_what_is_not_refused() -> None:
    """Though both promises are about snapshots, and call the same methods."""
    results = [
        broken("SNP11", "reordered", "list_snapshots, save_snapshot"),
        broken("SNP19", "reordered", "list_snapshots, save_snapshot, reopened"),
        broken("SNP07", "swallowed", "rollback_to_snapshot, save_snapshot"),
    ]
    assert [codes for _, codes in group(*results)] == [("SNP11", "SNP19"), ("SNP07",)]


def test_a_race_that_shows_under_kills_is_the_race() -> None:
    """What breaks without the kill is not the kill's; the fewest circumstances tell it best."""
    results = [
        broken("DUR16", "lost", f"{AT_ONCE}, killed"),
        broken("CON01", "lost", AT_ONCE),
        broken("CON02", "torn", AT_ONCE),
        broken("FLT13", "lost", f"{AT_ONCE}, harmed"),
    ]
    assert group(*results) == [(Mechanism.RACE, ("CON01", "DUR16", "CON02", "FLT13"))]


def test_a_race_keeps_what_an_odd_value_might_explain() -> None:
    """A trim to a negative number is one bug, and calls at once that lose messages another."""
    results = [
        broken("TRM10", "wrong", "trim"),
        broken("CON01", "lost", AT_ONCE),
        broken("CON12", "lost", f"{AT_ONCE}, trim"),
    ]
    assert [codes for _, codes in group(*results)] == [("TRM10",), ("CON01", "CON12")]
    assert len(group(broken("TRM06", "lost", "trim"), results[2])) == 1


def test_a_memory_that_is_empty_after_every_reopening_has_one_cause() -> None:
    """All that reopens hangs on it, also what several processes do at once."""
    results = [
        broken("DUR02", "lost", "reopened"),
        broken("DUR12", "lost", "reopened, processes, killed"),
        broken("CON01", "lost", AT_ONCE),
        broken("SNP19", "wrong", "reopened, save_snapshot"),
    ]
    assert group(*results) == [(Mechanism.OPENING, ("DUR02", "DUR12", "CON01", "SNP19"))]


def test_facts_are_not_explained_by_what_breaks_with_facts_only() -> None:
    """A race of facts and one of messages are different code."""
    results = [
        broken("CON01", "lost", AT_ONCE),
        broken("CON18", "torn", f"{AT_ONCE}, remember, list_facts"),
    ]
    assert len(group(*results)) == 2


def test_facts_that_are_told_and_listed_have_no_more_in_common() -> None:
    """Metadata that is dropped and a filter that is wrong are two bugs."""
    calls = "list_facts, remember"
    assert len(group(broken("FID62", "corrupted", calls), broken("REC16", "wrong", calls))) == 2


def test_what_is_not_recalled_at_all_is_not_lost_by_a_fault() -> None:
    """Nor by a reopening: the fact was not found before either."""
    results = [
        broken("DUR23", "lost", "remember, recall, list_facts, reopened"),
        broken("FLT31", "lost", "remember, recall, list_facts, reopened, harmed"),
        broken("REC01", "lost", "remember, recall"),
        broken("REV01", "wrong", "remember, recall, revise"),
    ]
    assert group(*results) == [(Mechanism.BASE, ("REC01", "DUR23", "FLT31", "REV01"))]


def test_odd_values_explain_nothing_but_their_like() -> None:
    """A store that drops empty messages, and loses others in a race, has two bugs."""
    results = [broken("FID07", "lost"), broken("CON01", "lost", AT_ONCE)]
    assert len(group(*results)) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("TTL04", "lost", "set_ttl"), ("TTL12", "wrong", "get_ttl, set_ttl")),
        (("REC09", "wrong", "recall, remember"), ("REC10", "lost", "recall, remember")),
        (("ORD04", "reordered", ""), ("FID30", "reordered", "")),
        (("TTL06", "stale", "get_ttl, set_ttl"), ("SEQ03", "stale", "clear, set_ttl, trim")),
        (("TRM01", "lost", "trim"), ("DUR06", "lost", "reopened, trim")),
        (("DUR05", "stale", "clear, reopened"), ("CLR08", "stale", "clear_all, reopened")),
    ],
)
def test_one_bug_that_shows_in_two_ways_is_one_cause(
    first: tuple[str, str, str], second: tuple[str, str, str]
) -> None:
    """In one family, by one method, or as one telling symptom."""
    assert len(group(broken(*first), broken(*second))) == 1


def test_what_another_check_said_shows_that_state_crosses_sandboxes() -> None:
    """Each check has a storage of its own: nothing of another can be there honestly."""
    read = Call("here1", "s", "read", None, ("[DUR02-3] hello",), 0.0, 1.0, place="here1")
    leak = replace(broken("ISO01", "phantom"), excerpt=make_excerpt([read], (), ()))
    results = [replace(leak, code=code) for code in ("ISO01", "ORD01", "TRM02")]
    assert group(*results) == [(Mechanism.CROSSING, ("ISO01", "ORD01", "TRM02"))]


def test_retries_that_end_in_different_ways_are_one_cause() -> None:
    """A message that is written over is out of place, and has other contents."""
    results = [broken("DUP01", "reordered"), broken("DUP02", "corrupted")]
    assert group(*results) == [(Mechanism.BASE, ("DUP02", "DUP01"))]


def test_reads_of_the_last_messages_that_are_wrong_alone_are_no_race() -> None:
    """Whatever a read of the last messages then returns, callers at once are not to blame."""

    def shown(result: Result, last: int | None) -> Result:
        read = Call("here1", "ann", "read", last, ("a", "b"), 0.0, 1.0, place="here1")
        return replace(result, excerpt=make_excerpt([read], (), ()))

    first = shown(broken("ORD11", "wrong"), 1)
    race = broken("CON17", "resurrected", "at once, trim")
    assert group(first, shown(race, 2)) == [(Mechanism.BASE, ("ORD11", "CON17"))]
    assert len(group(first, shown(race, None))) == 2


def test_a_race_is_told_by_its_loss_in_the_fewest_calls() -> None:
    """A check that was refused never came to its reads: that does not make it the simpler one."""
    call = Call("here1", "ann", "remember", "Ann was in Rome", None, 0.0, 1.0, place="here1")
    shown = {"CON18": 3, "CON19": 11, "CON23": 1}
    results = [
        broken("CON18", "lost", f"{AT_ONCE}, remember, list_facts"),
        broken("CON19", "lost", "at once, remember, list_facts"),
        broken("CON23", "refused", "at once, remember"),
    ]
    results = [
        replace(each, excerpt=make_excerpt([call] * shown[each.code], (), ())) for each in results
    ]
    assert group(*results) == [(Mechanism.RACE, ("CON18", "CON19", "CON23"))]


def test_half_a_file_is_one_cause_whatever_cut_the_write_short() -> None:
    """A kill or a full disk; a database that is asked both has transactions to be told apart."""
    killed, full = "killed, cut short, processes, reopened", "harmed, cut short, reopened"
    results = [
        broken("DUR16", "lost", f"{killed}, at once"),
        broken("DUR36", "refused", killed, line=33),
        broken("FLT24", "swallowed", full),
        broken("FLT34", "wedged", full, line=22),
        broken("FLT25", "swallowed", "harmed, reopened"),
    ]
    in_files = group(*[replace(each, backend="files") for each in results])
    assert [codes for _, codes in in_files] == [("DUR36", "DUR16", "FLT24", "FLT34"), ("FLT25",)]
    in_sqlite = group(*[replace(each, backend="sqlite") for each in results])
    assert not any({"DUR36", "FLT34"} <= set(codes) for _, codes in in_sqlite)


def test_what_breaks_by_a_kill_or_a_fault_alone_is_no_race() -> None:
    """However many called at once; and a connection that never comes back is one cause."""
    assert group(broken("DUR16", "lost", f"{AT_ONCE}, killed")) == [(Mechanism.ALONE, ("DUR16",))]
    results = [
        broken("FLT01", "wedged", "harmed", line=7),
        broken("FLT13", "refused", f"{AT_ONCE}, harmed", line=29),
    ]
    assert group(*results) == [(Mechanism.ERROR, ("FLT01", "FLT13"))]


def test_facts_that_another_user_was_told_before_are_one_cause() -> None:
    """A fact that nobody else was told is lost for another reason."""

    def excerpt(*users: str) -> Excerpt:
        told = [Call("here1", user, "remember", "Ann is in", None, 0.0, 1.0) for user in users]
        read = Call("here1", users[-1], "list_facts", None, (), 2.0, 3.0)
        return make_excerpt([*told, read], ["Ann is in"], ())

    asked = "remember, list_facts"
    results = [
        replace(broken("DUP09", "lost", asked), excerpt=excerpt("ann", "ben")),
        replace(broken("FLT31", "lost", f"{asked}, reopened"), excerpt=excerpt("cem", "dan")),
        replace(broken("DUR21", "lost", f"{asked}, reopened"), excerpt=excerpt("eve")),
    ]
    assert [codes for _, codes in group(*results)] == [("DUP09", "FLT31"), ("DUR21",)]


def test_what_is_written_late_explains_what_is_out_of_order() -> None:
    """A task that nobody awaits may do either; a wrong order makes no write late."""
    results = [broken("ORD08", "reordered"), broken("ORD01", "stale"), broken("DUR02", "lost")]
    assert [codes[0] for _, codes in group(*results)] == ["ORD01"]


def test_an_opening_that_answers_from_a_copy_is_told_as_such() -> None:
    """A check that does not look again calls it lost; what is lost in the quiet comes before."""
    results = [broken("DUR07", "lost", "reopened"), broken("DUR04", "stale", "reopened")]
    assert group(*results) == [(Mechanism.OPENING, ("DUR04", "DUR07"))]
    results.append(broken("ORD01", "lost"))
    assert group(*results) == [(Mechanism.BASE, ("ORD01", "DUR07", "DUR04"))]


def test_a_batch_in_several_steps_is_one_cause() -> None:
    """Whether a kill, a full disk or another writer comes between them."""
    results = [
        broken("DUR36", "torn", "killed, cut short, processes, reopened"),
        broken("CON02", "torn", AT_ONCE),
        broken("FLT34", "torn", "harmed, cut short, processes, reopened"),
    ]
    assert [codes for _, codes in group(*results)] == [("DUR36", "CON02", "FLT34")]


def test_what_a_read_returns_does_not_explain_that_an_opening_fails() -> None:
    """Though the read takes less to go wrong."""
    refused = broken("CON07", "refused", line=14)
    assert refused.origin is not None
    refused = replace(refused, origin=replace(refused.origin, method="opening"))
    results = [broken("FID27", "corrupted"), refused]
    assert len(group(*results)) == 2


def test_openings_that_fail_at_once_do_not_explain_what_the_others_lose() -> None:
    """They explain that another opening fails, and nothing that a call had been told."""
    refused = broken("CON07", "refused", AT_ONCE, line=14)
    assert refused.origin is not None
    refused = replace(refused, origin=replace(refused.origin, method="opening"))
    torn = broken("FLT13", "torn", f"{AT_ONCE}, harmed")
    assert group(refused, replace(refused, code="CON08"), torn) == [
        (Mechanism.RACE, ("CON07", "CON08")),
        (Mechanism.ALONE, ("FLT13",)),
    ]


def test_a_race_is_told_by_a_promise_about_races() -> None:
    """A promise about kills would suggest another cause, in however few calls it breaks."""
    call = Call("here1", "ann", "add", ("a",), None, 0.0, 1.0, place="here1")
    results = [
        replace(broken(code, "lost", AT_ONCE), excerpt=make_excerpt([call] * count, (), ()))
        for code, count in (("DUR16", 2), ("CON01", 3), ("CON03", 4))
    ]
    assert group(*results) == [(Mechanism.RACE, ("CON01", "DUR16", "CON03"))]


def test_a_kill_does_not_explain_a_race() -> None:
    """A batch that a kill cuts, and messages that writers overwrite without one, are two bugs."""
    results = [
        broken("DUR16", "lost", AT_ONCE),
        broken("DUR36", "torn", "killed, processes, reopened"),
        broken("CON01", "lost", AT_ONCE),
        broken("CON02", "torn", AT_ONCE),
    ]
    assert group(*results) == [
        (Mechanism.ALONE, ("DUR36",)),
        (Mechanism.RACE, ("CON01", "DUR16", "CON02")),
    ]


def test_a_kill_explains_what_breaks_among_others_with_a_kill_only() -> None:
    """Whoever else called at that moment."""
    results = [
        broken("DUR17", "lost", f"{AT_ONCE}, killed"),
        broken("DUR36", "lost", "killed, processes, reopened"),
    ]
    assert group(*results) == [(Mechanism.BASE, ("DUR36", "DUR17"))]


def test_a_batch_that_is_stored_in_parts_is_one_cause() -> None:
    """Whether a kill, a refusal or another writer comes between its parts."""
    results = [
        broken("DUR36", "torn", "killed, processes, reopened"),
        broken("CON01", "refused", AT_ONCE, line=12),
        broken("CON02", "torn", AT_ONCE),
        broken("FID22", "torn"),
    ]
    assert group(*results) == [
        (Mechanism.BASE, ("DUR36", "CON02", "FID22")),
        (Mechanism.RACE, ("CON01",)),
    ]


def test_a_race_is_told_by_a_promise_about_callers_at_once() -> None:
    """One about kills that broke without a kill, in fewer calls, would name the wrong culprit."""
    call = Call("w1", "s", "add", ("a",), None, 0.0, 1.0, place="w1")
    results = [
        replace(broken(code, "lost", AT_ONCE), excerpt=make_excerpt([call] * count, (), ()))
        for code, count in (("DUR16", 3), ("CON01", 4))
    ]
    assert group(*results) == [(Mechanism.RACE, ("CON01", "DUR16"))]


@pytest.mark.parametrize(
    ("finding", "codes"), [("reordered", ("ORD01", "ISO01")), ("corrupted", ("FID02", "ORD07"))]
)
def test_a_cause_is_told_by_the_family_that_is_about_it(
    finding: str, codes: tuple[str, ...]
) -> None:
    """Where others take as little, wherever they stand in the catalogue."""
    for order in (codes, codes[::-1]):
        assert group(*(broken(code, finding) for code in order)) == [(Mechanism.BASE, codes)]


def test_an_agent_that_hides_errors_of_its_model_loses_nothing_by_that() -> None:
    """What it forgets when the model answers has another cause."""
    lost = [broken("CTX27", "lost", "at once, say"), broken("CTX31", "lost", "at once, say")]
    hidden = [broken("CTX36", "swallowed", "say"), broken("CTX44", "swallowed", "say")]
    causes = {codes for _, codes in group(*lost, *hidden)}
    assert causes == {("CTX27", "CTX31"), ("CTX36", "CTX44")}


def test_a_window_that_nobody_declared_does_not_explain_a_race() -> None:
    """What is lost in a long conversation, and what two turns at once lose in a short one."""
    race = [broken("CTX29", "lost", "at once, say"), broken("CTX30", "lost", "at once, say")]
    causes = {codes for _, codes in group(broken("CTX12", "lost", "say"), *race)}
    assert causes == {("CTX12",), ("CTX29", "CTX30")}
    causes = {codes for _, codes in group(broken("CTX01", "lost", "say"), *race)}
    assert causes == {("CTX01", "CTX29", "CTX30")}


def test_a_merge_patch_of_state_is_one_cause() -> None:
    """It keeps what a new dict lacks and removes what is null; a name that is lost is another."""
    results = [
        broken("FID41", "corrupted", "set_state"),
        broken("FID43", "lost", "set_state"),
        broken("SEQ05", "lost", "set_state"),
    ]
    assert group(*results) == [(Mechanism.BASE, ("FID43", "FID41", "SEQ05"))]


def test_a_memory_that_stops_answering_without_a_fault_does_so_after_one() -> None:
    """A lock that a failed call keeps is the same after a full disk; the reverse says less."""
    results = [
        broken("ISO14", "wedged"),
        broken("FLT24", "wedged", "harmed, processes", line=16),
        broken("CON01", "lost", AT_ONCE),
    ]
    assert group(*results) == [
        (Mechanism.BASE, ("ISO14", "FLT24")),
        (Mechanism.RACE, ("CON01",)),
    ]

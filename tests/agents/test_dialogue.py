"""What a report keeps of a conversation: the prompts, and what is wrong with each."""

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result
from goldfish.history.dialogue import AGAIN, FOREIGN, FORGOTTEN, MISSING, NO_RESULT, ShownTurn
from goldfish.targets.names import resolve


def judge(specimen: str, code: str) -> Result:
    """Return what one check finds about one specimen."""
    (result,) = run(resolve(f"specimen:{specimen}"), [catalogue()[code]], Plan(seed=1)).results
    return result


def find_turns(specimen: str, code: str) -> tuple[ShownTurn, ...]:
    dialogue = judge(specimen, code).dialogue
    assert dialogue is not None
    return dialogue.turns


def list_flags(turn: ShownTurn) -> list[str]:
    return [each.flag for each in turn.messages if each.flag]


def test_a_lost_message_is_missing_at_its_place_in_the_first_prompt_without_it() -> None:
    """And in no prompt before that one."""
    turns = find_turns("agent-forgets-the-first-turn", "CTX01")
    assert [len(turn.missing) for turn in turns] == [0, 0, 0, 0, 0, 1, 2]
    system, gone, *_ = turns[5].messages
    assert (system.role, gone.flag, gone.turn) == ("system", MISSING, 1)
    assert gone.text == turns[0].text


def test_a_killed_tool_shows_the_kill_the_call_without_its_result_and_the_refusal() -> None:
    """Of the turn after the kill."""
    turns = find_turns("agent-call-without-result", "CTX33")
    assert turns[1].faults == ("kill worker1",)
    assert turns[1].outcome == "unknown"
    assert list_flags(turns[2]) == [NO_RESULT]
    assert "must be followed by tool messages" in turns[2].refusal


def test_words_of_another_session_are_a_row_of_their_own() -> None:
    """With the session in which they were said."""
    dialogue = judge("agent-one-history", "CTX07").dialogue
    assert dialogue is not None
    foreign, *own = dialogue.said
    assert foreign.session.endswith("-2")
    assert not any(each.session for each in own)
    assert [turn.wrong for turn in dialogue.turns] == [(), (0,), (0,)]
    assert list_flags(dialogue.turns[1]) == [FOREIGN]


def test_what_is_there_twice_and_what_was_forgotten_are_marked() -> None:
    """From the turn on in which it is wrong."""
    twice = find_turns("agent-injects-anew", "CTX03")
    assert [AGAIN in list_flags(turn) for turn in twice[:4]] == [False, False, True, True]
    back = find_turns("agent-forgets-questions-only", "CTX49")
    assert [list_flags(turn) for turn in back] == [[], [], [], [FORGOTTEN], [FORGOTTEN]]


def test_a_system_prompt_that_scrolls_out_is_missing_and_few_of_many_turns_are_shown() -> None:
    """Those around the turn that lost it among them."""
    turns = find_turns("agent-system-scrolls-out-late", "CTX14")
    assert len(turns) == 14
    first = next(turn for turn in turns if turn.missing)
    assert first.messages[0].flag == MISSING
    assert first.number - 1 in {turn.number for turn in turns}


def test_a_prompt_that_only_grows_is_stable_from_its_beginning() -> None:
    """Each prompt begins with all of the one before."""
    figures = judge("agent-forgets-its-answers", "CTX54").figures
    assert figures is not None
    sizes = [size for _, size, _ in figures.prompts]
    assert len(sizes) == 12
    assert [stable for _, _, stable in figures.prompts] == [0, *sizes[:-1]]

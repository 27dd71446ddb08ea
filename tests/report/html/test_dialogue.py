"""The prompts of an agent on the page: what was said, what a prompt lacks, and since when."""

from dataclasses import replace

from goldfish.engine.baseline import Account
from goldfish.findings.result import Report
from goldfish.history.dialogue import Dialogue
from goldfish.history.metrics import Figures
from goldfish.report.html import render_html
from goldfish.report.html.dialogue import render_dialogue
from goldfish.report.json import parse_reports, render_json
from tests.report.html.reading import Seen, parsed
from tests.report.html.stories import FORGETFUL, HELD, LOST, broken

FOUND = replace(broken("CTX01", "lost", LOST), dialogue=FORGETFUL)


def draw(dialogue: Dialogue = FORGETFUL) -> Seen:
    """Return the part of a page that shows a dialogue."""
    return parsed(render_dialogue(dialogue, "it is lost"))


def test_each_turn_has_what_was_said_its_prompt_and_what_came_of_it() -> None:
    """With the tools that were called, the provider's refusal, and the kill after it."""
    told = draw().text
    for words in (
        "Turn 1, worker1: answered",
        "kill worker1",
        "Turn 2, worker2: the agent failed",
        "look_up({})",
        "No result of call_1.",
        "the model answers 400",
        "(2,000 bytes, 2 requests)",
        "… 7 messages more",
    ):
        assert words in told


def test_what_a_prompt_lacks_stands_where_it_should_be_and_its_turn_is_open() -> None:
    """The turn that lost it says so; the turn before is folded."""
    seen = draw()
    assert len(seen.of_class("gone")) == 1
    assert "should be here (turn 1)" in seen.text
    assert "1 message missing" in seen.text
    assert "lost here" in seen.text
    assert "a call without its result" in seen.text
    assert ["open" in each for each in seen.named("details")] == [False, True]


def test_the_drawing_has_a_cross_where_something_is_missing_and_a_line_to_it() -> None:
    """Once for wide and once for narrow pages; what no prompt could have has no row."""
    seen = draw()
    assert len(seen.of_class("cross")) == len(seen.of_class("follow")) == 2
    assert len(seen.of_class("fault-edge")) == 2
    assert len(seen.of_class("bar")) == 4
    assert "1 assistant: Hello." not in seen.text


def test_turns_that_are_left_out_are_counted() -> None:
    """A conversation of fifty turns shows the telling ones."""
    first, second = FORGETFUL.turns
    assert (
        "… 37 turns more"
        in draw(replace(FORGETFUL, turns=(first, replace(second, number=39)))).text
    )


def test_a_finding_about_prompts_keeps_its_turns_in_time_folded() -> None:
    """The prompts say more than the times."""
    page = render_html([Account(Report("bot", 7, (FOUND,)))])
    before, _, after = page.partition("The turns in time")
    assert "The prompts of chat" in before
    assert "The prompts of chat" not in after
    assert "The smallest history" in after


def test_a_dialogue_survives_json() -> None:
    """All of it, so that a page can be made of a JSON report."""
    report = Report("bot", 7, (FOUND,))
    (read,) = parse_reports(render_json([report]), "report.json")
    assert read.results[0].dialogue == FORGETFUL


def test_the_size_of_prompts_and_their_stable_beginning_are_figures() -> None:
    """In the plot, in words, and in JSON."""
    sizes = ((1, 100, 0), (2, 200, 100), (3, 300, 200), (4, 400, 150), (5, 500, 400))
    report = Report("bot", 7, (replace(HELD, figures=Figures(prompts=sizes)),))
    seen = parsed(render_html([Account(report)]))
    assert "turn 4: 400 bytes, 150 of them as in the turn before" in seen.text
    sentence = "The prompt of turn 5 has 500 bytes. From the beginning, 85 % of a prompt is byte"
    assert sentence in seen.text
    assert sentence in render_json([report])

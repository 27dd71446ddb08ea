"""The drawing of a finding: lanes, calls, faults, and the message that is followed."""

from goldfish.history.excerpt import Excerpt, make_excerpt
from goldfish.report.html.timeline import render_timeline
from tests.report.html.reading import Seen, parsed
from tests.report.html.stories import LOST, calls, story


def drawn(shown: Excerpt, finding: str) -> Seen:
    """The wide drawing alone."""
    svg, _, _ = render_timeline(shown, finding, "what happened").partition("</svg>")
    return parsed(f"{svg}</svg></div>")


def test_a_lost_message_is_followed_from_its_write_to_the_read_that_misses_it() -> None:
    """One line leads from the acknowledgement to an open circle at the read."""
    seen = drawn(LOST, "lost")
    assert len(seen.of_class("follow")) == 1
    assert len(seen.of_class("follow-miss")) == 1
    assert "w1 writes a ✓ acknowledged" in seen.texts
    assert "w2 reads: b: a missing ✗" in seen.texts


def test_the_line_is_below_the_calls_and_its_ends_above() -> None:
    """Labels that it crosses stay readable."""
    svg, _, _ = render_timeline(LOST, "lost", "what happened").partition("</svg>")
    line, end = svg.index('class="follow"'), svg.index('class="follow-miss"')
    assert line < svg.index('class="label"') < svg.rindex('class="label"') < end


def test_each_process_has_a_lane_also_one_that_was_only_killed() -> None:
    """A fault shades the lane of the pod that it names, and no other."""
    seen = drawn(LOST, "lost")
    assert [text for text in seen.texts if text.startswith("process")] == [
        "process pod1",
        "process pod2",
        "process pod3",
    ]
    assert len(seen.of_class("fault")) == 1
    assert "⚡ kill pod3" in seen.texts


def test_a_fault_that_names_no_pod_is_everybodys() -> None:
    """A dead server shades all lanes."""
    seen = drawn(
        story("0-1 w1 s add a\n0.5-2.5 fault kill the server\n2-3 w2 s read:", "a"), "lost"
    )
    assert len(seen.of_class("fault")) == 2


def test_other_calls_of_that_time_are_drawn_thin() -> None:
    """What else went on is there, beside what tells the story."""
    assert len(drawn(LOST, "lost").of_class("beside")) == 1


def test_an_error_and_a_missing_answer_look_different_from_an_acknowledgement() -> None:
    """A cross, an open end, and an edge."""
    seen = drawn(story("0-1 w1 s add a !\n0-2 w2 s add b ?\n0-2 w3 s add c"), "refused")
    assert [len(seen.of_class(name)) for name in ("cross", "open-end", "ack")] == [1, 1, 1]
    assert "w1 writes a ✗ error" in seen.texts
    assert "w2 writes b ? no answer" in seen.texts


def test_a_call_tells_its_contents_when_pointed_at() -> None:
    """The whole contents, the times and the outcome are in the title of a call."""
    title = next(text for text in drawn(LOST, "lost").texts if "caller w1" in text)
    assert title.splitlines() == [
        "caller w1 (through pod1), session s",
        "add a",
        "0.0 to 1000.0 ms: acknowledged",
    ]


def test_what_came_back_from_the_dead_is_followed_past_its_removal() -> None:
    """The line goes from the write over the clear to the read that shows it again."""
    seen = drawn(story("0-1 w1 s add a\n2-3 w2 s clear\n4-5 w1 s read: a", "a"), "resurrected")
    (line,) = seen.of_class("follow")
    assert line["d"].count("C") == 2


def test_one_answer_alone_is_not_drawn() -> None:
    """A drawing of a single call would tell nothing."""
    assert render_timeline(make_excerpt(calls("0-1 w1 s read: a"), (), ()), "phantom", "") == ""
    assert render_timeline(Excerpt(()), "lost", "") == ""


def test_what_was_shown_before_its_write_had_ended_is_followed_to_the_end_of_the_read() -> None:
    """The line never runs back in time to a read that began earlier."""
    seen = drawn(story("1-2 w1 s add a\n0-3 w2 t read: a", "a"), "leaked")
    (line,) = seen.of_class("follow")
    begin, end = float(line["d"][1:].split()[0]), float(line["d"].split()[-2])
    assert begin < end
    assert "w2 reads: a: not of this session ✗" in seen.texts

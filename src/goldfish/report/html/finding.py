"""The article about one broken promise: what happened, how to see it again, how to fix it."""

from collections.abc import Sequence

from goldfish.findings.backends import choose_remedy
from goldfish.findings.causes import Cause
from goldfish.findings.remedies import Remedy
from goldfish.findings.result import Result
from goldfish.history.notation import HEADING
from goldfish.report.causes import diagnose, locate, state_others
from goldfish.report.description import describe_finding
from goldfish.report.html.dialogue import render_dialogue
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.html.timeline import render_timeline
from goldfish.report.results import state_finding
from goldfish.report.sanitize import shorten

NOTHING = Markup("")
MOST_LINES = 30
LONGEST_LINE = 400
CAPTION = (
    "Each row is a call, each box the process that served it. Time runs to the right; long waits "
    "are shortened. Green edge: acknowledged. Red cross: an error. The dashed red line follows the "
    "message in question from its write to the call that fails it. Point at a call for details."
)


def render_cause(cause: Cause, anchor: str, *, first: bool) -> Markup:
    """Return the article about what shows a cause best; folded in it are the others."""
    others = Markup("")
    if cause.others:
        codes = " ".join(each.code for each in cause.others)
        others = element(
            "details",
            element("summary", f"{state_others(cause)}: {codes}"),
            *(render_finding(each, anchor, None, first=False) for each in cause.others),
        )
    diagnosis = diagnose(cause)
    return render_finding(
        cause.first,
        anchor,
        None,
        first=first,
        diagnosis=diagnosis,
        place=locate(cause),
        below=others,
    )


def render_finding(
    result: Result,
    anchor: str,
    known: str | None,
    *,
    first: bool,
    diagnosis: str = "",
    place: str = "",
    below: Markup = NOTHING,
) -> Markup:
    """Return the article about one result; the first says how to read the drawings."""
    sentence = describe_finding(result)
    said = [text for text in (place, diagnosis) if text and text != sentence]
    remedy = choose_remedy(result)
    return element(
        "article",
        _render_chips(result, known),
        element("h3", result.promise),
        element("p", sentence, class_="sentence"),
        *(element("p", text) for text in said),
        _render_drawing(result, sentence, CAPTION if first else ""),
        element(
            "div",
            element("section", *_render_evidence(result)),
            element("section", *_render_remedy(remedy)),
            class_="columns",
        ),
        below,
        id=f"{anchor}-{result.code}",
        class_="known" if known else None,
    )


def _render_chips(result: Result, known: str | None) -> Markup:
    chips = [
        element("span", result.finding or "broken", class_="chip word"),
        element("span", result.code, class_="chip"),
    ]
    if known:
        chips.append(element("span", f"known: {known}", class_="chip"))
    return element("div", *chips)


def _render_drawing(result: Result, sentence: str, caption: str) -> Markup:
    """Return the prompts of an agent, with its turns in time folded; of a memory, its calls."""
    if result.dialogue is None or not result.dialogue.turns:
        return _render_calls(result, sentence, caption)
    calls = _render_calls(result, sentence, caption)
    folded = element("details", element("summary", "The turns in time"), calls) if calls else calls
    return join(render_dialogue(result.dialogue, sentence), folded)


def _render_calls(result: Result, sentence: str, caption: str) -> Markup:
    if result.excerpt is None:
        return Markup("")
    drawing = render_timeline(result.excerpt, result.finding, sentence)
    below = element("figcaption", caption) if caption else Markup("")
    return element("figure", drawing, below) if drawing else drawing


def _render_evidence(result: Result) -> list[Markup]:
    parts = []
    if result.reproduce:
        parts += [
            element("h4", "See it again"),
            element("pre", element("code", result.reproduce), class_="command"),
        ]
    has_history = HEADING in result.evidence
    parts += [
        element("h4", "The smallest history that shows it" if has_history else "What was seen"),
        _render_lines([state_finding(result), *result.evidence]),
    ]
    if result.excerpt is not None and result.excerpt.about:
        title = "Message" if len(result.excerpt.about) == 1 else "Messages"
        parts += [element("h4", f"{title} in question"), _render_lines(result.excerpt.about)]
    return parts


def _render_remedy(given: Remedy) -> list[Markup]:
    parts = [
        element("h4", "What usually causes it"),
        element("p", given.mechanism),
        element("h4", "How to fix it"),
        element("p", given.fix),
    ]
    if given.example:
        parts.append(_render_lines(given.example.splitlines()))
    return parts


def _render_lines(lines: Sequence[str]) -> Markup:
    """Return the lines, each of them inert, so that only our own line ends remain."""
    shown = [join(shorten(line, LONGEST_LINE)) for line in lines[:MOST_LINES]]
    return element("pre", Markup("\n".join(shown)))

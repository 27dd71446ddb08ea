"""One broken promise on the page: what happened, drawn, how to see it again, how to mend it."""

from collections.abc import Sequence

from goldfish.findings.advice import Advice, advice
from goldfish.findings.result import Result
from goldfish.report.html.description import describe_finding
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.html.timeline import render_timeline
from goldfish.report.sanitize import shorten

MOST_LINES = 30
LONGEST_LINE = 400
CAPTION = (
    "A row is a call, a box the process that served it; time runs to the right, long waits are "
    "shortened. A green edge: acknowledged. A red cross: an error. The dashed red line follows the "
    "message in question from its write to the call that fails it. Point at a call to read it."
)


def render_finding(
    result: Result, anchor: str, known: str | None, *, first: bool = False
) -> Markup:
    """The article about one result; the first says how to read the drawings."""
    sentence = describe_finding(result)
    return element(
        "article",
        _chips(result, known),
        element("h3", result.promise),
        element("p", sentence, class_="sentence"),
        _drawing(result, sentence, CAPTION if first else ""),
        element(
            "div",
            element("section", *_again(result)),
            element("section", *_mending(advice(result.code, result.finding))),
            class_="columns",
        ),
        id=f"{anchor}-{result.code}",
        class_="known" if known else None,
    )


def _chips(result: Result, known: str | None) -> Markup:
    chips = [
        element("span", result.finding or "broken", class_="chip word"),
        element("span", result.code, class_="chip"),
    ]
    if known:
        chips.append(element("span", f"known: {known}", class_="chip"))
    return element("div", *chips)


def _drawing(result: Result, sentence: str, caption: str) -> Markup:
    if result.excerpt is None:
        return Markup("")
    drawn = render_timeline(result.excerpt, result.finding, sentence)
    told = element("figcaption", caption) if caption else Markup("")
    return element("figure", drawn, told) if drawn else drawn


def _again(result: Result) -> list[Markup]:
    parts = []
    if result.reproduce:
        parts += [
            element("h4", "See it again"),
            element("pre", element("code", result.reproduce), class_="command"),
        ]
    told = f"{result.finding}: {result.summary}" if result.finding else result.summary
    parts += [
        element("h4", "The smallest history that shows it" if _calls(result) else "What was seen"),
        element("pre", _lines([told, *result.evidence])),
    ]
    if result.excerpt is not None and result.excerpt.about:
        title = "Message" if len(result.excerpt.about) == 1 else "Messages"
        parts += [
            element("h4", f"{title} in question"),
            element("pre", _lines(result.excerpt.about)),
        ]
    return parts


def _calls(result: Result) -> bool:
    return any(line.startswith("milliseconds, who") for line in result.evidence)


def _mending(told: Advice) -> list[Markup]:
    parts = [
        element("h4", "What usually causes it"),
        element("p", told.mechanism),
        element("h4", "How to fix it"),
        element("p", told.fix),
    ]
    if told.example:
        parts.append(element("pre", _lines(told.example.splitlines())))
    return parts


def _lines(lines: Sequence[str]) -> Markup:
    """The lines, each of them inert, so that only our own line ends remain."""
    shown = [join(shorten(line, LONGEST_LINE)) for line in lines[:MOST_LINES]]
    return Markup("\n".join(shown))

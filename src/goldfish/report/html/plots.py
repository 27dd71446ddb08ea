"""Plots of what the calls of a run show beside the verdicts; nothing is drawn without data."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from goldfish.figures import Figures
from goldfish.report.html.markup import Markup, element, joined
from goldfish.verdict import Report, Result

WIDTH, HEIGHT = 420.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 12.0, 22.0, 34.0
MOST_PACES = 4
MOST_OTHERS = 6  # more adds at once are one column


def plots(report: Report) -> Markup:
    """The section of plots of one target; nothing if its run has no figures."""
    there = [(result, result.figures) for result in report.results if result.figures]
    drawn = [*_crowd([figures for _, figures in there]), *_growth(there), *_paces(there)]
    if not drawn:
        return Markup("")
    title = element("h2", f"In figures: {report.target}")
    return joined(title, element("div", *drawn, class_="plots"))


def _crowd(figures: Sequence[Figures]) -> Iterator[Markup]:
    """The share that was lost, by how many other writes were under way."""
    acknowledged: dict[int, int] = defaultdict(int)
    lost: dict[int, int] = defaultdict(int)
    for others, count, gone in (row for each in figures for row in each.crowd):
        acknowledged[min(others, MOST_OTHERS)] += count
        lost[min(others, MOST_OTHERS)] += gone
    if not any(lost.values()):
        return
    columns = sorted(acknowledged)
    shares = {each: lost[each] / acknowledged[each] for each in columns}
    highest = max(shares.values())
    step = (WIDTH - LEFT - RIGHT) / len(columns)
    parts = []
    for at, others in enumerate(columns):
        height = (HEIGHT - TOP - BOTTOM) * shares[others] / highest
        x = LEFT + at * step
        name = f"{others}+" if others == MOST_OTHERS else str(others)
        told = f"{lost[others]:,} of {acknowledged[others]:,} lost"
        parts += [
            element(
                "g",
                element("title", f"{name} other writes under way: {told}"),
                element(
                    "rect",
                    class_="plot-bar",
                    x=x + step * 0.15,
                    y=HEIGHT - BOTTOM - height,
                    width=step * 0.7,
                    height=max(1.0, height),
                ),
            ),
            _label(name, x + step / 2, HEIGHT - BOTTOM + 13, "middle"),
            _label(
                f"{100 * shares[others]:.0f} %",
                x + step / 2,
                HEIGHT - BOTTOM - height - 4,
                "middle",
            ),
        ]
    yield _plot("Loss against concurrency", "other writes under way in the session", parts)


def _growth(there: Sequence[tuple[Result, Figures]]) -> Iterator[Markup]:
    """What an add costs as a history grows, from the check in which it grew largest."""
    grown = [(result, figures.growth) for result, figures in there if figures.growth]
    if not grown:
        return
    result, points = max(grown, key=lambda pair: pair[1][-1][0])
    most, highest = max(1, points[-1][0]), max(cost for _, cost in points) or 1.0
    dots = [
        element(
            "g",
            element("title", f"{there:,} messages there: {1000 * cost:.2f} ms per message"),
            element(
                "circle",
                class_="plot-dot",
                cx=LEFT + (WIDTH - LEFT - RIGHT) * there / most,
                cy=HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * cost / highest,
                r=3,
            ),
        )
        for there, cost in points
    ]
    axis = [_label(f"{1000 * highest:.3g} ms", LEFT - 4, TOP + 4, "end"), *_ends("0", f"{most:,}")]
    title = f"Cost of an add as the history grows ({result.code})"
    yield _plot(title, "messages already in the session", [*dots, *axis])


def _paces(there: Sequence[tuple[Result, Figures]]) -> Iterator[Markup]:
    """How long calls took before, during and after faults, for the checks with most of them."""
    paced = [(result, figures) for result, figures in there if figures.pace and figures.faults]
    chosen = sorted(paced, key=lambda pair: -len(pair[1].pace))[:MOST_PACES]
    for result, figures in sorted(chosen, key=lambda pair: pair[0].code):
        yield _pace(result, figures)


def _pace(result: Result, figures: Figures) -> Markup:
    end = max(start + seconds for start, seconds, _ in figures.pace) or 1.0
    spans = [max(seconds, 1e-6) for _, seconds, _ in figures.pace]
    low, high = math.log10(min(spans)), math.log10(max(spans))

    def x(moment: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(moment / end, 0.0), 1.0)

    def y(seconds: float) -> float:
        share = (math.log10(max(seconds, 1e-6)) - low) / ((high - low) or 1.0)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    bands = [
        element(
            "g",
            element("title", what),
            element(
                "rect",
                class_="fault",
                x=x(begin),
                y=TOP,
                width=max(2.0, x(over) - x(begin)),
                height=HEIGHT - TOP - BOTTOM,
            ),
        )
        for begin, over, what in figures.faults
        if begin <= end
    ]
    dots = [
        element(
            "g",
            element("title", f"at {1000 * start:.0f} ms: {1000 * seconds:.1f} ms, {outcome}"),
            element("circle", class_=f"plot-dot {outcome}", cx=x(start), cy=y(seconds), r=2.6),
        )
        for start, seconds, outcome in figures.pace
    ]
    axis = [
        _label(f"{1000 * 10**high:.3g} ms", LEFT - 4, TOP + 4, "end"),
        _label(f"{1000 * 10**low:.2g} ms", LEFT - 4, HEIGHT - BOTTOM, "end"),
        *_ends("0", f"{end:.2g} s"),
    ]
    return _plot(
        f"How long calls took around faults ({result.code})", "time", [*bands, *dots, *axis]
    )


def _plot(title: str, axis: str, parts: Sequence[Markup]) -> Markup:
    base = HEIGHT - BOTTOM
    svg = element(
        "svg",
        element("path", class_="plot-line", d=f"M{LEFT:g} {base:g}H{WIDTH - RIGHT:g}"),
        *parts,
        _label(axis, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle"),
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        aria_label=title,
    )
    return element("figure", element("h4", title), svg)


def _ends(first: str, last: str) -> list[Markup]:
    y = HEIGHT - BOTTOM + 13
    return [_label(first, LEFT, y, "middle"), _label(last, WIDTH - RIGHT, y, "end")]


def _label(text: str, x: float, y: float, anchor: str) -> Markup:
    return element("text", text, class_="tick", x=x, y=y, text_anchor=anchor)

"""The plots of a run: loss against concurrency, cost against size, pace, size of prompts."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from goldfish.findings.result import Report, Result
from goldfish.history.metrics import Figures
from goldfish.report.cost import describe_cost, find_longest
from goldfish.report.html.markup import Markup, element, join

WIDTH, HEIGHT = 420.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 12.0, 32.0, 34.0
BASE, ROOM = HEIGHT - BOTTOM, HEIGHT - TOP - BOTTOM
MOST_PACES = 4
MOST_OTHERS = 6  # more adds at once are one column
SHORTEST = 1e-6  # seconds: no clock measures less, and 0 has no logarithm
CAPTION = (
    "A dot is a call: blue was answered, red failed, grey had no answer. Shaded: a fault was under "
    "way. Point at anything for its numbers."
)

PROMPTS = "Of a prompt, the light part is as in the turn before; the dark part is new."

Found = Sequence[tuple[Result, Figures]]


def render_plots(report: Report) -> Markup:
    """Return the section of plots of one target; nothing if its run has no figures."""
    there = [(result, result.figures) for result in report.results if result.figures]
    drawn = [*_plot_crowd(there), *_plot_growth(there), *_plot_paces(there)]
    captions = [CAPTION] if drawn else []
    if longest := find_longest(report):
        drawn.append(_plot_prompts(*longest))
        captions += [describe_cost(report), PROMPTS]
    if not drawn:
        return Markup("")
    title = element("h2", f"In figures: {report.target}")
    below = [element("p", caption, class_="soft") for caption in captions]
    return join(title, element("div", *drawn, class_="plots"), *below)


def _plot_crowd(there: Found) -> Iterator[Markup]:
    """Plot the share that was lost, by how many other writes were under way."""
    acknowledged: dict[int, int] = defaultdict(int)
    lost: dict[int, int] = defaultdict(int)
    for others, count, gone in (row for _, figures in there for row in figures.crowd):
        acknowledged[min(others, MOST_OTHERS)] += count
        lost[min(others, MOST_OTHERS)] += gone
    if not any(lost.values()):
        return
    highest = max(lost[each] / acknowledged[each] for each in acknowledged)
    step = (WIDTH - LEFT - RIGHT) / len(acknowledged)
    columns = [
        _draw_column(others, (lost[others], acknowledged[others]), highest, LEFT + at * step, step)
        for at, others in enumerate(sorted(acknowledged))
    ]
    axis = "other writes under way in the session"
    yield _frame("Loss against concurrency", axis, columns)


def _draw_column(
    others: int, counts: tuple[int, int], highest: float, x: float, step: float
) -> Markup:
    lost, acknowledged = counts
    height = ROOM * lost / acknowledged / highest
    name = f"{others}+" if others == MOST_OTHERS else str(others)
    tooltip = f"{name} other writes under way: {lost:,} of {acknowledged:,} messages lost"
    width, middle, top = step * 0.7, x + step / 2, BASE - height
    bar = element(
        "rect", class_="plot-bar", x=x + step * 0.15, y=top, width=width, height=max(1.0, height)
    )
    return join(
        _add_tooltip(tooltip, bar),
        _draw_label(name, middle, BASE + 13, "middle"),
        _draw_label(f"{100 * lost / acknowledged:.0f} %", middle, top - 16, "middle"),
        _draw_label(f"{lost}/{acknowledged}", middle, top - 4, "middle"),
    )


def _plot_growth(there: Found) -> Iterator[Markup]:
    """Plot what an add costs as a history grows, from the check in which it grew largest."""
    grown = [(result, figures.growth) for result, figures in there if figures.growth]
    if not grown:
        return
    result, points = max(grown, key=lambda pair: pair[1][-1][0])
    most, highest = points[-1][0], max(cost for _, cost in points) or 1.0
    dots = [
        _draw_dot(
            f"with {size:,} messages there: {_format_span(cost)} per message",
            (_scale(size / most), BASE - ROOM * cost / highest),
        )
        for size, cost in points
    ]
    axis = [
        _draw_label(_format_span(highest), LEFT - 4, TOP + 4, "end"),
        *_draw_ends("0", f"{most:,}"),
    ]
    title = f"Time to add one message as the history grows ({result.code})"
    yield _frame(title, "messages already in the session", [*dots, *axis])


def _plot_prompts(result: Result, figures: Figures) -> Markup:
    """Plot the size of the prompt in each turn, and how much of it is as in the turn before."""
    highest = max(size for _, size, _ in figures.prompts)
    step = (WIDTH - LEFT - RIGHT) / len(figures.prompts)
    columns = []
    for at, (turn, size, stable) in enumerate(figures.prompts):
        tooltip = f"turn {turn}: {size:,} bytes, {stable:,} of them as in the turn before"
        place = {"x": LEFT + step * (at + 0.15), "width": step * 0.7}
        tops = ROOM * size / highest, ROOM * stable / highest
        bars = [
            element("rect", class_=kind, y=BASE - top, height=top, **place)
            for kind, top in zip(("bar", "beside"), tops, strict=True)
        ]
        columns.append(_add_tooltip(tooltip, join(*bars)))
    first, last = figures.prompts[0][0], figures.prompts[-1][0]
    axis = [
        _draw_label(f"{highest:,} B", LEFT - 4, TOP + 4, "end"),
        *_draw_ends(str(first), str(last)),
    ]
    return _frame(f"Size of the prompt ({result.code})", "turn", [*columns, *axis])


def _plot_paces(there: Found) -> Iterator[Markup]:
    """Plot how long calls took around faults, for the checks with most of them."""
    paced = [(result, figures) for result, figures in there if figures.pace and figures.faults]
    chosen = sorted(paced, key=lambda pair: -len(pair[1].pace))[:MOST_PACES]
    for result, figures in sorted(chosen, key=lambda pair: pair[0].code):
        yield _plot_pace(result, figures)


def _plot_pace(result: Result, figures: Figures) -> Markup:
    end = max(start + seconds for start, seconds, _ in figures.pace) or 1.0
    spans = [max(seconds, SHORTEST) for _, seconds, _ in figures.pace]
    low, high = min(spans), max(spans)
    bands = [
        _add_tooltip(what, _draw_band(_scale(begin / end), _scale(over / end)))
        for begin, over, what in figures.faults
        if begin <= end
    ]
    dots = [
        _draw_dot(
            f"after {_format_span(start)}: took {_format_span(seconds)}, {outcome}",
            (_scale(start / end), BASE - ROOM * _scale_log(seconds, low, high)),
            outcome,
        )
        for start, seconds, outcome in figures.pace
    ]
    axis = [
        _draw_label(_format_span(high), LEFT - 4, TOP + 4, "end"),
        _draw_label(_format_span(low), LEFT - 4, BASE, "end"),
        *_draw_ends("0", _format_span(end)),
    ]
    title = f"How long calls took around faults ({result.code}), logarithmic"
    return _frame(title, "time", [*bands, *dots, *axis])


def _frame(title: str, axis: str, parts: Sequence[Markup]) -> Markup:
    svg = element(
        "svg",
        element("path", class_="plot-line", d=f"M{LEFT:g} {BASE:g}H{WIDTH - RIGHT:g}"),
        *parts,
        _draw_label(axis, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle"),
        viewBox=f"0 0 {WIDTH:g} {HEIGHT:g}",
        role="img",
        aria_label=title,
    )
    return element("figure", element("h4", title), svg)


def _draw_dot(tooltip: str, place: tuple[float, float], outcome: str = "ok") -> Markup:
    x, y = place
    dot = element("circle", class_=f"plot-dot {outcome}", cx=x, cy=y, r=2.6)
    return _add_tooltip(tooltip, dot)


def _draw_band(left: float, right: float) -> Markup:
    width = max(2.0, right - left)
    return element("rect", class_="fault", x=left, y=TOP, width=width, height=ROOM)


def _add_tooltip(tooltip: str, drawn: Markup) -> Markup:
    return element("g", element("title", tooltip), drawn)


def _scale(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * min(max(share, 0.0), 1.0)


def _scale_log(value: float, low: float, high: float) -> float:
    return math.log(max(value, SHORTEST) / low) / (math.log(high / low) or 1.0)


def _draw_ends(first: str, last: str) -> list[Markup]:
    return [
        _draw_label(first, LEFT, BASE + 13, "middle"),
        _draw_label(last, WIDTH - RIGHT, BASE + 13, "end"),
    ]


def _draw_label(text: str, x: float, y: float, anchor: str) -> Markup:
    return element("text", text, class_="tick", x=x, y=y, text_anchor=anchor)


def _format_span(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2g} ms"

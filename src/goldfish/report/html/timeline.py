"""The drawing of a finding: the calls in time, by process, and the message to follow."""

from collections.abc import Iterator, Sequence

from goldfish.history import FAULT, Call
from goldfish.history.excerpt import Excerpt
from goldfish.report.description import describe_place
from goldfish.report.highlight import find_highlight, has_any
from goldfish.report.html.labels import make_label, make_tooltip
from goldfish.report.html.lanes import GAP, HEAD, Lane, find_struck_lanes, make_lanes
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.html.scale import Scale

WIDE, NARROW = 900.0, 340.0
MARGIN = 10.0
BAR = 12.0  # the height of a call
TEXT = 14.0  # from the top of a row to the line of its label
LETTER = 6.6  # the width of one, about
AXIS = 26.0
FAULT_ROW = 18.0


def render_timeline(excerpt: Excerpt, finding: str | None, sentence: str) -> Markup:
    """Return the drawing, once for wide pages and once for narrow ones."""
    asked = [call for call in excerpt.calls if call.action != FAULT]
    if not asked or (len(asked) == 1 and asked[0].outcome == "ok"):
        return Markup("")  # one answer alone has no story
    return element(
        "div",
        _Drawing(excerpt, finding, WIDE).svg(sentence, "wide"),
        _Drawing(excerpt, finding, NARROW).svg(sentence, "narrow"),
        class_="timeline",
    )


class _Drawing:
    def __init__(self, excerpt: Excerpt, finding: str | None, width: float) -> None:
        self._excerpt = excerpt
        self._highlight = find_highlight(excerpt, finding)
        self._width = width
        self._faults = [call for call in excerpt.calls if call.action == FAULT]
        shown = [call for call in excerpt.calls if call.action != FAULT]
        begin, end = min(call.start for call in shown), max(call.end for call in shown)
        moments = [moment for call in shown for moment in (call.start, call.end)]
        moments += [
            moment
            for fault in self._faults
            for moment in (fault.start, fault.end)
            if begin <= moment <= end
        ]
        self._x = Scale(moments, MARGIN, width - MARGIN)
        top = GAP + FAULT_ROW * len(self._faults)
        self._lanes = make_lanes(excerpt, top, has_beside=width == WIDE)
        self._rows = {id(call): y for lane in self._lanes for call, y in lane.place_calls()}

    def svg(self, sentence: str, kind: str) -> Markup:
        bottom = self._lanes[-1].bottom
        return element(
            "svg",
            *(self._draw_lane(lane) for lane in self._lanes),
            *self._draw_faults(),
            *(self._draw_name(lane) for lane in self._lanes),
            *(self._draw_beside(*each) for lane in self._lanes for each in lane.place_beside()),
            *self._draw_lines(),  # below the calls, whose labels they may cross
            *(self._draw_call(*each) for lane in self._lanes for each in lane.place_calls()),
            *self._draw_stops(),
            self._draw_axis(bottom + GAP),
            viewBox=f"0 0 {self._width:g} {bottom + AXIS:g}",
            class_=kind,
            role="img",
            aria_label=sentence,
        )

    def _draw_lane(self, lane: Lane) -> Markup:
        height = lane.bottom - lane.top
        return element(
            "rect", class_="lane", x=0, y=lane.top, width=self._width, height=height, rx=5
        )

    def _draw_name(self, lane: Lane) -> Markup:
        return self._draw_text(describe_place(lane.name), MARGIN, lane.top + HEAD - 6, "place")

    def _draw_faults(self) -> Iterator[Markup]:
        for at, fault in enumerate(self._faults):
            left, right = self._x(fault.start), self._x(fault.end)
            width = max(3.0, right - left)
            y = GAP / 2 + FAULT_ROW * (at + 1) - 6
            text = f"⚡ {fault.value}"
            for lane in find_struck_lanes(fault, self._lanes):
                height = lane.bottom - lane.top
                band = element(
                    "rect", class_="fault", x=left, y=lane.top, width=width, height=height
                )
                yield join(
                    band,
                    element(
                        "path", class_="fault-edge", d=f"M{left:.1f} {y + 2:.1f}V{lane.bottom:.1f}"
                    ),
                )
            yield self._draw_text(text, left, y, "fault-name")

    def _draw_beside(self, call: Call, y: float) -> Markup:
        left, right = self._x(call.start), self._x(call.end)
        bar = element("rect", class_="beside", x=left, y=y, width=max(2.0, right - left), height=4)
        return element("g", element("title", make_tooltip(call)), bar)

    def _draw_call(self, call: Call, y: float) -> Markup:
        left, right = self._x(call.start), self._x(call.end)
        kind = self._get_classes(call)
        top = y + TEXT + 5
        bar = element(
            "rect", class_="bar", x=left, y=top, width=max(5.0, right - left), height=BAR, rx=3
        )
        end = self._draw_ending(call, max(left + 5.0, right), top)
        text = self._draw_text(
            make_label(call, self._excerpt.about, self._highlight), left, y + TEXT, "label"
        )
        return element(
            "g", element("title", make_tooltip(call)), bar, end, text, class_=f"call {kind}"
        )

    def _get_classes(self, call: Call) -> str:
        if call is self._highlight.culprit:
            return f"{call.outcome} culprit"
        followed = call in self._highlight.writes or call is self._highlight.removal
        return f"{call.outcome} followed" if followed else call.outcome

    def _draw_ending(self, call: Call, x: float, top: float) -> Markup:
        """Draw a tick for an acknowledgement, a cross for an error, an open end for no answer."""
        middle = top + BAR / 2
        if call.outcome == "ok":
            return element("path", class_="ack", d=f"M{x - 1:.1f} {top - 2:.1f}v{BAR + 4:.1f}")
        if call.outcome == "fail":
            strokes = f"M{x - 4:.1f} {middle - 4:.1f}l8 8m0 -8l-8 8"
            return element("path", class_="cross", d=strokes)
        return element("path", class_="open-end", d=f"M{x:.1f} {middle:.1f}h8")

    def _draw_lines(self) -> Iterator[Markup]:
        """Draw the line from the write of the message to the call that fails it, past a removal."""
        for points in self._list_paths():
            yield element("path", class_="follow", d=_draw_curve(points))

    def _draw_stops(self) -> Iterator[Markup]:
        """Draw where the line begins, passes a removal and ends."""
        culprit = self._highlight.culprit
        for points in self._list_paths():
            for x, y in points[:-1]:
                yield element("circle", class_="follow-dot", cx=x, cy=y, r=4)
        if self._highlight.writes and culprit is not None:
            x, y = self._find_points([self._highlight.writes[-1], culprit])[-1]
            there = has_any(culprit, self._excerpt.about)
            yield element(
                "circle", class_="follow-dot" if there else "follow-miss", cx=x, cy=y, r=6
            )

    def _list_paths(self) -> Iterator[list[tuple[float, float]]]:
        """Yield the points of each line that follows the message; none without a culprit."""
        marks = self._highlight
        for write in marks.writes if marks.culprit is not None else ():
            stops = (write, marks.removal, marks.culprit)
            yield self._find_points([call for call in stops if call is not None])

    def _find_points(self, stops: Sequence[Call]) -> list[tuple[float, float]]:
        """Return the end of the first call, and of each other its start, or its end if at once."""
        points: list[tuple[float, float]] = []
        for call in stops:
            left, right = self._x(call.start), max(self._x(call.start) + 5, self._x(call.end))
            y = self._rows[id(call)] + TEXT + 5 + BAR / 2
            later = bool(points) and points[-1][0] <= left
            points.append((left if later else right, y))
        return points

    def _draw_text(self, text: str, x: float, y: float, kind: str) -> Markup:
        """Draw a text that begins at x, or ends at the margin if it would not fit."""
        most = int((self._width - 2 * MARGIN) / LETTER)
        text = text if len(text) <= most else f"{text[: most - 1]}…"
        x = max(MARGIN, min(x, self._width - MARGIN - len(text) * LETTER))
        return element("text", text, class_=kind, x=x, y=y)

    def _draw_axis(self, y: float) -> Markup:
        there = [each for each in self._x.ticks(apart=48.0) if each[1] < self._width - 70]
        places = {f"{1000 * moment:.1f}": place for moment, place in reversed(there)}
        ticks = [
            element("text", text, class_="tick", x=place, y=y + 9) for text, place in places.items()
        ]
        unit = element("text", "ms →", class_="tick", x=self._width - 34, y=y + 9)
        return join(*ticks, unit)


def _draw_curve(points: list[tuple[float, float]]) -> str:
    (x, y), *rest = points
    drawn = f"M{x:.1f} {y:.1f}"
    for to_x, to_y in rest:
        bend = max(24.0, abs(to_x - x) / 2)
        drawn += f"C{x + bend:.1f} {y:.1f} {to_x - bend:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return drawn

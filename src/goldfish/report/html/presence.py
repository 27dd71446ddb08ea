"""The drawing of a conversation: which prompt shows what was said, and where something vanished."""

from collections.abc import Iterator
from dataclasses import dataclass

from goldfish.history.dialogue import GRAVE, Dialogue, Said, ShownTurn
from goldfish.report.html.markup import Markup, element, join
from goldfish.report.sanitize import truncate

ROW, HEAD, FOOT = 20.0, 34.0, 6.0
LETTER = 6.7  # pixels, at the size of the style sheet
WIDEST_CELL = 56.0
MOST_ROWS = 28


@dataclass(frozen=True)
class Layout:
    """A width for which a conversation is drawn."""

    kind: str
    width: float
    labels: float  # the part of it in which texts stand


LAYOUTS = (Layout("wide", 900.0, 380.0), Layout("narrow", 360.0, 150.0))


def render_presence(dialogue: Dialogue, sentence: str) -> Markup:
    """Return the drawing, once for wide and once for narrow pages; nothing if there is nothing."""
    if not dialogue.said or not any(turn.messages for turn in dialogue.turns):
        return Markup("")
    return join(*(_Grid(dialogue, layout).draw(sentence) for layout in LAYOUTS))


class _Grid:
    """Rows are what was said, columns are prompts."""

    def __init__(self, dialogue: Dialogue, layout: Layout) -> None:
        self._layout = layout
        self._turns = dialogue.turns
        self._rows = _choose_rows(dialogue)
        self._said = dialogue.said
        self._cell = min(WIDEST_CELL, (layout.width - layout.labels) / len(self._turns))
        self._labels = layout.width - self._cell * len(self._turns)

    def draw(self, sentence: str) -> Markup:
        height = HEAD + ROW * len(self._rows) + FOOT
        return element(
            "svg",
            element("title", sentence),
            *self._draw_heads(height),
            *(part for line, at in enumerate(self._rows) for part in self._draw_row(line, at)),
            viewBox=f"0 0 {self._layout.width:g} {height:g}",
            class_=self._layout.kind,
            role="img",
        )

    def _draw_heads(self, height: float) -> Iterator[Markup]:
        yield element("text", "said in turn", class_="tick", x=0, y=HEAD - 10)
        for column, turn in enumerate(self._turns):
            x = self._find_x(column)
            kind = "turn bad" if is_grave(turn) else "turn"
            head = element("text", str(turn.number), class_=kind, x=x, y=12, text_anchor="middle")
            worker = truncate(turn.worker.replace("worker", "w"), int(self._cell / LETTER) or 1)
            below = element("text", worker, class_="tick", x=x, y=25, text_anchor="middle")
            yield element("g", element("title", _describe_turn(turn)), head, below)
            if turn.faults:
                edge = x + self._cell / 2
                line = element(
                    "line", class_="fault-edge", x1=edge, x2=edge, y1=2, y2=height - FOOT
                )
                yield element("g", element("title", ", ".join(turn.faults)), line)

    def _draw_row(self, line: int, at: int) -> Iterator[Markup]:
        said, y = self._said[at], HEAD + ROW * line
        gone = [column for column, turn in enumerate(self._turns) if at in turn.missing]
        wrong = any(at in turn.wrong for turn in self._turns)
        text = truncate(_label(said), int(self._labels / LETTER) - 1)
        kind = "label bad" if gone or wrong else "label"
        yield element("text", text, class_=kind, x=0, y=y + 14)
        yield element("line", class_="plot-line", x1=0, x2=self._layout.width, y1=y, y2=y)
        there = [column for column, turn in enumerate(self._turns) if turn.copies[at]]
        before = [column for column in there if gone and column < gone[0]]
        if before:
            x1, x2 = self._find_x(before[-1]), self._find_x(gone[0])
            middle = y + ROW / 2
            yield element("line", class_="follow", x1=x1, x2=x2, y1=middle, y2=middle)
        for column, turn in enumerate(self._turns):
            yield self._draw_cell(column, turn, at, y)

    def _draw_cell(self, column: int, turn: ShownTurn, at: int, y: float) -> Markup:
        x, copies = self._find_x(column), turn.copies[at]
        size = min(self._cell - 3, ROW - 7)
        left, top = x - size / 2, y + 3.5
        box = {"x": left, "y": top, "width": size, "height": size, "rx": 2}
        if at in turn.missing:
            cross = (
                f"M{left:.1f} {top:.1f}l{size:.1f} {size:.1f}m{-size:.1f} 0l{size:.1f} {-size:.1f}"
            )
            drawn = element("path", class_="cross", d=cross)
            what = "is missing"
        elif not copies:
            return Markup("")
        elif at in turn.wrong:
            times = element("text", f"x{copies}", class_="copies", x=left + size + 2, y=y + 14)
            drawn = join(element("rect", class_="wrong", **box), times if copies > 1 else "")
            what = f"is there {copies} times" if copies > 1 else "is there, and should not be"
        else:
            drawn, what = element("rect", class_="bar", **box), "is there"
        title = f"{_label(self._said[at])}: {what}, in the prompt of turn {turn.number}"
        return element("g", element("title", title), drawn)

    def _find_x(self, column: int) -> float:
        return self._labels + self._cell * (column + 0.5)


def _choose_rows(dialogue: Dialogue) -> list[int]:
    """Return the places of what is drawn; of much, what is in question and the newest."""
    turns = dialogue.turns
    seen = {at for turn in turns for at, copies in enumerate(turn.copies) if copies}
    places = sorted(seen | {at for turn in turns for at in turn.missing})
    asked = {at for turn in turns for at in (*turn.missing, *turn.wrong)}
    ranked = sorted(places, key=lambda at: (at not in asked, -at))
    return sorted(ranked[:MOST_ROWS])


def is_grave(turn: ShownTurn) -> bool:
    """Return True if the prompt of a turn lacks something, or has what it should not have."""
    flagged = any(each.flag in GRAVE for each in turn.messages)
    return bool(turn.missing or turn.wrong or turn.refusal or flagged)


def _label(said: Said) -> str:
    if not said.turn:
        return f"{said.role}: {said.text}"
    where = f" ({said.session})" if said.session else ""
    return f"{said.turn} {said.role}{where}: {said.text}"


def _describe_turn(turn: ShownTurn) -> str:
    return f"turn {turn.number}, {turn.worker}: {turn.text}"

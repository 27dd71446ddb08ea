"""Renders a difference for people: counts, and as many changes as fit on a screen."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from goldfish.report.sanitize import escape_controls
from goldfish.snapshots.cells import fit, measure_width, render_change, render_value
from goldfish.snapshots.changes import Change, Row, RowChange, SchemaChange

WIDTH = 80
SCREEN = 36  # lines for all tables together
LEAST = 8  # columns of a value
TALLEST = 12  # lines of one change
SIGNS = {"added": "+", "removed": "-", "changed": "~"}
REST = ""  # what belongs to no table


@dataclass
class Section:
    """The changes of one table; ``blocks`` holds the first ones, a few lines each."""

    name: str
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SIGNS, 0))
    blocks: list[list[str]] = field(default_factory=list)
    changes: int = 0
    definitions: int = 0  # changes of the schema

    def add(self, change: Change) -> None:
        """Count the change, and keep its lines if there may be room."""
        self.changes += 1
        if isinstance(change, RowChange):
            self.counts[change.kind] += change.times
        else:
            self.definitions += 1
        if len(self.blocks) < SCREEN:
            self.blocks.append(_limit_block(list(_render_change(change))))

    @property
    def height(self) -> int:
        """How many lines all kept blocks take."""
        return 1 + sum(map(len, self.blocks)) + (len(self.blocks) < self.changes)

    @property
    def headline(self) -> str:
        """The table, and how many of its rows differ."""
        counted = [f"{count:,} {kind}" for kind, count in self.counts.items() if count]
        told = [f"rows: {', '.join(counted)}"] if counted else []
        told += ["its definition"] if self.definitions else []
        return (
            f"{escape_controls(self.name)}  {'; '.join(told)}" if self.name else "beside the tables"
        )


class Difference:
    """The difference between two databases, ready to print."""

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self.sections: dict[str, Section] = {}
        for change in changes:
            section = change.table
            self.sections.setdefault(section, Section(section)).add(change)

    @property
    def is_empty(self) -> bool:
        """Whether there is no difference."""
        return not self.sections

    @property
    def counts(self) -> dict[str, int]:
        """The number of rows of all tables, by kind of change."""
        totals = dict.fromkeys(SIGNS, 0)
        for section in self.sections.values():
            for kind, count in section.counts.items():
                totals[kind] += count
        return totals

    @property
    def summary(self) -> str:
        """How much differs, in a few words."""
        tables = sum(bool(name) for name in self.sections)
        counted = [f"{count:,} {kind}" for kind, count in self.counts.items() if count]
        parts = [f"rows: {', '.join(counted)}"] if counted else []
        if any(section.definitions for section in self.sections.values()):
            parts.append("the schema differs")
        if tables:
            parts.append(f"{tables:,} {'table' if tables == 1 else 'tables'}")
        return "; ".join(parts)

    def render(self, first: str, accept: str) -> list[str]:
        """Return the lines of a failure message, which ends with the command that accepts it."""
        return [first, f"  {self.summary}", *self.lines(), f"Accept it with: {accept}"]

    def headlines(self) -> list[str]:
        """Return one line for each table."""
        return [fit(each.headline, WIDTH) for each in self.sections.values()]

    def lines(self, room: int = SCREEN) -> Iterator[str]:
        """Yield the changes, table by table, in about ``room`` lines."""
        sections = list(self.sections.values())
        told = sections[: max(room // 3, 1)]
        most = _share_evenly([section.height for section in told], room)
        for section in told:
            yield from _render_section(section, max(most, 3))
        if len(sections) > len(told):
            yield f"… and {len(sections) - len(told):,} more tables"


def _render_section(section: Section, room: int) -> Iterator[str]:
    yield fit(section.headline, WIDTH)
    left, told = room - 1, 0
    for block in section.blocks:
        if len(block) + (section.height > room) > left and told:
            break
        yield from block
        left, told = left - len(block), told + 1
    if told < section.changes:
        yield f"  … and {section.changes - told:,} more"


def _limit_block(block: list[str]) -> list[str]:
    if len(block) <= TALLEST:
        return block
    return [*block[: TALLEST - 1], f"      … and {len(block) - TALLEST + 1:,} more lines"]


def _render_change(change: Change) -> Iterator[str]:
    if isinstance(change, SchemaChange):
        yield from _render_schema_change(change)
    elif change.kind == "changed":
        yield from _render_changed_row(change)
    else:
        yield from _render_whole_row(change)


def _render_schema_change(change: SchemaChange) -> Iterator[str]:
    sign, name = SIGNS[change.kind], escape_controls(change.name)
    what = f"  {sign} {change.what} {name}"
    if change.what == "table" and change.kind != "changed":
        yield fit(f"{what} ({change.rows:,} {_pluralise_rows(change.rows)})", WIDTH)
    elif change.kind == "changed":
        yield fit(what, WIDTH)
        for _, told in render_change(change.before, change.after, WIDTH - 6):
            yield f"      {told}"
    else:
        yield fit(f"{what}: {escape_controls(change.before or change.after or '')}", WIDTH)


def _render_changed_row(change: RowChange) -> Iterator[str]:
    assert change.before is not None
    assert change.after is not None
    yield from _render_cells("  ~ ", change.key or change.after, lines=1)
    for column in change.columns:
        label = fit(escape_controls(column), 24)
        last = ""
        told = render_change(
            change.before[column], change.after[column], WIDTH - 8 - measure_width(label)
        )
        for path, words in told:
            where = f"{label}{fit(escape_controls(path), 30)}: "
            yield fit(
                f"      {' ' * measure_width(where) if where == last else where}{words}", WIDTH
            )
            last = where


def _render_whole_row(change: RowChange) -> Iterator[str]:
    row = change.before if change.before is not None else change.after
    assert row is not None
    times = f"({change.times:,} times) " if change.times > 1 else ""
    yield from _render_cells(f"  {SIGNS[change.kind]} {times}", {**change.key, **row}, lines=2)


def _render_cells(lead: str, row: Row, *, lines: int) -> list[str]:
    """Render the cells of a row; cut long values until the short ones fit beside them."""
    names = [fit(escape_controls(name), 20) for name in row]
    packed: list[str] = []
    for most in range(WIDTH, LEAST, -4):
        told = [
            f"{name}={render_value(each, most)}"
            for name, each in zip(names, row.values(), strict=True)
        ]
        packed = _pack_cells(lead, told)
        if len(packed) <= lines and max(map(measure_width, packed)) <= WIDTH:
            return packed
    return [fit(line, WIDTH - 2) + " …" * (n == lines) for n, line in enumerate(packed[:lines], 1)]


def _share_evenly(wanted: list[int], room: int) -> int:
    """Return how much each may have at most, if those that want less leave it to the others."""
    left = len(wanted)
    for want in sorted(wanted):
        if want * left > room:
            return max(room // left, 1)
        room, left = room - want, left - 1
    return WIDTH


def _pack_cells(lead: str, cells: list[str]) -> list[str]:
    lines = [lead]
    for cell in cells:
        if measure_width(lines[-1]) + measure_width(cell) > WIDTH and lines[-1].strip():
            lines.append(" " * measure_width(lead))
        lines[-1] += f"{cell} "
    return [line.rstrip() for line in lines]


def _pluralise_rows(count: int) -> str:
    return "row" if count == 1 else "rows"

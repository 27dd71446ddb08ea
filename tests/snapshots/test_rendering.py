"""The difference as a person reads it: short, on the point, and inert."""

import json
from pathlib import Path
from typing import Any

import pytest

from goldfish.snapshots.cells import measure_width, render_change, render_value
from goldfish.snapshots.changes import RowChange, SchemaChange
from goldfish.snapshots.rendering import SCREEN, WIDTH, Difference


def changed(before: Any, after: Any, key: Any = 1) -> RowChange:
    rows = {"id": key, "v": before}, {"id": key, "v": after}
    return RowChange("changed", "t", {"id": key}, *rows)


def lines(*changes: RowChange | SchemaChange) -> list[str]:
    told = list(Difference(changes).lines())
    assert all(measure_width(line) <= WIDTH for line in told)
    return told


def test_a_change_is_told_by_key_and_column() -> None:
    """With the value before and the value after."""
    assert lines(changed("hello", "hullo")) == [
        "t  rows: 1 changed",
        "  ~ id=1",
        "      v: 'hello' → 'hullo'",
    ]


def test_a_long_value_is_shown_around_its_change() -> None:
    """However far inside, and in both versions."""
    before = "a" * 5000 + "here" + "b" * 5000
    told = lines(changed(before, before.replace("here", "THERE")))
    assert "here" in told[2]
    assert "THERE" in told[3]
    assert "(10,004 characters)" in told[2]


def test_json_is_compared_inside() -> None:
    """By paths; items that were put in do not make all that follows differ."""
    before = {"a": 1, "tags": ["x", "y"], "deep": {"t": [1, {"k": None}]}}
    after = {"a": 1, "tags": ["x", "new", "y"], "deep": {"t": [1, {"k": "v"}]}, "b": True}
    assert render_change(json.dumps(before), json.dumps(after), 60) == [
        (".tags[1]", "nothing → 'new'"),
        (".deep.t[1].k", "null → 'v'"),
        (".b", "nothing → true"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [('{"a":1}', '{"a": 1}'), ("[" * 9000, "[" * 9001), ('{"a": 1', '{"a": 2'), ("{}", "[]")],
)
def test_what_is_no_other_json_is_told_as_text(before: str, after: str) -> None:
    """Other white space, too deep, broken, of another kind: never nothing."""
    told = render_change(before, after, 60)
    assert told
    assert all(path == "" for path, _ in told)


def test_a_blob_is_hex_with_its_length() -> None:
    """Around the change."""
    assert render_value(b"\x00\xff", 40) == "x'00ff' (2 bytes)"
    before = bytes(1000)
    (_, one), (_, other) = render_change(before, before[:500] + b"\x01" + before[501:], 40)
    assert "(1,000 bytes)" in one
    assert "01" in other
    assert max(len(one), len(other)) <= 42


def test_hostile_text_does_not_act() -> None:
    """Escape sequences, marks of direction and new lines are shown as what they are."""
    row = {"id\x1b[31m": "\x1b[2J\u202e\nnext", "v": "\ud800"}
    told = lines(RowChange("added", "t\nable\x1b", {}, None, row))
    assert told[0] == "t\\nable\\x1b  rows: 1 added"
    assert all(line.isprintable() for line in told)
    assert "\\x1b[2J\\u202e\\nnext" in told[1]


def test_short_values_stay_whole_beside_long_ones() -> None:
    """The long ones give way."""
    row: dict[str, Any] = {"id": 7, "role": "assistant", "body": "x" * 900, "n": None}
    told = lines(RowChange("removed", "t", {"id": 7}, row, None))
    assert told[1] == "  - id=7 role='assistant'"
    assert told[2].startswith("    body='xxxxx")
    assert told[2].endswith("n=NULL")
    many = dict.fromkeys(map(str, range(100)), "long enough")
    assert lines(RowChange("added", "t", {}, None, many))[2].endswith(" …")


def test_at_most_a_screenful_with_a_count_of_the_rest() -> None:
    """Of one table with many changes, of many tables, and of one endless change."""
    many = lines(*(changed("a", "b", key) for key in range(10_000)))
    assert len(many) <= SCREEN
    assert many[0] == "t  rows: 10,000 changed"
    assert many[-1].startswith("  … and 9,9")
    tables = [RowChange("added", f"t{n}", {}, None, {"x": n}) for n in range(500)]
    assert len(lines(*tables)) <= SCREEN + 1
    assert lines(*tables)[-1] == "… and 488 more tables"
    wide = json.dumps(dict.fromkeys(map(str, range(500)), 0)), json.dumps({"x": 1})
    assert len(lines(changed(*wide), changed("a", "b", 2))) <= SCREEN


def test_a_small_table_is_not_crowded_out_by_a_large_one() -> None:
    """What one leaves over, the other has."""
    large = [changed("a", "b", key) for key in range(1000)]
    small = RowChange("removed", "z", {"id": 1}, {"id": 1}, None)
    told = lines(*large, small)
    assert told[-2:] == ["z  rows: 1 removed", "  - id=1"]
    assert SCREEN - 3 <= len(told) <= SCREEN


def test_changes_of_the_schema_are_told() -> None:
    """Tables with the number of their rows."""
    told = lines(
        SchemaChange("removed", "table", "old", "old", rows=3),
        SchemaChange("changed", "view", "v", before="select 1", after="select 2"),
    )
    assert told == [
        "old  its definition",
        "  - table old (3 rows)",
        "beside the tables",
        "  ~ view v",
        "      'select 1' → 'select 2'",
    ]


@pytest.mark.parametrize("value", ["日本語" * 40, "e\u0301" * 60, "'" * 100, "\x00" * 50, ""])
@pytest.mark.parametrize("room", [6, 20, 60])
def test_a_value_keeps_to_its_room(value: str, room: int, tmp_path: Path) -> None:
    """In columns of the terminal, whatever its letters."""
    assert measure_width(render_value(value, room)) <= max(room, 3)

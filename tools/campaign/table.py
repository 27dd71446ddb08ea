"""The stability of each check, counted from what a campaign has seen."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from tools.campaign.results import CONDITIONS, Condition, Seen

ASKED = {"held", "broken", "unknown"}  # verdicts of checks that a target could be asked


def read_table(file: Path) -> dict[str, Any]:
    """Return what earlier campaigns have counted; delete the file to begin anew."""
    if not file.exists():
        return {"seeds": dict.fromkeys(CONDITIONS, 0), "checks": {}}
    table: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return table


def pick_whole_seeds(seen: Iterable[Seen], subjects: Collection[str]) -> Iterator[Seen]:
    """Yield what was seen with the seeds that everybody was asked with; half a seed waits."""
    by_seed: dict[tuple[Condition, int], list[Seen]] = defaultdict(list)
    for each in seen:
        by_seed[each.unit.condition, each.unit.seed].append(each)
    for together in by_seed.values():
        if {each.unit.subject for each in together} >= set(subjects):
            yield from together


def count(seen: Iterable[Seen]) -> dict[str, Any]:
    """Return, for each check and condition, how often it caught, was asked of the right, blamed."""
    checks: dict[str, Any] = defaultdict(lambda: {each: _nothing() for each in CONDITIONS})
    seeds: dict[str, set[int]] = defaultdict(set)
    for each in seen:
        condition = each.unit.condition
        seeds[condition].add(each.unit.seed)
        for answer in each.answers:
            if answer.verdict not in ASKED:
                continue
            row = checks[answer.code][condition]
            if each.is_right:
                row["right"] += 1
                row["blamed"] += not answer.as_expected
                row["unsure"] += answer.verdict == "unknown"
            else:
                row["wrong"] += 1
                row["caught"] += answer.as_expected
    return {
        "seeds": {condition: len(seeds[condition]) for condition in CONDITIONS},
        "checks": dict(sorted(checks.items())),
    }


def add_tables(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return the sums of two tables."""
    codes = sorted({*before["checks"], *after["checks"]})
    return {
        "seeds": {each: before["seeds"][each] + after["seeds"][each] for each in CONDITIONS},
        "checks": {code: _add_rows(before, after, code) for code in codes},
    }


def _add_rows(before: dict[str, Any], after: dict[str, Any], code: str) -> dict[str, Any]:
    rows: dict[str, Any] = {condition: _nothing() for condition in CONDITIONS}
    for table in (before, after):
        for condition, row in table["checks"].get(code, {}).items():
            for name, number in row.items():
                rows[condition][name] += number
    return rows


def write_table(file: Path, table: dict[str, Any]) -> None:
    """Write the table for the catalogue, one check to a line."""
    lines = [f"  {json.dumps(code)}: {json.dumps(row)}" for code, row in table["checks"].items()]
    seeds = json.dumps(table["seeds"])
    body = ",\n".join(lines)
    file.write_text(f'{{"seeds": {seeds}, "checks": {{\n{body}\n}}}}\n', encoding="utf-8")


def _nothing() -> dict[str, int]:
    return {"wrong": 0, "caught": 0, "right": 0, "blamed": 0, "unsure": 0}

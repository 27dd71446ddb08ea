"""The stability of each check, counted from what a campaign has seen."""

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tools.campaign.results import CONDITIONS, Seen

ASKED = {"held", "broken", "unknown"}  # verdicts of checks that a target could be asked


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


def write_table(file: Path, table: dict[str, Any]) -> None:
    """Write the table for the catalogue, one check to a line."""
    lines = [f"  {json.dumps(code)}: {json.dumps(row)}" for code, row in table["checks"].items()]
    seeds = json.dumps(table["seeds"])
    body = ",\n".join(lines)
    file.write_text(f'{{"seeds": {seeds}, "checks": {{\n{body}\n}}}}\n', encoding="utf-8")


def _nothing() -> dict[str, int]:
    return {"wrong": 0, "caught": 0, "right": 0, "blamed": 0, "unsure": 0}

"""How stable the checks are, as ``make campaign`` has counted it."""

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parents[1] / "stability.json"
CONDITIONS = {"quiet": "on a quiet machine", "busy": "under a load of 12"}


def summarise(families: Sequence[str]) -> Iterator[str]:
    """Yield the section with a row for each family; nothing without a campaign."""
    table = _read()
    if not table["checks"]:
        return
    seeds = ", ".join(
        f"{count} {CONDITIONS[each]}" for each, count in table["seeds"].items() if count
    )
    yield "## How stable the checks are"
    yield ""
    yield (
        "`make campaign` asks every specimen and every correct reference with many seeds "
        f"({seeds}). One run with one seed either catches a specimen or misses it; what is "
        "missed by chance is caught by another seed. A correct reference that is blamed is a "
        "defect of goldfish."
    )
    yield ""
    yield "| family | specimens caught | right answers blamed | left unknown |"
    yield "|---|---|---|---|"
    for family in families:
        row = _add(row for code, row in table["checks"].items() if code.startswith(family))
        blamed = f"{row['blamed']} of {row['right']:,}"
        yield f"| {family} | {_share(row)} | {blamed} | {row['unsure']} |"


def describe(code: str) -> Iterator[str]:
    """Yield the sentence about one check; nothing if no campaign has asked it."""
    told = []
    for condition, row in _read()["checks"].get(code, {}).items():
        if row["wrong"] or row["right"]:
            said = f"caught {_share(row)}, blamed {row['blamed']} of {row['right']} who are right"
            told.append(f"{CONDITIONS[condition]} {said}")
    if told:
        yield f"*Stability.* {'; '.join(told)}."


def _share(row: dict[str, int]) -> str:
    return f"{row['caught']:,} of {row['wrong']:,}"


def _add(rows: Iterator[dict[str, dict[str, int]]]) -> dict[str, int]:
    total = dict.fromkeys(("wrong", "caught", "right", "blamed", "unsure"), 0)
    for row in rows:
        for counted in row.values():
            for name, count in counted.items():
                total[name] += count
    return total


@cache
def _read() -> dict[str, Any]:
    if not TABLE.exists():
        return {"seeds": {}, "checks": {}}
    read: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
    return read

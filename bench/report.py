"""The figures for people, in tables of at most 80 columns, and for programs, as JSON."""

import os
import platform
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.figures import OPPONENTS, Growth, Rate, Ratio, Workload, ratios
from bench.workloads import Sizes

Column = tuple[Workload, int]  # what was done, and with how much

NOTES = (
    "append, at once: turns of two messages per second; read: thousand messages per second. "
    "The second line of a ratio is its target.",
    "raw: the bare driver, equally durable (sqlite3 WAL FULL; psycopg autocommit, 10 connections "
    "for many tasks), writes texts encoded beforehand and reads our rows with json.loads.",
    "Peers run as they come, with their own settings for durability.",
)


@dataclass(frozen=True)
class Results:
    """All that was measured on one backend."""

    backend: str
    rates: Sequence[Rate]
    growths: Sequence[Growth]
    absent: Sequence[str]  # peers that are not installed


def as_json(results: Sequence[Results], sizes: Sizes) -> dict[str, Any]:
    """Everything that was measured, and on what."""
    return {
        "machine": _machine(),
        "sizes": asdict(sizes),
        "rates": [{"backend": r.backend, **asdict(rate)} for r in results for rate in r.rates],
        "ratios": [
            {**asdict(ratio), "met": ratio.met}
            for r in results
            for ratio in ratios(r.backend, r.rates)
        ],
        "growth": [
            {**asdict(growth), "value": growth.value, "target": growth.target, "met": growth.met}
            for r in results
            for growth in r.growths
        ],
        "not_installed": sorted({name for r in results for name in r.absent}),
    }


def render(console: Console, results: Sequence[Results]) -> None:
    """Print a table for each backend, then growth, then what did not take part."""
    for result in results:
        console.print(_table(result))
    growths = [growth for result in results for growth in result.growths]
    if growths:
        console.print(growth_table(growths))
    console.print()
    for line in [*_absences(results), *NOTES]:
        console.print(line, style="dim")


def _table(result: Results) -> Table:
    columns = list(dict.fromkeys((rate.workload, rate.size) for rate in result.rates))
    table = _plain_table(result.backend, "")
    for workload, size in columns:
        table.add_column(_heading(workload, size), justify="right", max_width=10)
    _add_rates(table, result.rates, columns)
    _add_ratios(table, ratios(result.backend, result.rates), columns)
    return table


def _add_rates(table: Table, rates: Sequence[Rate], columns: Sequence[Column]) -> None:
    cells = {(rate.contender, rate.workload, rate.size): _rate_cell(rate) for rate in rates}
    for name in dict.fromkeys(rate.contender for rate in rates):
        table.add_row(name, *(cells.get((name, *column), "") for column in columns))
    table.add_section()


def _add_ratios(table: Table, found: Sequence[Ratio], columns: Sequence[Column]) -> None:
    cells = {(ratio.opponent, ratio.workload, ratio.size): _ratio_cell(ratio) for ratio in found}
    for opponent in OPPONENTS:
        row = [cells.get((opponent, *column), "") for column in columns]
        if any(row):
            table.add_row(f"goldfish ÷\n  {opponent}", *row)


def growth_table(growths: Sequence[Growth]) -> Table:
    table = _plain_table("growth", "", "stored", "ms each", "ratio", "target")
    for growth in growths:
        table.add_row(
            f"{growth.backend}, {growth.step}",
            f"{growth.small:,} → {growth.large:,}",
            f"{growth.small_seconds * 1000:.3f} → {growth.large_seconds * 1000:.3f}",
            f"{growth.value:.2f}",
            f"≤ {growth.target:g} {_verdict(growth.met)}",
        )
    return table


def _plain_table(title: str, *columns: str) -> Table:
    table = Table(title=f"\n{title}", box=None, title_justify="left", padding=(0, 1, 0, 0))
    table.title_style = "bold"
    for column in columns:
        table.add_column(column)
    return table


def _heading(workload: Workload, size: int) -> str:
    return {"append": "append", "at once": f"{size} at once", "read": f"read {size:,}"}[workload]


def _rate_cell(rate: Rate) -> str:
    if rate.per_second is None:
        return "failed"
    return f"{rate.per_second / 1000 if rate.workload == 'read' else rate.per_second:,.0f}"


def _ratio_cell(ratio: Ratio) -> str:
    if ratio.target is None or ratio.met is None:
        return f"{ratio.value:.2f}"
    return f"{ratio.value:.2f}\n≥{ratio.target:g} {_verdict(ratio.met)}"


def _verdict(met: bool) -> str:
    return "[green]met[/]" if met else "[red]below[/]"


def _absences(results: Sequence[Results]) -> list[str]:
    """Who did not take part, or not to the end, and what to do about it."""
    absent = [name for result in results for name in result.absent]
    lines = [f"not installed: {', '.join(absent)}: pip install 'goldfish\\[bench]'"] * bool(absent)
    failed = [rate for result in results for rate in result.rates if rate.failure]
    return lines + [f"{r.contender}, {_heading(r.workload, r.size)}: {r.failure}" for r in failed]


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg()[0],
    }

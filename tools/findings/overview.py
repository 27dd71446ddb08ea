"""The overview of all findings in Markdown: the table of targets, and what matters most."""

from collections.abc import Iterable, Mapping
from typing import Any

from goldfish.integrations.goldfish import GOLDFISH
from goldfish.integrations.library import Library
from tools.findings.commands import LIBRARIES
from tools.findings.figures import count_tested
from tools.findings.highlights import HIGHLIGHTS, Highlight
from tools.findings.markdown import escape, render_table

Figures = Mapping[str, Any]
DATA = "findings/findings.json"


def render_overview(figures: Figures) -> str:
    """Return the page, which ends with a line break."""
    lines = [*_opening(figures), *_targets(figures), *_highlights(figures)]
    return "\n".join(lines) + "\n"


def list_measured(figures: Figures) -> list[Library]:
    """Return the libraries of which a target was measured: the others have no page yet."""
    measured = {each["library"] for each in figures["targets"]}
    return [each for each in LIBRARIES if each.title in measured]


def _opening(figures: Figures) -> list[str]:
    asked = figures["asked"]
    linked = list_measured(figures)
    pages = ", ".join(f"[{each.title}](findings/{each.prefix}.md)" for each in linked)
    return [
        "# What goldfish finds in memory that people use",
        "",
        f"{_total(figures['targets'])} This page has the table of all targets and "
        f"[the ten findings that matter most](#the-ten-findings-that-matter-most); each library "
        f"has a page with all of its findings: {pages}.",
        "",
        f"Made by `make findings` on {asked['day']}, with the releases of that day, Python "
        f"{figures['python']}, seed {asked['seed']}, suite {asked['suite']}, and at most "
        f"{asked['max_time']:g} s for each target. The same figures, with the calls that show "
        f"each finding, are in [findings.json](../{DATA}) for machines.{_days(figures)}"
        f"{_seeds(figures)}",
        "",
    ]


def _days(figures: Figures) -> str:
    """Return which targets were measured on another day than the last one, if any were."""
    last, days = figures["asked"]["day"], dict[str, list[str]]()
    for each in figures["targets"]:
        days.setdefault(each.get("day", last), []).append(f"`{escape(each['target'])}`")
    if len(days) < 2:
        return ""
    new = ", ".join(days.pop(last, []))
    return f" Of that day are {new}; the others were measured on {', '.join(sorted(days))}."


def _seeds(figures: Figures) -> str:
    """Return which targets were measured with another seed, if any were."""
    seeds: dict[int, list[str]] = {}
    for each in figures["targets"]:
        name = f"`{escape(each['target'])}`"
        seeds.setdefault(each.get("seed", figures["asked"]["seed"]), []).append(name)
    others = {seed: names for seed, names in seeds.items() if seed != figures["asked"]["seed"]}
    return "".join(
        f" With seed {seed}, for as long as they took: {', '.join(names)}."
        for seed, names in others.items()
    )


def _total(targets: Iterable[Figures]) -> str:
    """Return the first sentence: what is right comes first."""
    strangers = [each["counts"] for each in targets if each["library"] != GOLDFISH.title]
    held, tested = sum(each["held"] for each in strangers), sum(map(count_tested, strangers))
    return (
        f"The memory of other libraries held {held:,} of the {tested:,} promises it was tested for."
    )


def _targets(figures: Figures) -> list[str]:
    heads = ["target", "held", "broken", "documented", "unsupported", "unknown", "lost"]
    pages = {each.title: each.prefix for each in (*LIBRARIES, GOLDFISH)}
    rows = [
        _row(target, f"findings/{pages[title]}.md")
        for title in pages
        for target in figures["targets"]
        if target["library"] == title
    ]
    return [
        "## The targets",
        "",
        "The numbers are checks. *Documented* is broken too, but the library's own documentation "
        "says so. *Unsupported* is what a library does not have, or never claimed; that is not a "
        "fault. *Unknown* could not be decided. *Lost* is the share of acknowledged messages that "
        "later reads did not return. Targets are measured against what anybody would expect of a "
        "memory, and one with more features is tested for more.",
        "",
        *render_table(heads, rows),
        "",
    ]


def _row(target: Figures, page: str) -> list[str]:
    name, counts = f"[{escape(target['target'])}]({page})", target["counts"]
    if target["error"]:
        return [name, escape(f"not checked: {target['error']}"), "", "", "", "", ""]
    broken = f"**{counts['broken']}**" if counts["broken"] else "0"
    unsupported = counts["unsupported"] + counts["unclaimed"]
    numbers = (counts["held"], broken, counts["documented"], unsupported, counts["unknown"])
    return [name, *map(str, numbers), format_loss(target)]


def format_loss(target: Figures) -> str:
    """Return the loss rate with the two numbers that it is made of."""
    if not target["acknowledged"]:
        return ""
    counts = f"{target['lost']:,} of {target['acknowledged']:,}"
    return f"{100 * target['loss_rate']:.1f} % ({counts})"


def _highlights(figures: Figures) -> list[str]:
    said = {each["script"]: each["said"] for each in figures["scripts"]}
    lines = ["## The ten findings that matter most", ""]
    for number, each in enumerate(HIGHLIGHTS, 1):
        lines += _highlight(number, each, said.get(each.script, ""))
    return lines[:-1]


def _highlight(number: int, finding: Highlight, said: str) -> list[str]:
    shown = f": {escape(said.removeprefix('broken: '))}" if said else ""
    return [
        f"### {number}. {finding.title}",
        "",
        f"- **What happens.** {finding.happens}",
        f"- **What a user sees.** {finding.seen}",
        f"- **The script.** [{finding.script}](../{finding.script}){shown}",
        "",
    ]

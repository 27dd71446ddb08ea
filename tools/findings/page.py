"""The page of findings in Markdown, from the figures."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from tools.findings.figures import advice
from tools.findings.libraries import OURS
from tools.findings.markdown import escaped, fenced, row

Figures = Mapping[str, Any]
BY_FAMILY = {
    "ISO": "Make ids in the application: letters, digits and hyphens, never a user's own text.",
    "DUR": "Keep a copy of what must outlive the process, or use a store that held these.",
    "ORD": "Keep a number of your own in each message, and sort by it.",
    "CON": "Let one worker at a time write to a session: a queue, or a lock that all share.",
    "FID": "Hand in only what JSON holds, and compare what comes back in a test of your own.",
    "CLR": "Read after clearing, and clear again what is still there.",
    "FLT": "Treat an error as an unknown outcome: read before writing once more.",
    "SNP": "Look whether the checkpoint belongs to the thread before forking from it.",
    "DUP": "Look for the fact before telling it again.",
    "REC": "Test recall and filters with facts of your own before relying on them.",
    "LIV": "Keep batches and histories small.",
}
OTHERWISE = "Use a store that held this promise."


def page(figures: Figures) -> str:
    """The whole page, which ends with a line break."""
    lines = [*_opening(figures), *_table(figures), *_promises(figures), *_sections(figures)]
    return "\n".join(lines) + "\n"


def _opening(figures: Figures) -> list[str]:
    asked = figures["asked"]
    return [
        "# What goldfish finds in memory that people use",
        "",
        f"Made by `make findings` on {asked['day']}, with the releases of that day, Python "
        f"{figures['python']}, seed {asked['seed']}, suite {asked['suite']}, and at most "
        f"{asked['max_time']:g} s for each target. The same figures for machines are in "
        "[findings.json](findings.json).",
        "",
        "A promise is *held* or *broken* by what a run saw, and every broken one comes with the "
        "calls that show it and, where there is one, with a short script that shows it with the "
        "library alone. A number after + is *broken, and documented as such*: the library says so "
        "itself. *Unsupported* is what a library does not have, or never claimed; that is no "
        "fault. *Unknown* is what could not be told. What takes longer than it may on a busy "
        "machine was asked once more, alone.",
        "",
        f"{_in_all(figures['targets'])} They are measured against what anybody would expect of a "
        "memory, not against what they say of themselves, and one with more powers is asked more.",
        "",
    ]


def _in_all(targets: Iterable[Figures]) -> str:
    """What is right comes first."""
    strangers = [each["counts"] for each in targets if each["library"] != OURS.title]
    held = sum(each["held"] for each in strangers)
    tested = sum(map(_tested, strangers))
    return f"Of {tested:,} promises that other people's memory was asked for, {held:,} were held."


def _table(figures: Figures) -> list[str]:
    families = list(figures["families"])
    named = ", ".join(f"{code} {name}" for code, name in figures["families"].items())
    heads = ["target", "all", *families, "lost of acknowledged"]
    lines = [
        "## The table",
        "",
        "Each cell: held / broken / unsupported / unknown. "
        f"A dash: nothing of that family could be asked. {named}.",
        "",
        row(*heads),
        row(*("---" for _ in heads)),
    ]
    for each in figures["targets"]:
        lines.append(_line(each, families))
    return [*lines, "", *_not_asked(figures["targets"])]


def _line(target: Figures, families: Sequence[str]) -> str:
    name = f"[{escaped(target['target'])}](#{anchor(target['target'])})"
    if target["error"]:
        return row(name, escaped(f"not asked: {target['error']}"), *("" for _ in families), "")
    cells = [_cell(target["families"][family]) for family in families]
    return row(name, _cell(target["counts"]), *cells, loss(target))


def _cell(counts: Mapping[str, int]) -> str:
    unsupported = counts["unsupported"] + counts["unclaimed"]
    broken = f"**{counts['broken']}**" if counts["broken"] else "0"
    if counts["documented"]:
        broken += f"+{counts['documented']}"
    if not counts["held"] + counts["broken"] + counts["documented"] + counts["unknown"]:
        return "–"  # noqa: RUF001 - a dash
    return f"{counts['held']} / {broken} / {unsupported} / {counts['unknown']}"


def loss(target: Figures) -> str:
    """The loss rate with what it is made of."""
    if not target["acknowledged"]:
        return "nothing counted"
    counts = f"{target['lost']:,} of {target['acknowledged']:,}"
    return f"{100 * target['loss_rate']:.1f} % ({counts})"


def _not_asked(targets: Iterable[Figures]) -> list[str]:
    left = [each for each in targets if each["not_asked"]]
    if not left:
        return ["Every check of the suite was asked of every target that has a row of numbers.", ""]
    told = [
        f"- {escaped(each['target'])}: {len(each['not_asked'])} ({' '.join(each['not_asked'])})"
        for each in left
    ]
    return ["Not asked, because the time was up:", "", *told, ""]


def _promises(figures: Figures) -> list[str]:
    lines = ["## What they say of themselves", ""]
    for each in figures["targets"]:
        if each["promises"]:
            lines.append(f"- {escaped(each['target'])}: {escaped(each['promises'])}.")
    return [*lines, ""]


def _sections(figures: Figures) -> list[str]:
    lines: list[str] = []
    for library, targets in groupby(figures["targets"], key=lambda each: str(each["library"])):
        lines += [f"## {library}", ""]
        for target in targets:
            lines += _target(target, figures)
    return lines


def _target(target: Figures, figures: Figures) -> list[str]:
    versions = ", ".join(f"{name} {number}" for name, number in target["versions"].items())
    lines = [
        f"### {escaped(target['target'])}",
        "",
        f"{escaped(target['about'])}; {escaped(versions)}.",
        "",
    ]
    if target["error"]:
        return [*lines, f"It could not be asked: {escaped(target['error'])}.", ""]
    lines += [_right(target, figures), ""]
    surprising = [each for each in target["findings"] if not each["documented"]]
    for finding in surprising:
        lines += _finding(finding, figures)
    if documented := [each for each in target["findings"] if each["documented"]]:
        lines += _documented(documented)
    for each in target["unknown"]:
        lines += [f"- unknown: {each['code']}: {escaped(each['why'])}"]
    return [*lines, *([""] if target["unknown"] else [])]


def _right(target: Figures, figures: Figures) -> str:
    """What is right, as loudly as what is wrong: the families in which nothing broke."""
    whole = [
        f"{figures['families'][family]} ({counts['held']})"
        for family, counts in target["families"].items()
        if counts["held"] and not counts["broken"] + counts["documented"] + counts["unknown"]
    ]
    held, tested = target["counts"]["held"], _tested(target["counts"])
    told = f"**Right: {held} of {tested} promises held**"
    if held == tested:
        return f"{told}: all that could be asked."
    return told + (f"; all that was asked of {', '.join(whole)}." if whole else ".")


def _tested(counts: Mapping[str, int]) -> int:
    return sum(counts[each] for each in ("held", "broken", "documented", "unknown"))


def _finding(finding: Figures, figures: Figures) -> list[str]:
    promise = finding["promise"].rstrip(".")
    lines = [f"**{finding['code']} {finding['finding']}.** {escaped(promise)}:", ""]
    lines += fenced([finding["summary"], *finding["evidence"]])
    return [*lines, "", *_shown(finding, figures), ""]


def _shown(finding: Figures, figures: Figures) -> list[str]:
    scripts = [each for each in figures["scripts"] if each["script"] in finding["scripts"]]
    lines = [_script(each) for each in scripts] or ["- No script shows it yet without goldfish."]
    told = [said for each in scripts if (said := advice(each["about"]))]
    family = finding["code"].rstrip("0123456789")
    to_do = told[0] if told else BY_FAMILY.get(family, OTHERWISE)
    return [*lines, f"- What to do: {escaped(to_do)}", f"- `{finding['reproduce']}`"]


def _script(script: Figures) -> str:
    link = f"[{script['script']}](../{script['script']})"
    if script["exit"] == 1:
        return f"- With the library alone: {link} exits 1: {escaped(script['said'])}"
    return f"- {link} did not show it this time (exit {script['exit']}): {escaped(script['said'])}"


def _documented(findings: Sequence[Figures]) -> list[str]:
    lines = ["Broken, and documented as such:", ""]
    for each in findings:
        lines.append(
            f"- {each['code']} {each['finding']}: {escaped(each['summary'])} "
            f"(its documentation: {escaped(each['documented'])})"
        )
    return [*lines, ""]


def anchor(heading: str) -> str:
    """The name by which a heading is linked to."""
    return "".join(each for each in heading.lower() if each.isalnum() or each in "-_")

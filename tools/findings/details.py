"""The page of one library in Markdown: its targets, and its findings by what causes them.

A script in ``findings/`` shows one cause with the library alone, and its docstring explains it; so
the findings stand below the script that shows them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from goldfish.integrations.library import Library
from tools.findings.commands import COMMANDS, spell_target
from tools.findings.figures import count_tested, parse_script
from tools.findings.markdown import escape, fence, render_prose, render_table
from tools.findings.overview import format_loss

Figures = Mapping[str, Any]
Found = tuple[str, Figures]  # the name of a target, and a finding


def render_library(library: Library, figures: Figures) -> str:
    """Return the page of a library, which ends with a line break."""
    targets = [each for each in figures["targets"] if each["library"] == library.title]
    found = [(each["target"], one) for each in targets for one in each["findings"]]
    open_ones = [each for each in found if not each[1]["documented"]]
    lines = [
        f"# Findings: {library.title}",
        "",
        f"[All libraries](../findings.md) · {_versions(targets)}, {_days(targets, figures)}. "
        f"Reproduce a finding with {_reproduce(targets, figures)}.",
        "",
        *_targets(targets, figures["families"]),
        *_limits(targets),
        *_causes(library, open_ones, figures["scripts"]),
        *_unexplained([each for each in open_ones if not each[1]["scripts"]]),
        *_documented([each for each in found if each[1]["documented"]]),
        *_undecided(targets),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _reproduce(targets: Sequence[Figures], figures: Figures) -> str:
    """Return the command that repeats a check; that of a memory in another language is spelled."""
    commands = [each for each in targets if each["target"] in COMMANDS]
    if not commands:
        return f"`goldfish check TARGET --only CODE --seed {figures['asked']['seed']}`"
    return " or ".join(
        f"`goldfish check '{spell_target(each['target'])}' --only CODE "
        f"--seed {each.get('seed', figures['asked']['seed'])}`"
        for each in commands
    )


def _days(targets: Iterable[Figures], figures: Figures) -> str:
    """Return the day on which the targets were measured, or the days."""
    last = figures["asked"]["day"]
    return " and ".join(sorted({each.get("day", last) for each in targets})) or last


def _versions(targets: Iterable[Figures]) -> str:
    versions: dict[str, str] = {}
    for each in targets:
        versions |= each["versions"]
    return escape(", ".join(f"{name} {number}" for name, number in versions.items()))


def _targets(targets: Sequence[Figures], families: Mapping[str, str]) -> list[str]:
    """Return the table of the targets, with the families of which anything was tested."""
    tested = [
        code
        for code in families
        if any(count_tested(each["families"].get(code, {})) for each in targets)
    ]
    heads = ["target", "memory", "all", *tested, "lost of acknowledged"]
    rows = [_row(each, tested) for each in targets]
    names = ", ".join(f"{code} {families[code]}" for code in tested)
    return [
        "## Targets",
        "",
        "Each cell: held / broken / unsupported / unknown; a number after + is broken as "
        f"documented, and a dash means that nothing could be tested. {names}.",
        "",
        *render_table(heads, rows),
        "",
    ]


def _row(target: Figures, families: Sequence[str]) -> list[str]:
    name, about = f"`{target['target']}`", escape(target["about"])
    if target["error"]:
        return [name, about, escape(f"not checked: {target['error']}"), *("" for _ in families), ""]
    cells = [_cell(target["families"].get(family, {})) for family in families]
    return [name, about, _cell(target["counts"]), *cells, format_loss(target)]


def _cell(counts: Mapping[str, int]) -> str:
    if not count_tested(counts):
        return "–"  # noqa: RUF001 - a dash
    broken = f"**{counts['broken']}**" if counts["broken"] else "0"
    if counts["documented"]:
        broken += f"+{counts['documented']}"
    unsupported = counts["unsupported"] + counts["unclaimed"]
    return f"{counts['held']} / {broken} / {unsupported} / {counts['unknown']}"


def _limits(targets: Iterable[Figures]) -> list[str]:
    """Return what the documentation says of each memory's limits."""
    said: dict[str, list[str]] = {}
    for each in targets:
        if each["promises"]:
            said.setdefault(each["promises"], []).append(each["target"])
    lines = [f"- {_names(names)}: {escape(text)}." for text, names in said.items()]
    return ["## What the documentation says", "", *lines, ""] if lines else []


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{each}`" for each in names)


def _causes(library: Library, found: Sequence[Found], scripts: Iterable[Figures]) -> list[str]:
    own = [each for each in scripts if each["library"] == library.prefix]
    broken = {each["script"]: _shown_by(each["script"], found) for each in own}
    lines: list[str] = []
    for each in own:
        if broken[each["script"]]:
            lines += _cause(each, broken[each["script"]])
    idle = [each for each in own if not broken[each["script"]]]
    parts = ["## Findings", "", *lines] if lines else []
    return [*parts, *_idle(idle)]


def _shown_by(script: str, found: Iterable[Found]) -> list[Found]:
    return [each for each in found if script in each[1]["scripts"]]


def _cause(script: Figures, found: Sequence[Found]) -> list[str]:
    about = parse_script(script["about"])
    target, example = _example(script, found)
    return [
        f"### {render_prose(about.title)}",
        "",
        *([render_prose(about.text), ""] if about.text else []),
        *_codes(found),
        "",
        f"For example, {example['code']} of `{target}` ({escape(example['promise'].rstrip('.'))}):",
        "",
        *fence([example["summary"], *example["evidence"]]),
        "",
        _script(script),
        *([f"- What to do: {render_prose(about.advice)}"] if about.advice else []),
        "",
    ]


def _example(script: Figures, found: Sequence[Found]) -> Found:
    """Return the finding of the check that the script is named after, or the first one."""
    code = PurePosixPath(script["script"]).stem[:5]
    named = [each for each in found if each[1]["code"] == code]
    return (named or found)[0]


def _codes(found: Iterable[Found]) -> list[str]:
    """Return the broken checks of each target, in one line for targets that break the same."""
    by_target: dict[str, list[str]] = {}
    for target, each in found:
        by_target.setdefault(target, []).append(f"{each['code']} {each['finding']}")
    by_codes: dict[str, list[str]] = {}
    for target, codes in by_target.items():
        by_codes.setdefault(", ".join(codes), []).append(target)
    return [f"- {_names(names)}: {codes}" for codes, names in by_codes.items()]


def _script(script: Figures) -> str:
    link = f"[{script['script']}](../../{script['script']})"
    if script["exit"] == 1:
        return f"- With the library alone, {link} exits 1: {escape(script['said'])}"
    return f"- {link} did not show it this time (exit {script['exit']}): {escape(script['said'])}"


def _idle(scripts: Iterable[Figures]) -> list[str]:
    lines = [
        f"- [{each['script']}](../../{each['script']}): "
        f"{render_prose(parse_script(each['about']).title)} (exit {each['exit']}: "
        f"{escape(each['said'])})"
        for each in scripts
    ]
    return ["## Scripts whose checks broke nothing in this run", "", *lines, ""] if lines else []


def _unexplained(found: Sequence[Found]) -> list[str]:
    lines = [
        f"- `{target}` {each['code']} {each['finding']}: {escape(each['summary'])}"
        for target, each in found
    ]
    return ["## Findings that no script shows yet", "", *lines, ""] if lines else []


def _documented(found: Iterable[Found]) -> list[str]:
    by_text: dict[str, list[Found]] = {}
    for each in found:
        by_text.setdefault(each[1]["documented"], []).append(each)
    lines: list[str] = []
    for text, ones in by_text.items():
        lines += [f"Its documentation says: {escape(text)}.", "", *_codes(ones), ""]
    return ["## Broken as documented", "", *lines] if lines else []


def _undecided(targets: Iterable[Figures]) -> list[str]:
    lines = [
        f"- `{each['target']}` {one['code']}: unknown: {escape(one['why'])}"
        for each in targets
        for one in each["unknown"]
    ]
    lines += [
        f"- `{each['target']}`: {len(each['not_asked'])} not run, because the time was up "
        f"({' '.join(each['not_asked'])})"
        for each in targets
        if each["not_asked"]
    ]
    return ["## Not decided", "", *lines, ""] if lines else []

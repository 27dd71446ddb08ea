"""The catalogue as pages: one per family of checks, one entry per check, with its specimens."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from docs.making import stability
from docs.making.markdown import escaped
from goldfish.catalogue.registry import Check, catalogue
from goldfish.findings.families import FAMILIES
from goldfish.findings.remedies import find_remedy
from goldfish.specimens import Specimen, gallery


def pages() -> Iterator[tuple[str, str]]:
    """Each page of the catalogue with its path."""
    yield "catalogue/index.md", _index()
    for family in FAMILIES:
        yield f"catalogue/{family}.md", _family(family)


def _index() -> str:
    lines = [
        "# The catalogue",
        "",
        f"{len(_all())} promises that a memory makes, in {len(FAMILIES)} families. A store is "
        "asked only for those that it has the methods for.",
        "Each is proven by specimens: stores that are wrong in exactly one way, which the check "
        "must catch, with the right word.",
        "",
        "| family | about | promises |",
        "|---|---|---|",
    ]
    for family, about in FAMILIES.items():
        lines.append(f"| [{family}]({family}.md) | {about} | {len(_checks(family))} |")
    lines += ["", *stability.summarise(list(FAMILIES)), "", "## Every promise", ""]
    lines += [_line(check) for check in _all()]
    return "\n".join(lines) + "\n"


def _line(check: Check) -> str:
    return f"- [{check.code}]({check.family}.md#{check.code.lower()}) {escaped(check.promise)}"


def _checks(family: str) -> list[Check]:
    return [check for check in _all() if check.family == family]


@cache
def _all() -> tuple[Check, ...]:
    return tuple(catalogue().values())


def _family(family: str) -> str:
    title = f"{family}: {FAMILIES[family]}"
    entries = [_entry(check) for check in _checks(family)]
    return "\n".join([f"# {title}", "", *entries])


def _entry(check: Check) -> str:
    caught = _specimens()[check.code]
    return "\n\n".join(
        [
            f"## {check.code}",
            f"**{escaped(check.promise)}**",
            f"*Incident.* {escaped(check.incident)}",
            *_advised(check, caught),
            *stability.describe(check.code),
            *map(_specimen, caught),
            "",
        ]
    )


@cache
def _specimens() -> dict[str, list[Specimen]]:
    """The specimens by the check that catches them."""
    caught: dict[str, list[Specimen]] = {}
    for each in gallery().values():
        caught.setdefault(each.caught_by, []).append(each)
    return caught


def _advised(check: Check, caught: list[Specimen]) -> Iterator[str]:
    """What usually causes it and what mends it, once for each word that it is found by."""
    told: dict[Any, list[str]] = {}
    for finding in dict.fromkeys(each.finding for each in caught):
        told.setdefault(find_remedy(check.code, finding), []).append(finding)
    for given, findings in told.items():
        words = "" if len(told) == 1 else f" ({', '.join(findings)})"
        yield f"*Mechanism{words}.* {escaped(given.mechanism)}"
        yield f"*Fix{words}.* {escaped(given.fix)}"
        if given.example:
            yield f"```python\n{given.example.strip()}\n```"


def _specimen(specimen: Specimen) -> str:
    command = f"goldfish check specimen:{specimen.name} --only {specimen.caught_by}"
    return f"*Specimen* ({specimen.finding}). {escaped(specimen.bug)}\n\n```text\n{command}\n```"

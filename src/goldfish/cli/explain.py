"""``goldfish explain``: a check with its incident and its fix, a family, or a kind of finding."""

from collections import Counter

from goldfish.catalogue.profiles import PROFILES, list_aspects
from goldfish.catalogue.registry import SUITES, Check, Need, catalogue
from goldfish.errors import UsageError
from goldfish.findings.families import FAMILIES
from goldfish.findings.kinds import KINDS
from goldfish.findings.remedies import REMEDIES, Remedy, find_remedy
from goldfish.report.page import Page
from goldfish.report.words import MEANINGS, find_word
from goldfish.specimens import Specimen, gallery
from goldfish.targets.lookup import suggest_name

LABEL = "{:<11}"
MOST_SPECIMENS = 6  # of a word: some have dozens


def explain(name: str) -> int:
    """Tell about a code, a family or a word; a UsageError names the nearest."""
    page, word = Page(), name.strip().lower()
    if word in KINDS:
        _explain_finding(page, word)
    elif (verdict := find_word(name)) is not None:
        page.write(MEANINGS[verdict], label=f"{verdict}  ", style="bold")
    elif word in PROFILES:
        _explain_profile(page, word)
    elif word.upper() in FAMILIES:
        _explain_family(page, word.upper())
    else:
        _explain_check(page, _find_check(name))
    return 0


def _explain_check(page: Page, check: Check) -> None:
    """Write a check in full: its promise and incident, what goes wrong and how to fix it."""
    caught = [each for each in gallery().values() if each.caught_by == check.code]
    page.write(check.promise, label=f"{check.code}  ", style="bold")
    page.write()
    page.write(f"{check.family}, {FAMILIES[check.family]}", label=LABEL.format("family"))
    page.write(f"{check.suite}", label=LABEL.format("suite"))
    page.write(_describe_scope(check), label=LABEL.format("since"))
    needs = "; ".join(need.text for need in _listed_needs(check)) or "only what every memory has"
    page.write(needs, label=LABEL.format("needs"))
    page.write(check.incident, label=LABEL.format("incident"))
    _write_advice(page, find_remedy(check.code, _most_common_finding(caught)))
    for specimen in caught:
        page.write()
        page.write(f"{specimen.bug} ({specimen.finding})", label=LABEL.format("it catches"))
        _write_command(page, specimen)


def _explain_family(page: Page, family: str) -> None:
    """Write a family: each promise, and where to read on."""
    page.write(FAMILIES[family], label=f"{family}  ", style="bold")
    page.write()
    checks = [each for each in catalogue().values() if each.family == family]
    for check in checks:
        page.write(check.promise, label=f"{check.code}  ")
    page.write()
    page.write(f"`goldfish explain {checks[0].code}` tells one of them in full.")


def _explain_profile(page: Page, name: str) -> None:
    """Write what a memory of this profile is held to, and how many promises that are."""
    page.write(PROFILES[name], label=f"{name}  ", style="bold")
    page.write()
    held = [each for each in catalogue().values() if list_aspects(each) <= {name}]
    page.write(f"{len(held)} promises: `goldfish checks --profile {name}` lists them.")
    page.write("Several profiles add up: --profile shared --profile durable.")


def _explain_finding(page: Page, word: str) -> None:
    """Write a kind of finding: what it means, what causes it, and specimens that show it."""
    caught = [each for each in gallery().values() if each.finding == word]
    page.write(KINDS[word].meaning, label=f"{word}  ", style="bold")
    page.write()
    _write_advice(page, REMEDIES[word])
    page.write()
    codes = sorted({each.caught_by for each in caught})
    page.write(" ".join(codes), label=LABEL.format("found by"))
    suites = {code: check.suite for code, check in catalogue().items()}
    plain = sorted(caught, key=lambda each: SUITES.index(suites[each.caught_by]))
    for specimen in plain[:MOST_SPECIMENS]:
        page.write()
        page.write(specimen.bug, label=LABEL.format("as in"))
        _write_command(page, specimen)


def _write_advice(page: Page, advised: Remedy) -> None:
    """Write the usual cause, and the fix with its code, which is never wrapped."""
    page.write(advised.mechanism, label=LABEL.format("mechanism"))
    page.write(advised.fix, label=LABEL.format("fix"))
    if advised.example:
        page.write()
    for line in advised.example.rstrip().splitlines():
        page.write_code(line, indent=len(LABEL.format("")))


def _most_common_finding(specimens: list[Specimen]) -> str | None:
    """Return what the check finds most often in the specimens that it catches."""
    counted = Counter(each.finding for each in specimens).most_common(1)
    return counted[0][0] if counted else None


def _write_command(page: Page, specimen: Specimen) -> None:
    command = f"goldfish check specimen:{specimen.name} --only {specimen.caught_by}"
    page.write(command, indent=len(LABEL.format("")), style="cyan")


def _find_check(name: str) -> Check:
    there, code = catalogue(), name.strip().upper()
    if code not in there:
        see = "`goldfish checks` lists them"
        raise UsageError(
            suggest_name("check", name, [*there, *KINDS, *FAMILIES, *MEANINGS, *PROFILES], see=see)
        )
    return there[code]


def _describe_scope(check: Check) -> str:
    """Return the edition that has it first, and the profiles that it takes."""
    aspects = " and ".join(sorted(list_aspects(check))) or "every profile"
    return f"{check.since}; profile: {aspects}"


def _listed_needs(check: Check) -> tuple[Need, ...]:
    return check.needs if check.about == "messages" else check.every_need

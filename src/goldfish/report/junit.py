"""The report for continuous integration: JUnit XML, a suite per target, a case per check.

One cause is one failure: the other checks that it breaks are skipped, and point to that one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from goldfish.engine.baseline import Account
from goldfish.findings.causes import Cause
from goldfish.findings.result import Report, Result, Verdict
from goldfish.report.causes import list_cause_lines, list_causes
from goldfish.report.results import list_lines, state_finding
from goldfish.report.sanitize import escape_controls, sanitize_report

KIND = {
    Verdict.BROKEN: "failure",
    Verdict.UNKNOWN: "error",
    Verdict.UNSUPPORTED: "skipped",
    Verdict.SKIPPED: "skipped",
}


def render_junit(accounts: Sequence[Account]) -> str:
    """Return all reports as one document; a known failure is a skipped case with its reason."""
    root = ElementTree.Element("testsuites", name="goldfish")
    for account in accounts:
        _add_suite(root, sanitize_report(account.report), account.known)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_suite(root: ElementTree.Element, report: Report, known: Mapping[str, str]) -> None:
    causes = {code: cause for cause in list_causes(report, known) for code in cause.codes}
    cases = [
        _Case(result, known.get(result.code), causes.get(result.code)) for result in report.results
    ]
    kinds = [case.kind for case in cases]
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=escape_controls(report.target),
        tests=str(len(kinds)),
        failures=str(kinds.count("failure")),
        errors=str(kinds.count("error")),
        skipped=str(kinds.count("skipped")),
        time=f"{sum(result.seconds for result in report.results):.3f}",
    )
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name="seed", value=str(report.seed))
    for name in ("edition", "profile"):
        if value := getattr(report, name):
            ElementTree.SubElement(properties, "property", name=name, value=value)
    for each in report.absences:
        told = f"{each.sentence} To hold it to that: {each.declaration}"
        ElementTree.SubElement(properties, "property", name=f"does_not.{each.trait}", value=told)
    for number, note in enumerate(report.notes, 1):
        value = escape_controls(note)
        ElementTree.SubElement(properties, "property", name=f"note.{number}", value=value)
    for case in cases:
        _add_case(suite, report.target, case)


@dataclass(frozen=True)
class _Case:
    """A check as a test case: its result, why it is known, and the cause that breaks it."""

    result: Result
    known: str | None
    cause: Cause | None

    @property
    def kind(self) -> str | None:
        return "skipped" if self.known or self._hangs else KIND.get(self.result.verdict)

    @property
    def message(self) -> str:
        if self.known:
            return f"known: {self.known}"
        finding = state_finding(self.result)
        if self.cause and self._hangs:
            return f"probably broken by the same cause as {self.cause.first.code}: {finding}"
        return finding

    @property
    def text(self) -> str:
        lines = list_cause_lines(self.cause) if self.cause else list_lines(self.result)
        return "\n".join(lines)

    @property
    def _hangs(self) -> bool:
        return self.cause is not None and self.cause.first is not self.result


def _add_case(suite: ElementTree.Element, target: str, case: _Case) -> None:
    result = case.result
    added = ElementTree.SubElement(
        suite,
        "testcase",
        classname=escape_controls(target),
        name=f"{result.code} {result.name}",
        time=f"{result.seconds:.3f}",
    )
    if case.kind is None:
        return
    outcome = ElementTree.SubElement(added, case.kind, message=escape_controls(case.message))
    if case.kind != "skipped":
        outcome.set("type", result.finding or result.verdict.value)
        outcome.text = case.text

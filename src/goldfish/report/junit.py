"""The report for continuous integration: JUnit XML, a suite per target, a case per check."""

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from goldfish.engine.baseline import Account
from goldfish.findings.result import Report, Result, Verdict
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
    kinds = [_get_kind(result, known) for result in report.results]
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
    for result in report.results:
        _add_case(suite, report.target, result, known)


def _add_case(
    suite: ElementTree.Element, target: str, result: Result, known: Mapping[str, str]
) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=escape_controls(target),
        name=f"{result.code} {result.name}",
        time=f"{result.seconds:.3f}",
    )
    kind = _get_kind(result, known)
    if kind is None:
        return
    reason = f"known: {known[result.code]}" if result.code in known else state_finding(result)
    outcome = ElementTree.SubElement(case, kind, message=escape_controls(reason))
    if kind != "skipped":
        outcome.set("type", result.finding or result.verdict.value)
        outcome.text = "\n".join(list_lines(result))


def _get_kind(result: Result, known: Mapping[str, str]) -> str | None:
    return "skipped" if result.code in known else KIND.get(result.verdict)

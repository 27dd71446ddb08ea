"""What the judge says about a history in the notation, in one word for each finding."""

from goldfish.history.notation import parse_history
from goldfish.judges import Finding, judge


def findings(text: str) -> tuple[Finding, ...]:
    """What was found in what the calls showed, apart from whether they were answered."""
    found = judge(parse_history(text)).findings
    return tuple(each for each in found if each.kind not in {"refused", "wedged"})


def kinds(text: str) -> list[str]:
    """The kinds of those, each once, the worst first."""
    return list(dict.fromkeys(finding.kind for finding in findings(text)))

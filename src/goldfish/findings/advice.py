"""What usually causes a broken promise, and how to mend it."""

from dataclasses import dataclass

from goldfish.findings.kinds import KINDS
from goldfish.findings.remedies import REMEDIES


@dataclass(frozen=True)
class Advice:
    """The usual mechanism, how to fix it in words, and a few lines of Python that show the fix."""

    mechanism: str
    fix: str
    example: str = ""


def advice(code: str, finding: str | None = None) -> Advice:
    """The most particular text there is for a check and what it found.

    Without a finding, what the check is mostly about.
    """
    family = code[:3]
    # What every check may end with is not what the check's own text is about.
    own = [] if finding in KINDS and KINDS[finding].is_of_any_call else [code]
    named = [f"{code} {finding}", *own, f"{family} {finding}", finding] if finding else own
    for key in (*named, family):
        if key in REMEDIES:
            return Advice(*REMEDIES[key])
    raise KeyError(f"there is no advice for {code}: use a code that `goldfish checks` lists")

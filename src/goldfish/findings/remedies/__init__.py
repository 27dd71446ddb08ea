"""Usual causes of findings, each with its fix in words and in a few lines of Python."""

from goldfish.findings.kinds import KINDS
from goldfish.findings.remedies import agents, faults, memories, removals, values
from goldfish.findings.remedies.memories import LIMIT
from goldfish.findings.remedies.remedy import Remedy

__all__ = ["CAUSES", "LIMIT", "REMEDIES", "Remedy", "find_remedy"]

CAUSES = (*memories.CAUSES, *values.CAUSES, *removals.CAUSES, *faults.CAUSES, *agents.CAUSES)
REMEDIES = {name: remedy for remedy in CAUSES for name in remedy.answers}


def find_remedy(code: str, finding: str | None = None) -> Remedy:
    """Return the most specific remedy for a check and its finding.

    Without a finding, it is the remedy for what the check is mostly about.
    """
    family = code[:3]
    # The check's own remedy does not explain a finding that any call can end with.
    own = [] if finding in KINDS and KINDS[finding].is_of_any_call else [code]
    names = [f"{code} {finding}", *own, f"{family} {finding}", finding] if finding else own
    for name in (*names, family):
        if name in REMEDIES:
            return REMEDIES[name]
    raise KeyError(f"there is no remedy for {code}: use a code that `goldfish checks` lists")

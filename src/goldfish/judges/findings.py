"""What judges return: findings with the calls that prove them, and the counts of a history."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.findings.kinds import rank
from goldfish.history import Call, find_tag

PER_KIND = 3  # of one kind in one session: the first ones tell the story
IN_ALL = 20


@dataclass(frozen=True)
class Finding:
    """One thing that no correct memory does, with the few calls that prove it."""

    kind: str
    session: str
    summary: str
    calls: tuple[Call, ...]
    elements: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """The findings of a history, the gravest first, and how much of it was acknowledged and seen.

    ``acknowledged`` counts the messages whose add was answered; ``lost`` those of them that are
    gone; ``confirmed`` those that some read showed; ``never_read`` those of which neither a read
    nor a removal tells what became of them.
    """

    findings: tuple[Finding, ...]
    acknowledged: int = 0
    lost: int = 0
    confirmed: int = 0
    never_read: int = 0

    @property
    def loss_rate(self) -> float:
        """The share of the acknowledged messages that is gone."""
        return self.lost / self.acknowledged if self.acknowledged else 0.0

    @property
    def proven(self) -> bool:
        """True if any acknowledged message was read back: otherwise nothing is known."""
        return self.confirmed > 0


def find_moment(finding: Finding) -> float:
    """Return when the finding came to light."""
    return max(call.end for call in finding.calls)


def keep_first_of_each(findings: Iterable[Finding]) -> list[Finding]:
    """Return the first few of each kind, in time."""
    kept: list[Finding] = []
    seen: Counter[str] = Counter()
    for finding in sorted(findings, key=find_moment):
        seen[finding.kind] += 1
        if seen[finding.kind] <= PER_KIND:
            kept.append(finding)
    return kept


def choose_headlines(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return a few of every kind that was found, the gravest kind first."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, int, Finding]] = []
    for finding in sorted(findings, key=find_moment):
        ranked.append((seen[finding.kind], rank(finding.kind), finding))
        seen[finding.kind] += 1
    chosen = sorted(ranked, key=lambda entry: entry[:2])[:IN_ALL]
    return tuple(entry[2] for entry in sorted(chosen, key=lambda entry: (entry[1], entry[0])))


def sort_distinct(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return the calls, each once, in the order in which they began."""
    # By identity: the contents of a call may be of any kind, also such that cannot be hashed.
    once = {id(call): call for call in calls}
    return tuple(sorted(once.values(), key=lambda call: (call.start, call.end)))


def join_names(contents: Sequence[Any], limit: int = 3) -> str:
    """Return the short names of the first few messages: "'a', 'b', 'c' and 2 more"."""
    names = ", ".join(quote(find_tag(content)) for content in contents[:limit])
    return f"{names} and {len(contents) - limit} more" if len(contents) > limit else names


def inflect(contents: Sequence[Any], verb: str) -> str:
    """Return the word, or its plural if there are several contents."""
    plurals = {"is": "are", "was": "were", "it": "them"}
    return plurals[verb] if len(contents) > 1 else verb


def quote(text: str, width: int = 60) -> str:
    """Return the text in quotes, without its middle if it is long."""
    half = width // 2
    return repr(text if len(text) <= width else f"{text[:half]}…{text[-half:]}")

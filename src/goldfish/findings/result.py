"""What is said about a memory: findings, verdicts, and the report that collects them."""

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from goldfish.findings.absence import Absence
from goldfish.findings.kinds import KINDS
from goldfish.findings.reason import Reason, Why
from goldfish.findings.remainder import Remainder
from goldfish.history.conditions import PROCESSES, REOPENED
from goldfish.history.dialogue import Dialogue
from goldfish.history.excerpt import Excerpt
from goldfish.history.metrics import Figures
from goldfish.history.origin import Origin

SHORTEST_LIMIT = 10  # messages; of fewer, the others may be missing for any reason


class Verdict(StrEnum):
    """held, broken, unknown (we could not tell), unsupported (no such power), skipped."""

    HELD = "held"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    SKIPPED = "skipped"


class Violation(Exception):  # noqa: N818 - it is the target's error, not ours
    """A broken promise: ``Violation("lost: acknowledged 'a7', read back ['a1'…'a6']")``.

    ``session`` and ``about`` name the session and the contents in question, if it is about such,
    ``remainder`` which end of the session is left; ``excerpt`` has the calls that show it, where
    the check knows them itself, and ``dialogue`` the prompts of an agent.
    """

    def __init__(
        self,
        text: str,
        *evidence: str,
        session: str | None = None,
        about: tuple[Any, ...] = (),
        remainder: Remainder | None = None,
        excerpt: Excerpt | None = None,
        dialogue: Dialogue | None = None,
    ) -> None:
        super().__init__(text)
        self.finding, colon, self.summary = text.partition(": ")
        if self.finding not in KINDS or not colon:
            raise ValueError(f"a violation begins with one of {', '.join(KINDS)}: {text!r}")
        self.evidence = evidence
        self.session = session
        self.about = about
        self.remainder = remainder
        self.excerpt = excerpt
        self.dialogue = dialogue


class UnprovenError(Exception):
    """Nothing was seen that could prove the promise: neither held nor broken, but unknown."""


class UnsupportedError(Exception):
    """The target turns out not to have what the check is about; ``reason`` says what that is."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True)
class Result:
    """What one check found about one target."""

    code: str
    name: str
    promise: str
    verdict: Verdict
    reason: Reason | None = (
        None  # why there is no other verdict; of a broken promise, what is wrong
    )
    finding: str | None = None
    evidence: tuple[str, ...] = ()
    seconds: float = 0.0
    reproduce: str = ""
    acknowledged: int = 0  # messages, in the histories that were judged
    lost: int = 0
    documented: str = ""  # what the memory's documentation says of it: its fault is no surprise
    excerpt: Excerpt | None = None  # the calls that show what is broken
    figures: Figures | None = None  # what its calls show beside the verdict
    origin: Origin | None = None  # where the error was raised that it is about
    conditions: frozenset[str] = frozenset()  # under which it was asked
    backend: str = ""  # what the memory was seen to write to
    is_basic: bool = False  # it asks for ordinary calls with ordinary values
    dialogue: Dialogue | None = None  # the turns and prompts that show what is broken
    remainder: Remainder | None = None  # which end is left of the history in question
    notes: tuple[str, ...] = ()  # what was seen beside the verdict, and a reader should know
    said: tuple[tuple[str, int], ...] = ()  # of several runs: how often it said what

    @property
    def family(self) -> str:
        """The letters of the code."""
        return self.code.rstrip("0123456789")

    @property
    def summary(self) -> str:
        """The reason as a sentence."""
        return str(self.reason) if self.reason else ""

    @property
    def is_limited(self) -> bool:
        """Whether only one end of a long history is there, and only a limit explains that."""
        left = self.remainder
        ordinary = not self.conditions - {REOPENED, PROCESSES}
        return left is not None and left.count >= SHORTEST_LIMIT and ordinary

    @property
    def is_unsteady(self) -> bool:
        """Whether it did not say the same in all of several runs."""
        return len(self.said) > 1

    @property
    def is_unclaimed(self) -> bool:
        """Whether the check goes beyond what the memory ever promised."""
        return self.reason is not None and self.reason.why is Why.NOT_CLAIMED


@dataclass(frozen=True)
class Report:
    """What all checks found about one target."""

    target: str
    seed: int
    results: tuple[Result, ...]
    promises: str = ""  # what the memory's documentation says of its limits
    absences: tuple[Absence, ...] = ()  # what the memory does not do, as the interview found
    edition: str = ""  # the edition that was asked for; empty if all checks were
    profile: str = ""  # what the memory was held to be
    runs: int = 1  # how often each check was asked
    place: str = ""  # file and line of the target, if a user wrote it

    @property
    def notes(self) -> list[str]:
        """What checks saw beside their verdicts, each once."""
        return list(dict.fromkeys(note for result in self.results for note in result.notes))

    @property
    def acknowledged(self) -> int:
        """How many messages were acknowledged in the histories that were judged."""
        return sum(result.acknowledged for result in self.results)

    @property
    def lost(self) -> int:
        """How many of those were gone later."""
        return sum(result.lost for result in self.results)

    @property
    def loss_rate(self) -> float:
        """The share of what was acknowledged that was then lost."""
        return self.lost / self.acknowledged if self.acknowledged else 0.0

    @property
    def backend(self) -> str:
        """What the memory writes to: redis, postgres, sqlite or files; empty if that is unknown."""
        seen = Counter(result.backend for result in self.results if result.backend)
        return max(seen, key=lambda each: seen[each], default="")

    @property
    def verdict(self) -> Verdict:
        """Broken beats unknown beats held; where nothing was held, nothing is known."""
        verdicts = {result.verdict for result in self.results}
        if Verdict.BROKEN in verdicts:
            return Verdict.BROKEN
        if Verdict.UNKNOWN in verdicts or Verdict.HELD not in verdicts:
            return Verdict.UNKNOWN
        return Verdict.HELD

    @property
    def asked(self) -> int:
        """How many checks ran: held, broken or unknown."""
        unasked = {Verdict.UNSUPPORTED, Verdict.SKIPPED}
        return sum(result.verdict not in unasked for result in self.results)

    @property
    def is_cut_short(self) -> bool:
        """Whether the time was up before all checks had ended."""
        reasons = [each.reason for each in self.results if each.reason is not None]
        return any(each.why is Why.TIME_UP for each in reasons)

    @property
    def is_mostly_unasked(self) -> bool:
        """Whether fewer promises were asked than not: "held" alone would say too much."""
        return self.asked < len(self.results) - self.asked

    @property
    def counts(self) -> dict[str, int]:
        """How many checks ended with each verdict."""
        counted = Counter(result.verdict for result in self.results)
        return {verdict.value: counted[verdict] for verdict in Verdict}

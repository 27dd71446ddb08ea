"""The kinds of findings: every word for what a memory does wrong, and what belongs to it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto


class Sign(Enum):
    """How a history shows a finding."""

    ABSENCE = auto()  # a read lacks something that it had to show
    PRESENCE = auto()  # an answer shows something that it must not show, and so proves itself
    ORDER = auto()  # reads show the right messages in the wrong order
    FAILURE = auto()  # a call failed, or got no answer
    SILENCE = auto()  # a call succeeded that had to fail


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    ``meaning`` defines the word; ``deed`` says what a memory with such a finding does; ``mark`` is
    what a drawing writes beside the read that shows it; ``forgets`` is True if a message is gone,
    as those are that a memory of the last few messages drops on purpose; ``home`` is the family of
    checks that is about it, if one is.
    """

    word: str
    sign: Sign
    meaning: str
    deed: str
    mark: str = ""
    forgets: bool = False
    home: str = ""

    @property
    def is_of_any_call(self) -> bool:
        """True if every check can end with this kind, whatever the check is about."""
        return self.sign in {Sign.FAILURE, Sign.SILENCE}


# The gravest for a user first: data in the wrong hands, then data that is gone or false, then data
# in the wrong place or of another time, then answers.
KINDS = {
    kind.word: kind
    for kind in (
        Kind(
            "leaked",
            Sign.PRESENCE,
            "Data of one session or user was returned to another.",
            "shows one session what belongs to another",
            "not of this session",
            home="ISO",
        ),
        Kind(
            "lost",
            Sign.ABSENCE,
            "Something that was acknowledged is missing from a later read.",
            "loses messages that it had acknowledged",
            forgets=True,
        ),
        Kind(
            "resurrected",
            Sign.PRESENCE,
            "Something that was removed comes back.",
            "brings back what was removed",
            "there again",
        ),
        Kind(
            "corrupted",
            Sign.PRESENCE,
            "Something comes back changed: a text, a field, a value under a name.",
            "returns something other than what it was given",
            "changed",
            home="FID",
        ),
        Kind(
            "phantom",
            Sign.PRESENCE,
            "A read returns something that nobody wrote.",
            "shows what nobody wrote",
            "nobody wrote it",
        ),
        Kind(
            "duplicated",
            Sign.PRESENCE,
            "Something that was written once is there twice.",
            "stores things twice",
            "more than once",
            home="DUP",
        ),
        Kind(
            "torn",
            Sign.ABSENCE,
            "Part of a batch is there; it must be there as a whole or not at all.",
            "stores or shows parts of a batch",
            forgets=True,
        ),
        Kind(
            "reordered",
            Sign.ORDER,
            "Messages come back in another order than the one in which they were acknowledged.",
            "mixes up the order",
            "out of order",
            home="ORD",
        ),
        Kind(
            "swallowed",
            Sign.SILENCE,
            "Something failed, and the caller was told that it succeeded.",
            "hides errors from its callers",
        ),
        Kind(
            "wrong",
            Sign.PRESENCE,
            "An answer contradicts what is stored: a count, a limit, a rank.",
            "gives answers that contradict what is stored",
        ),
        Kind(
            "stale",
            Sign.ABSENCE,
            "An older state is returned: something that was replaced, removed or has expired.",
            "answers with what is no longer true",
        ),
        Kind(
            "crashed",
            Sign.FAILURE,
            "The memory ended its own process: it crashed, or called exit.",
            "takes its process down with it",
        ),
        Kind(
            "refused",
            Sign.FAILURE,
            "An ordinary call raised an error.",
            "fails on ordinary calls",
        ),
        Kind(
            "wedged",
            Sign.FAILURE,
            "The memory stopped answering, or a call never returned.",
            "stops answering",
        ),
    )
}
# Kinds that one mechanism may show as, depending on what is asked.
_RELATED = (
    frozenset({"lost", "torn", "stale", "wrong", "reordered"}),
    frozenset({"corrupted", "wrong"}),
    frozenset({"duplicated", "phantom", "wrong"}),
    frozenset({"leaked", "phantom", "lost", "resurrected"}),
    frozenset({"resurrected", "stale", "phantom", "wrong", "duplicated"}),
    frozenset({"wedged", "refused", "crashed"}),
    frozenset({"swallowed", "lost", "torn", "stale", "wrong"}),
)
_TELLING = frozenset({"reordered", "corrupted", "leaked", "duplicated", "phantom"})
_RANKS = {word: place for place, word in enumerate(KINDS)}


def rank(word: str | None) -> int:
    """Return the place of a finding in the order of gravity; without a finding, the last."""
    return _RANKS.get(word or "", len(KINDS))


def are_related(one: str | None, other: str | None) -> bool:
    """Return True if one mechanism may show as either."""
    return one == other or any({one, other} <= related for related in _RELATED)


def is_telling(word: str | None) -> bool:
    """Return True if the word says enough for equal findings to have one cause."""
    return word in _TELLING


def has_sign(word: str | None, *signs: Sign) -> bool:
    """Return True if a history shows the finding in one of these ways."""
    return word in KINDS and KINDS[word].sign in signs


def describe_deeds(words: Iterable[str | None], most: int = 3) -> str:
    """Return what a memory with such findings does, the gravest first: "it loses …; it …"."""
    found = sorted({word for word in words if word in KINDS}, key=rank)
    return "; ".join(f"it {KINDS[word].deed}" for word in found[:most])

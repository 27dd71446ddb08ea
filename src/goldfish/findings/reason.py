"""Why a check has no verdict, as data: a kind and its parts; a reporter makes the sentence."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self


class Why(Enum):
    """A kind of reason: its sentence, with a place for each part, and a shorter one for lists."""

    # The store is never held to it.
    NOT_CLAIMED = "not claimed: {}", "{}"
    NOT_ASKED = "not asked: {}", "{}"  # unsupported only here, as the store is installed
    # The store does not have what the check is about.
    LACKS_METHOD = "the store has no {}", "no {}"
    LACKS_METHODS = "the store has neither {} nor {}", "neither {} nor {}"
    LACKS_PARAMETER = "its {} takes no {}", "{} takes no {}"
    LACKS_PARAMETERS = ("neither its {} nor its {} takes {}",)
    LACKS_ANSWER = "its {}", "{}"  # an answer without something that it may leave out
    LACKS_FIELD = ("it does not carry {}",)
    LACKS_TRAIT = ("{}",)  # told in full where a report says what the memory does not do
    LACKS_SERVICE = ("needs {}",)
    LACKS_POWER = "the agent has no {}", "no {}"
    COUNTS_REPLIES = ("the agent's replies are among the last messages too",)
    # There is no answer, which is not the store's fault.
    TIME_UP = ("the time was up",)
    NOT_STARTED = ("interrupted before it started",)
    NOT_FINISHED = ("interrupted before it finished",)
    NOT_OPENED = ("the target did not open: {}",)
    MACHINE_LATE = ("the machine was too busy to tell: {}",)
    INTERNAL_ERROR = ("the check itself failed: {}",)
    # A sentence of a check, of a store's declaration or of an error, which nobody needs to parse.
    STATED = ("{}",)

    def __init__(self, sentence: str, short: str = "") -> None:
        self.sentence = sentence
        self.short = short or sentence


@dataclass(frozen=True)
class Reason:
    """Why a check has no verdict, or what it found."""

    why: Why
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, why: Why, *parts: object) -> Self:
        """Return the reason of this kind with these parts."""
        return cls(why, tuple(map(str, parts)))

    @classmethod
    def stated(cls, text: object) -> Self:
        """Return a reason that is a sentence already."""
        return cls.of(Why.STATED, text)

    def __str__(self) -> str:
        """Return the whole sentence."""
        return self.why.sentence.format(*self.parts)

    @property
    def short(self) -> str:
        """The sentence as a list of reasons under a heading has it."""
        return self.why.short.format(*self.parts)

    def with_parts(self, change: Callable[[str], str]) -> "Reason":
        """Return the same reason with each part changed, for example masked."""
        return replace(self, parts=tuple(map(change, self.parts)))

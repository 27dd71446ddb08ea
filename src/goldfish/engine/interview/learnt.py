"""What an interview learns, as fields of a target, and what a memory does from then on."""

from collections.abc import Mapping
from typing import Any

from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import OpeningError, StoreError
from goldfish.harness.memory import Memory
from goldfish.targets.declaration import learn
from goldfish.targets.traits import TRAITS

# What a question may meet that is no answer: the checks tell it, if it is the memory's fault.
NO_ANSWER = (StoreError, Violation, UnsupportedError, OpeningError)
# What a target has in place of a trait that is absent, where that is a declaration of its own.
ABSENT: Mapping[str, Any] = {"retries": False, "filters": None, "scoped_ids": False}


class Learnt:
    """What was learnt of a memory so far: later questions build on it."""

    def __init__(self, memory: Memory) -> None:
        self.fields: dict[str, Any] = {}
        self._memory = memory

    def take(self, **fields: Any) -> None:
        """Note fields of the target."""
        self.fields |= fields
        self._memory.declare(learn(self._memory.target, self.fields))

    def note(self, trait: str, **dialect: Any) -> None:
        """Note that a trait is absent, and what the memory says in its place."""
        if trait in TRAITS:
            self.fields["lacks"] = sorted({*self.fields.get("lacks", ()), trait})
        else:
            self.fields[trait] = ABSENT[trait]
        self.speak(**dialect)

    def speak(self, **dialect: Any) -> None:
        """Put what is said to the memory in its dialect from now on."""
        self.take(dialect={**self._memory.target.dialect, **dialect})

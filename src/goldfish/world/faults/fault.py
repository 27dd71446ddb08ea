"""A fault: something that is wrong until it is healed."""

import threading
import time
from collections.abc import Callable
from typing import Self


class Fault:
    """Something that is wrong until its ``with`` block or heal() ends it."""

    def __init__(self, what: str, heal: Callable[[], None] | None = None) -> None:
        self.what = what
        self.began = self.ended = time.perf_counter()
        self._mutex = threading.Lock()
        self._heal = heal

    @property
    def is_healed(self) -> bool:
        """True if there is nothing left to heal."""
        return self._heal is None

    def heal(self) -> None:
        """End the fault; again is a no-op."""
        with self._mutex:
            heal, self._heal = self._heal, None
        if heal is not None:
            heal()
            self.ended = time.perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.heal()

    def __repr__(self) -> str:
        return f"<Fault: {self.what}{' (healed)' if self.is_healed else ''}>"


class Ledger:
    """Every fault so far, so that those in force can be healed at the end."""

    def __init__(self) -> None:
        self.noted: list[Fault] = []
        self._faults: list[Fault] = []

    @property
    def unhealed(self) -> list[Fault]:
        """The faults in force, oldest first."""
        return [fault for fault in list(self._faults) if not fault.is_healed]

    def note(self, what: str, heal: Callable[[], None] | None = None) -> Fault:
        """Note a fault that has just begun, and return it; without ``heal`` it is over already."""
        fault = Fault(what, heal)
        self._faults = [*self.unhealed, fault]
        self.noted.append(fault)
        return fault

    def heal_all(self) -> list[Exception]:
        """Heal the faults in force, newest first; return the errors of healing."""
        errors: list[Exception] = []
        for fault in reversed(self.unhealed):
            try:
                fault.heal()
            except Exception as error:  # the others are healed all the same
                errors.append(error)
        return errors

"""One usual cause of findings."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Remedy:
    """One cause: how it works, how to fix it, and an example of the fix.

    ``answers`` names what it explains: a code ("CON13"), a family ("CON"), a finding ("lost"), or
    one of the first two with a finding ("CON lost"). Each name has one remedy.
    """

    answers: tuple[str, ...]
    mechanism: str
    fix: str
    example: str

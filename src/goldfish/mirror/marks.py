"""Marks: short words, unique in a record, that no JSON escaping and no summary changes."""

import re
from itertools import count

# A letter that is not hexadecimal, a digit, four hexadecimal digits: r5f2c9. A letter may stand
# before it, as in the escape sequence \n.
MARK = re.compile(r"[g-z][0-9][0-9a-f]{4}(?![0-9A-Za-z])")
_BY_DIGIT = re.compile(
    r"[0-9](?<=[g-z].)[0-9a-f]{4}(?![0-9A-Za-z])"
)  # the same, four times as fast
REPLY, SAID, ARGUMENT = "r", "m", "t"  # what the mirror answered, the caller said, a tool was given
_SPACE = 10 * 16**4
_STEP = 281_893  # shares no factor with the space, so marks repeat only after all were given out


class Marks:
    """An endless supply of marks; several threads may draw from it."""

    def __init__(self, seed: int = 0) -> None:
        self._start = seed * 7919
        self._count = count(1)

    def draw(self, letter: str = REPLY) -> str:
        """Return a new mark."""
        number = (self._start + next(self._count) * _STEP) % _SPACE
        return f"{letter}{number // 16**4}{number % 16**4:04x}"


def find_marks(text: str) -> list[str]:
    """Return the marks of a text, each once, in the order in which they first stand there."""
    found = _BY_DIGIT.finditer(text)
    return list(dict.fromkeys(text[each.start() - 1 : each.end()] for each in found))

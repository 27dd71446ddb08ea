"""What was told to a server whose answers are prose: the only texts that the prose is asked for."""

import json
import os
from pathlib import Path


class Register:
    """The texts that any opening of one storage has told, in a file that all of them share."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, text: str) -> None:
        """Note a text before it is told: from then on it may be there."""
        line = json.dumps(text).encode() + b"\n"
        file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, line)  # one write: lines of several processes do not mix
        finally:
            os.close(file)

    def find_in(self, prose: str) -> list[str]:
        """Return the texts that the prose contains, in its order, as often as it does.

        A text within a longer one that was told too is not found a second time.
        """
        found: list[tuple[int, str]] = []
        for text in sorted(self._read(), key=len, reverse=True):
            for spelled in dict.fromkeys((text, json.dumps(text)[1:-1])):
                place = prose.find(spelled) if spelled else -1
                while place >= 0:
                    found.append((place, text))
                    prose = prose[:place] + "\0" * len(spelled) + prose[place + len(spelled) :]
                    place = prose.find(spelled)
        return [text for _, text in sorted(found)]

    def _read(self) -> set[str]:
        try:
            return {json.loads(line) for line in self._path.read_bytes().splitlines()}
        except FileNotFoundError:
            return set()

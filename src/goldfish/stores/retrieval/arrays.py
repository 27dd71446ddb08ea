"""Arrays that grow: columns of values."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Column:
    """Rows of one kind, to which one can append without copying all; ``width`` 0: single values."""

    def __init__(self, kind: Any, width: int = 0) -> None:
        self._width = width
        self._room: NDArray[Any] = np.empty(self._shape(4 if width else 64), kind)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def values(self) -> NDArray[Any]:
        """All rows so far, not copied."""
        return self._room[: self._count]

    def extend(self, rows: NDArray[Any]) -> None:
        """Append some rows; the first ones are not copied if they are an array of this kind."""
        if not self._count and rows.flags.owndata and rows.dtype == self._room.dtype:
            self._room, self._count = rows, len(rows)
            return
        end = self._count + len(rows)
        if end > len(self._room):
            room = np.empty(self._shape(max(end, 2 * self._count)), self._room.dtype)
            room[: self._count] = self.values
            self._room = room
        self._room[self._count : end] = rows
        self._count = end

    def append(self, value: Any) -> None:
        """Append one value."""
        if self._count < len(self._room):
            self._room[self._count] = value
            self._count += 1
        else:
            self.extend(np.array([value], self._room.dtype))

    def keep(self, rows: NDArray[Any]) -> None:
        """Leave out all rows but these."""
        kept = self.values[rows]
        self._room, self._count = kept, len(kept)

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows, self._width) if self._width else (rows,)

"""Marks as PostgreSQL joins them: one value for all directories, and one for the marks."""

import sys
from array import array

from goldfish.stores.retrieval.blocks import Marks


def decode_marks(directory: bytes | None, data: bytes | None) -> Marks:
    """Return the marks; NULL stands for none."""
    numbers = array("q", directory or b"")
    if sys.byteorder == "little":  # PostgreSQL sends the highest byte first
        numbers.byteswap()
    return Marks(numbers, data or b"")

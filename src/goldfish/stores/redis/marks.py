"""Marks as Redis has them: blocks of text, a directory and marks in base64."""

import base64
from array import array
from typing import Any

from goldfish.stores.redis.keys import as_bytes
from goldfish.stores.retrieval.blocks import Marks, split


def decode_marks(blocks: list[Any], after: int = -1) -> Marks:
    """Return the marks of all blocks beyond a number: what is joined in base64 is so in bytes."""
    parts = sorted(
        (as_bytes(each).partition(b"\n") for each in blocks),
        key=lambda part: int(part[0].partition(b" ")[0]),
    )
    numbers = array("q", map(int, b" ".join(directory for directory, _, _ in parts).split()))
    marks = Marks(numbers, base64.b64decode(b"".join(data for _, _, data in parts)))
    if after < 0:
        return marks
    return Marks.of([each for each in split(marks) if each.seq > after])

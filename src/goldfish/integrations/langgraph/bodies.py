"""Records of lines as JSON texts; those that were written or read last are not parsed again.

The newest records of a line are read back by the step that writes them, by the step after it, and
by the turn that follows.
"""

import threading
from collections.abc import Sequence
from typing import Any

from goldfish.encoding import decode_messages, encode_batch
from goldfish.messages import ChatMessage
from goldfish.stores.base import Bodies, Row

FEW = 16  # records that are worth a look at each
MOST = 256  # records that are remembered
SMALL = 1 << 14  # characters of one that is

_recent: dict[str | bytes, ChatMessage] = {}  # their messages never change
_mutex = threading.Lock()


def encode(records: Sequence[ChatMessage]) -> list[Row]:
    """Return the ids and JSON texts of records."""
    rows = encode_batch(records)
    for record, (_, body) in zip(records, rows, strict=True):
        _remember(body, record)
    return rows


def decode(bodies: Bodies) -> list[ChatMessage]:
    """Return the records in JSON texts."""
    if len(bodies) > FEW:
        return decode_messages(bodies)
    found = [_recent.get(each) for each in bodies]
    unknown: Any = [body for body, known in zip(bodies, found, strict=True) if known is None]
    read = decode_messages(unknown) if unknown else []
    for body, record in zip(unknown, read, strict=True):
        _remember(body, record)
    fresh = iter(read)
    return [next(fresh) if known is None else known for known in found]


def _remember(body: str | bytes, record: ChatMessage) -> None:
    if len(body) > SMALL:
        return
    with _mutex:
        if len(_recent) >= MOST:
            del _recent[next(iter(_recent))]
        _recent[body] = record

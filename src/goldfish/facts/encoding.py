"""Facts to JSON text and back, exactly: what stays, and what a revision replaces."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from goldfish.encoding import built, encode_value, refuse_unstorable
from goldfish.errors import MemoryStoreBackendError, UnstorableError
from goldfish.messages import Fact


def encode_base(metadata: Mapping[str, Any] | None, moment: datetime) -> str:
    """The metadata and when they came, or an error if JSON would not give them back."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise UnstorableError(f"metadata must be a dict, not {type(metadata).__name__}")
    kept = dict(metadata or {})
    refuse_unstorable(kept, "metadata")
    return encode_value({"metadata": kept, "created_at": moment.isoformat()})


def encode_said(text: str, moment: datetime) -> str:
    """The text and when it was said."""
    return encode_value({"text": text, "updated_at": moment.isoformat()})


def decode_base(stored: str) -> dict[str, Any]:
    """The metadata under "metadata", and the moment under "created_at"."""
    return _record(stored)


def decode_text(stored: str) -> str:
    """The text that was said."""
    return str(_record(stored)["text"])


def build_fact(
    user_id: str,
    fact_id: str,
    base: str,
    said: str,
    *,
    times_seen: int = 1,
    near: list[str] | None = None,
) -> Fact:
    """A fact of its own: nobody else has a reference to anything in it."""
    kept, words = _record(base), _record(said)
    fields = {
        "id": fact_id,
        "user_id": user_id,
        "text": words["text"],
        "metadata": kept["metadata"],
        "created_at": datetime.fromisoformat(kept["created_at"]),
        "updated_at": datetime.fromisoformat(words["updated_at"]),
        "times_seen": times_seen,
        "near": near or [],
    }
    return built(Fact, fields)  # a recollection of many facts would spend its time on validating


def _record(stored: str) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(stored)
    except ValueError as error:
        raise MemoryStoreBackendError(
            f"a stored fact is damaged ({error}): restore the data from a backup"
        ) from error
    return record

"""Facts as JSON texts: one for what stays, one for what a revision replaces."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from goldfish.encoding import build, decode_value, encode_value, refuse_unstorable
from goldfish.errors import MemoryStoreBackendError, UnstorableError
from goldfish.messages import Fact

BIRTH = len('{"created_at":"2026-11-18T12:00:00.000000+00:00"')  # of a base, in any encoding


def encode_base(metadata: Mapping[str, Any] | None, moment: datetime) -> str:
    """Encode when a fact came, and its metadata; raise if JSON would not give them back.

    The moment takes the first ``BIRTH`` characters.
    """
    if metadata is not None and not isinstance(metadata, Mapping):
        raise UnstorableError(f"metadata must be a dict, not {type(metadata).__name__}")
    kept = dict(metadata or {})
    refuse_unstorable(kept, "metadata")
    created_at = moment.astimezone(UTC).isoformat(timespec="microseconds")
    return encode_value({"created_at": created_at, "metadata": kept})


def keep_birth(base: str, new: str) -> str:
    """Return the new base with the moment of another."""
    return base[:BIRTH] + new[BIRTH:]


def encode_said(text: str, moment: datetime) -> str:
    """Encode the text and when it was said."""
    return encode_value({"text": text, "updated_at": moment.isoformat()})


def decode_base(stored: str) -> dict[str, Any]:
    """Return the metadata under "metadata", and the moment under "created_at"."""
    record = _decode(stored)
    if not isinstance(record.get("metadata"), dict):
        raise _damage_error("it has no metadata")
    return record


def decode_text(stored: str) -> str:
    """Return the text that was said."""
    text = _decode(stored).get("text")
    if not isinstance(text, str):
        raise _damage_error("it has no text")
    return text


def decode_links(stored: str) -> list[tuple[str, int]]:
    """Return the ids of the facts that it resembles, and at which number each was worded."""
    if stored == "[]":  # as of most facts
        return []
    try:
        return [(str(key), int(at)) for key, at in decode_value(stored)]
    except (ValueError, TypeError) as error:
        raise _damage_error("its links cannot be read") from error


def build_fact(
    user_id: str,
    fact_id: str,
    base: str,
    said: str,
    *,
    times_seen: int = 1,
    near: list[str] | None = None,
) -> Fact:
    """Build a fact that shares nothing with any other: callers may change it."""
    kept, words = _decode(base), _decode(said)
    try:
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
    except (KeyError, TypeError, ValueError) as error:
        raise _damage_error("a part of it is missing or cannot be read") from error
    return build(Fact, fields)  # a recollection of many facts would spend its time on validating


def _decode(stored: str) -> dict[str, Any]:
    try:
        record = decode_value(stored)
    except (ValueError, TypeError, AttributeError) as error:
        raise _damage_error(str(error)) from error
    if not isinstance(record, dict):
        raise _damage_error("it is not one JSON object")
    return record


def _damage_error(what: str) -> MemoryStoreBackendError:
    return MemoryStoreBackendError(
        f"a stored fact is damaged ({what}): restore the data from a backup"
    )

"""Ids of callers as PostgreSQL can hold them: bytes, and a digest where an index needs it short."""

import hashlib

LONGEST_KEY = 200  # bytes of an id that an index entry holds; a longer one becomes its digest


def encoded(text: str) -> bytes:
    """The id as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def decoded(stored: bytes) -> str:
    """The id that was stored."""
    return stored.decode("utf-8", "surrogatepass")


def key(name: bytes) -> bytes:
    """The id as an index can hold it; a digest begins with 0xff, as no UTF-8 does."""
    return name if len(name) <= LONGEST_KEY else b"\xff" + hashlib.sha256(name).digest()

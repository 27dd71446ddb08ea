"""Ids of callers as PostgreSQL can hold them: bytes, and a digest where an index needs it short."""

import hashlib

LONGEST_KEY = 200  # bytes of an id that an index entry holds; a longer one becomes its digest


def encode_id(text: str) -> bytes:
    """Return the id as it is stored."""
    return text.encode("utf-8", "surrogatepass")


def decode_id(stored: bytes) -> str:
    """Return the id that was stored."""
    return stored.decode("utf-8", "surrogatepass")


def make_key(text: str) -> bytes:
    """Return the id as an index can hold it; a digest begins with 0xff, as no UTF-8 does."""
    name = encode_id(text)
    return name if len(name) <= LONGEST_KEY else b"\xff" + hashlib.sha256(name).digest()

"""Messages as rows and ids as bytes, lone surrogates included: what databases keep."""

from collections.abc import Sequence

Rows = Sequence[tuple[str, str]]  # the id and the body of each message


def encoded(text: str) -> bytes:
    """Return an id or a text as a database keeps it."""
    return text.encode("utf-8", "surrogatepass")


def decoded(key: bytes) -> str:
    """Return the id or the text that a database kept."""
    return bytes(key).decode("utf-8", "surrogatepass")

"""Ids of callers as SQLite can hold them: text, or the bytes of text that has no UTF-8."""

Key = str | bytes


def encode_key(text: str) -> Key:
    """Return the id as it is stored."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def decode_key(key: Key) -> str:
    """Return the id that was stored."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogatepass")

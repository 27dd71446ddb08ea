"""Ids of callers as SQLite can hold them: text, or the bytes of text that has no UTF-8."""

Key = str | bytes


def key(text: str) -> Key:
    """The id as it is stored."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def text(key: Key) -> str:
    """The id that was stored."""
    return key if isinstance(key, str) else key.decode("utf-8", "surrogatepass")

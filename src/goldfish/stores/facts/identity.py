"""When two texts say the same fact: equal but for case, width, spaces and one final full stop."""

import hashlib
import unicodedata

FULL_STOPS = (".", "。")


def plain(text: str) -> str:
    """The text as it is compared: NFKC, case-folded, spaces collapsed, no final full stop."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join(unicodedata.normalize("NFKC", folded).split())  # folding may undo the form
    return words[:-1].rstrip() if words.endswith(FULL_STOPS) else words


def identity(text: str) -> str:
    """The key that all texts which say the same share; short, whatever the text."""
    return hashlib.sha256(plain(text).encode("utf-8", "surrogatepass")).hexdigest()

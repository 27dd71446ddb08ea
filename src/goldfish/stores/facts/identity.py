"""When two texts say the same fact: equal but for case, width, spaces and one final full stop."""

import hashlib
import unicodedata

FULL_STOPS = (".", "。")


def normalize(text: str) -> str:
    """Return the text as it is compared: NFKC, case-folded, one space, no final full stop."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join(unicodedata.normalize("NFKC", folded).split())  # folding may undo the form
    return words[:-1].rstrip() if words.endswith(FULL_STOPS) else words


def identity(text: str) -> str:
    """Return the key of all texts that say the same; short, whatever the text."""
    return hashlib.sha256(normalize(text).encode("utf-8", "surrogatepass")).hexdigest()

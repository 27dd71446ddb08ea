"""What two facts of a user never share: the key of what they say, or of the name that they have.

Two texts say the same if they are equal but for case, width, spaces and one final full stop.
"""

import hashlib
import unicodedata

FULL_STOPS = (".", "。")
NAMED = "name:"  # begins the keys of facts that have a name; all other keys sort before it


def normalize(text: str) -> str:
    """Return the text as it is compared: NFKC, case-folded, one space, no final full stop."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = " ".join(unicodedata.normalize("NFKC", folded).split())  # folding may undo the form
    return words[:-1].rstrip() if words.endswith(FULL_STOPS) else words


def identity(text: str) -> str:
    """Return the key of all texts that say the same; short, whatever the text."""
    return hashlib.sha256(normalize(text).encode("utf-8", "surrogatepass")).hexdigest()


def key_of_name(name: str) -> str:
    """Return the key of the fact that has this name, whatever it says."""
    return NAMED + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

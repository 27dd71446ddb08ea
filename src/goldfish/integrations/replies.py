"""The replies of a fake model: a deterministic summary of what it was shown."""

from collections.abc import Sequence
from hashlib import blake2b

QUOTED = 3
LONGEST = 60


def reply_to(shown: Sequence[tuple[str, str]]) -> str:
    """Return a reply that is the same for the same (role, text) pairs, and for no others."""
    digest = blake2b(digest_size=6)
    for role, text in shown:
        for part in (role, text):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8) + data)
    asked = [ascii(text[:LONGEST]) for role, text in shown if role == "user"][-QUOTED:]
    said = ", ".join(asked) or "nothing"
    count = f"{len(shown)} message{'s' if len(shown) != 1 else ''}"
    return f"I was shown {count} ({digest.hexdigest()}); the user said last: {said}"


def quote_all(shown: Sequence[tuple[str, str]]) -> str:
    """Return all that was shown, word for word, as a summary that forgets nothing."""
    return "\n".join(text for _, text in shown)

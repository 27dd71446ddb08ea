"""Named values as Redis takes and returns them."""

from collections.abc import Sequence
from typing import Any

from goldfish.encoding import decode_value, encode_value
from goldfish.stores.redis.keys import as_text
from goldfish.stores.stating import Named


def flatten(named: Sequence[Named]) -> list[bytes]:
    """Return names and values in turn, as Redis takes them."""
    return [text.encode() for name, value in named for text in (encode_value(name), value)]


def unflatten(found: Any) -> list[Named]:
    """Return the names and values of a hash, in whichever form the client returns it."""
    items = found.items() if isinstance(found, dict) else zip(found[::2], found[1::2], strict=True)
    return [(decode_value(name), as_text(value)) for name, value in items]

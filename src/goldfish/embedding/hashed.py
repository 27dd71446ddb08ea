"""Vectors of words by their hashes: no model, no meaning, no package."""

import math
import re
from hashlib import blake2b


def hash_text(text: str, dimensions: int) -> list[float]:
    """Return a vector of length one; each word, case-folded, adds to the dimension of its hash."""
    row = [0.0] * dimensions
    for word in re.findall(r"\w+", text.casefold()) or [text]:
        digest = blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest()
        row[int.from_bytes(digest) % dimensions] += 1
    length = math.sqrt(sum(each * each for each in row))
    return [each / length for each in row]

"""The marks of a text: what it is found by, in few bytes, written in the same step as the text.

For each fact or message: its words and how often it has them, the names that belong to it, its
time, and a code of each vector. Words and names are hashes, of 48 and 64 bits: a process that knows
nothing of a user or session looks for those of a question among all of them, and never needs the
texts.

All numbers are little-endian and every part begins at a multiple of 8 bytes. The marks of a text
are a multiple of 24 bytes, so that what they are in base64 can be joined as well.
"""

import hashlib
import math
import struct
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.retrieval.blocks import Marks
from goldfish.stores.retrieval.codes import encode, width_of
from goldfish.stores.retrieval.names import Label
from goldfish.stores.retrieval.vectors import refuse_damaged

_HEADER = struct.Struct("<6Id")  # words, names, speakers, vectors, length, flags; moment
_COUNTS = 1 << 16  # a word's hash is above, how often it occurs below
STEP = 24  # bytes
EIGHTS = _HEADER.size // 8
ASKS, TELLS_WHEN, UNEMBEDDED = 1, 2, 4  # flags
_YEAR = 8  # bits before the year among the flags

Numbers = NDArray[Any]


class Traits(NamedTuple):
    """What a text is found by; ``flags`` are some of those above."""

    words: Sequence[str]
    vectors: bytes
    labels: Collection[Label] = ()
    people: Collection[Label] = ()
    moment: float = math.nan
    flags: int = 0
    year: int = 0  # of the moment, where it was said


class Parts(NamedTuple):
    """Values of several texts, one after the other, and which text each belongs to."""

    owners: Numbers
    values: Numbers


class Codes(NamedTuple):
    """The codes of vectors, a column for each 64 dimensions, and which text each belongs to."""

    owners: Numbers
    columns: list[Numbers]
    factors: Numbers


class Columns(NamedTuple):
    """The marks of several texts, as arrays."""

    seqs: Numbers
    said_at: Numbers
    lengths: Numbers
    flags: Numbers
    years: Numbers
    moments: Numbers
    words: Parts
    counts: Numbers
    labels: Parts
    people: Parts
    codes: Codes


def encode_marks(traits: Traits, dimensions: int, stored: str = "<f4") -> bytes:
    """Return the marks of a text whose vectors have so many dimensions, as numbers of this type."""
    (marks,) = encode_all([traits], dimensions, stored)
    return marks


def encode_all(texts: Sequence[Traits], dimensions: int, stored: str = "<f4") -> list[bytes]:
    """Return the marks of several texts: turning many vectors at once is much quicker."""
    if not dimensions:
        return [_encode(traits, 0, b"") for traits in texts]
    size, width = np.dtype(stored).itemsize * dimensions, 8 * width_of(dimensions) + 8
    refuse_damaged((traits.vectors for traits in texts), size)
    joined = np.frombuffer(b"".join(traits.vectors for traits in texts), stored)
    codes = encode(joined.astype(np.float32, copy=False).reshape(-1, dimensions))
    found, at = [], 0
    for traits in texts:
        count = len(traits.vectors) // size
        found.append(_encode(traits, count, codes[at : at + count * width]))
        at += count * width
    return found


def _encode(traits: Traits, vectors: int, codes: bytes) -> bytes:
    counts = Counter(traits.words)
    words = [hash_word(word) * _COUNTS + min(n, _COUNTS - 1) for word, n in counts.items()]
    labels, people = _hash_all(traits.labels), _hash_all(traits.people)
    header = _HEADER.pack(
        len(words),
        len(labels),
        len(people),
        vectors,
        len(traits.words),
        traits.flags | traits.year << _YEAR,
        traits.moment,
    )
    numbers = array("Q", [*words, *labels, *people])
    marks = header + np.asarray(numbers, "<u8").tobytes() + codes
    return marks + bytes(-len(marks) % STEP)


@lru_cache(maxsize=20_000)
def hash_word(word: str) -> int:
    """Return 48 bits that stand for the word."""
    return int.from_bytes(_digest(word, 6))


@lru_cache(maxsize=20_000)
def hash_label(label: Label) -> int:
    """Return 64 bits that stand for the name."""
    return int.from_bytes(_digest("\0".join(label), 8))


def _digest(text: str, size: int) -> bytes:
    plain = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(plain, digest_size=size).digest()


def _hash_all(labels: Iterable[Label]) -> list[int]:
    return sorted(map(hash_label, labels))


def read_marks(marks: Marks, dimensions: int) -> Columns:
    """Return the marks as arrays; raise if they are damaged.

    Without dimensions the codes are left out.
    """
    directory = np.frombuffer(marks.directory, np.int64).reshape(-1, 3)
    sizes = directory[:, 2]
    ends = np.cumsum(sizes)
    if len(marks.data) != sizes.sum() or (sizes % STEP).any():
        raise damage_error()
    plain = np.frombuffer(marks.data, "<u8")
    starts = (ends - sizes) // 8
    numbers = np.frombuffer(marks.data, "<u4")
    header = numbers[(starts * 2)[:, None] + np.arange(6)].T.astype(np.int64)
    words, labels, people, vectors, lengths, flags = header
    width = (width_of(dimensions) + 1) if dimensions else 0
    at = starts + EIGHTS
    if ((at + words + labels + people + vectors * width) * 8 > ends).any():
        raise damage_error()
    found = _take(plain, at, words)
    return Columns(
        directory[:, 0],
        directory[:, 1],
        lengths,
        flags & (1 << _YEAR) - 1,
        flags >> _YEAR,
        np.frombuffer(marks.data, "<f8")[at - 1],
        Parts(found.owners, found.values >> np.uint64(16)),
        found.values.astype(np.uint16),  # the lowest bits
        _take(plain, at + words, labels),
        _take(plain, at + words + labels, people),
        _take_codes(plain, at + words + labels + people, vectors, width),
    )


def _take(plain: Numbers, starts: Numbers, counts: Numbers) -> Parts:
    """Return so many numbers from each start on."""
    owners, places = _spread(starts, counts)
    return Parts(owners, plain[places])


def _take_codes(plain: Numbers, starts: Numbers, counts: Numbers, width: int) -> Codes:
    """Return so many codes from each start on, each of so many numbers; the last is the factor."""
    if not width:
        return Codes(np.empty(0, np.int32), [], np.empty(0))
    owners, places = _spread(starts, counts, width)
    together = plain[places[:, None] + np.arange(width)]  # each code lies in one piece
    columns = [together[:, nth].copy() for nth in range(width)]
    return Codes(owners, columns[:-1], columns[-1].view("<f8"))


def _spread(starts: Numbers, counts: Numbers, width: int = 1) -> tuple[Numbers, Numbers]:
    """Return the owner and the place of so many entries of a width from each start on."""
    owners = np.repeat(np.arange(len(starts), dtype=np.int32), counts)
    before = np.cumsum(counts) - counts
    places = np.repeat(starts - width * before, counts)
    places += np.arange(0, width * len(owners), width)
    return owners, places


def damage_error() -> MemoryStoreBackendError:
    """Return the error for marks that cannot be read."""
    return MemoryStoreBackendError(
        "the index of a user or session is damaged: run reembed(), or examine(repair=True)"
    )

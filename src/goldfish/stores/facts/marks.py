"""The marks of a fact: what it is found by, in few bytes, written in the same step as the fact.

For each fact: its words and how often it has them, the names in its metadata, its time, and a code
of each vector. Words and names are hashes, of 48 and 64 bits: a process that knows nothing of a
user looks for those of a question among all of them, and never needs the texts.

All numbers are little-endian and every part begins at a multiple of 8 bytes. The marks of a fact
are a multiple of 24 bytes, so that what they are in base64 can be joined as well.
"""

import hashlib
import math
import struct
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.facts.backend import VECTORS, Marks
from goldfish.stores.facts.codes import encode, width_of
from goldfish.stores.retrieval.names import Label, find_labels, find_speakers
from goldfish.stores.retrieval.times import find_moment
from goldfish.stores.retrieval.words import is_question, split_words

_HEADER = struct.Struct("<6Id")  # words, names, speakers, vectors, length, whether it asks; moment
_COUNTS = 1 << 16  # a word's hash is above, how often it occurs below
STEP = 24  # bytes
EIGHTS = _HEADER.size // 8

Numbers = NDArray[Any]


class Traits(NamedTuple):
    """What a fact is found by."""

    words: Sequence[str]
    vectors: bytes
    labels: Collection[Label] = ()
    people: Collection[Label] = ()
    moment: float = math.nan
    asks: bool = False


class Parts(NamedTuple):
    """Values of several facts, one after the other, and which fact each belongs to."""

    owners: Numbers
    values: Numbers


class Codes(NamedTuple):
    """The codes of vectors, a column for each 64 dimensions, and which fact each belongs to."""

    owners: Numbers
    columns: list[Numbers]
    factors: Numbers


class Columns(NamedTuple):
    """The marks of several facts, as arrays."""

    seqs: Numbers
    said_at: Numbers
    lengths: Numbers
    asks: Numbers
    moments: Numbers
    words: Parts
    counts: Numbers
    labels: Parts
    people: Parts
    codes: Codes


def read_traits(text: str, metadata: Mapping[str, Any], vectors: bytes) -> Traits:
    """Return the words, vectors, names and time of a fact."""
    return Traits(
        split_words(text),
        vectors,
        find_labels(metadata),
        find_speakers(metadata),
        find_moment(metadata),
        is_question(text),
    )


def encode_marks(traits: Traits, dimensions: int) -> bytes:
    """Return the marks of a fact whose vectors have so many dimensions."""
    counts = Counter(traits.words)
    words = [hash_word(word) * _COUNTS + min(n, _COUNTS - 1) for word, n in counts.items()]
    labels, people = _hash_all(traits.labels), _hash_all(traits.people)
    codes = b""
    if dimensions:
        codes = encode(np.frombuffer(traits.vectors, VECTORS).reshape(-1, dimensions))
    header = _HEADER.pack(
        len(words),
        len(labels),
        len(people),
        len(codes) // (8 * width_of(dimensions) + 8),
        len(traits.words),
        traits.asks,
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
    header = [numbers[starts * 2 + place].astype(np.int64) for place in range(6)]
    words, labels, people, vectors, lengths, asks = header
    width = (width_of(dimensions) + 1) if dimensions else 0
    at = starts + EIGHTS
    if ((at + words + labels + people + vectors * width) * 8 > ends).any():
        raise damage_error()
    found = _take(plain, at, words)
    return Columns(
        directory[:, 0],
        directory[:, 1],
        lengths,
        asks,
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
    columns = [plain[places + nth] for nth in range(width)]
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
        "the index of the facts of a user is damaged: run reembed(), or examine(repair=True)"
    )

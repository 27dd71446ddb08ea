"""The ids that checks use to tempt a store are what they are said to be."""

import hashlib
import zlib

import pytest

from goldfish.catalogue.support import lookalikes
from goldfish.catalogue.support.lookalikes import SAME_DIGEST


def _fnv1a(text: bytes) -> int:
    value = 2166136261
    for byte in text:
        value = (value ^ byte) * 16777619 % 2**32
    return value


def _java(text: bytes) -> int:
    value = 0
    for byte in text:
        value = (31 * value + byte) % 2**32
    return value


def _hex(name: str, start: int | None, stop: int | None) -> object:
    return lambda text: hashlib.new(name, text).hexdigest()[start:stop]


def _modulo(name: str) -> object:
    return lambda text: int(hashlib.new(name, text).hexdigest(), 16) % 10**9


DIGESTS = {
    "the first 10 hex digits of MD5": _hex("md5", None, 10),
    "the last 8 hex digits of MD5": _hex("md5", -8, None),
    "MD5 modulo 10**9": _modulo("md5"),
    "the first 10 hex digits of SHA-1": _hex("sha1", None, 10),
    "the last 8 hex digits of SHA-1": _hex("sha1", -8, None),
    "SHA-1 modulo 10**9": _modulo("sha1"),
    "the first 10 hex digits of SHA-256": _hex("sha256", None, 10),
    "the last 8 hex digits of SHA-256": _hex("sha256", -8, None),
    "SHA-256 modulo 10**9": _modulo("sha256"),
    "the first 10 hex digits of SHA-512": _hex("sha512", None, 10),
    "the first 10 hex digits of BLAKE2b": _hex("blake2b", None, 10),
    "CRC-32": zlib.crc32,
    "Adler-32": zlib.adler32,
    "FNV-1a of 32 bits": _fnv1a,
    "Java's hashCode": _java,
    "the letters in any order": sorted,
}


@pytest.mark.parametrize("name", list(SAME_DIGEST))
def test_ids_of_one_digest_are_two_ids(name: str) -> None:
    """Each pair collides, so a store that files by this digest is caught."""
    one, other = (text.encode() for text in SAME_DIGEST[name])
    assert one != other
    assert DIGESTS[name](one) == DIGESTS[name](other)  # type: ignore[operator]


@pytest.mark.parametrize("name", [each for each in dir(lookalikes) if each.isupper()])
def test_no_id_is_there_twice(name: str) -> None:
    """An id that is there twice would be read as a session that has too much."""
    ids = getattr(lookalikes, name)
    assert len(set(ids)) == len(ids) or isinstance(ids, str)

"""The words of a text, by which it is found: the same form in texts and in questions.

Scripts that put no spaces between words (Chinese, Japanese, Thai, …) are found by pairs of
neighbouring characters; codes such as ``v2.1`` or ``ann@example.org`` as a whole and by their
parts.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Protocol, cast

from goldfish.errors import MissingExtraError
from goldfish.stores.retrieval.stop_words import STOP_WORDS

LONGEST_STEMMED = 40  # what is longer is not a word of any language

_HAN = "\u3005\u3006\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WITHOUT_SPACES = (
    _HAN
    + "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    + "\u0e81-\u0ece"  # Lao
    + "\u0f40-\u0fbc"  # Tibetan
    + "\u1000-\u1049\u1050-\u109f"  # Burmese
    + "\u1780-\u17d3"  # Khmer
    + "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # Japanese syllables
    + "\uac00-\ud7a3"  # Korean, whose words carry their endings with them
)
_EMOJI = "\u2600-\u27bf\U0001f000-\U0001faff"
_ACCENTS = re.compile("[\u0300-\u036f]")
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_JOINTS = re.compile(r"[._@:+'\-]")
_JOINED = re.compile(r"[._@:+'\-#]\b|[+#_]")
_WORD = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def split_words(text: str) -> list[str]:
    """Return the stems of the text's words, in order and without stop words.

    A text of nothing but stop words is found by these.
    """
    plain = _normalize(text)
    pattern = _pattern("" if plain.isascii() else _marks())
    if plain.isascii() and not _JOINED.search(plain):
        found = _WORD.findall(plain)  # the same, at once
    else:
        found = [word for match in pattern.finditer(plain) for word in _split_match(match)]
    telling = [word for word in found if word not in STOP_WORDS]
    return [_stem(word) if len(word) <= LONGEST_STEMMED else word for word in telling or found]


def is_question(text: str) -> bool:
    """Return whether the text ends with a question mark."""
    return text.rstrip().endswith(("?", "\uff1f", "\u061f"))


def _normalize(text: str) -> str:
    """Return the text without differences of width, case, accents and kinds of apostrophe."""
    plain = text
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'")
        plain = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
        plain = unicodedata.normalize("NFC", plain)
    return _THOUSANDS.sub("", plain.casefold())


@cache
def _pattern(marks: str) -> re.Pattern[str]:
    """Return what matches a run without spaces, a word with its joints, or an emoji.

    ``marks`` are characters that ``\\w`` leaves out though they are part of a word, such as the
    vowel signs of Hindi.
    """
    letter = rf"(?:(?![{_WITHOUT_SPACES}])[^\W_]|[{marks}])" if marks else r"[^\W_]"
    return re.compile(
        rf"(?P<run>[{_WITHOUT_SPACES}]+)|(?P<word>{letter}+(?:[._@:+'\-]{letter}+)*(?:\+\+|\#)?)"
        rf"|(?P<emoji>[{_EMOJI}])"
    )


@cache
def _marks() -> str:
    """Return the combining marks of all scripts in use, as the inside of a character class."""
    return "".join(
        chr(code) for code in range(0x300, 0xFE00) if unicodedata.category(chr(code))[0] == "M"
    )


def _split_match(match: re.Match[str]) -> Iterator[str]:
    found = match.group()
    if match.lastgroup == "run":
        yield from _pairs(found)
    elif match.lastgroup == "emoji" or not (parts := _JOINTS.split(found))[1:]:
        yield found
    else:
        if _is_code(found):
            yield found
        yield from filter(None, parts)


def _pairs(run: str) -> Iterator[str]:
    """Yield overlapping pairs; a Chinese character is a word by itself, too."""
    if len(run) == 1:
        yield run
        return
    yield from (run[at : at + 2] for at in range(len(run) - 1))
    yield from _HAN_CHARACTER.findall(run)


def _is_code(found: str) -> bool:
    """Return whether it means more than its parts: a version, an address, a name in code."""
    return "@" in found or "_" in found or found.endswith("++") or any(map(str.isdigit, found))


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if not (word.isascii() and word.isalpha()):
        return word
    return _stemmer().stemWord(word)


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str:  # noqa: N802 - the package's own name
        ...


_own = threading.local()  # a stemmer works on itself: threads must not share one


def _stemmer() -> _Stemmer:
    if not hasattr(_own, "stemmer"):
        try:
            from snowballstemmer import stemmer  # type: ignore[import-untyped]
        except ImportError as error:
            raise MissingExtraError.of("snowballstemmer", "semantic") from error
        _own.stemmer = stemmer("english")
    return cast(_Stemmer, _own.stemmer)

"""Near-duplicates: texts close in meaning that agree in what an embedding hardly sees.

'Order 8892' and 'order 8893', 'allergic' and 'not allergic' are closer to each other than most true
repetitions are. So a near-duplicate must name the same numbers and people, and negate as often.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

NEAR = 0.90  # the least cosine of two facts that are linked
LONGEST_KEPT = 2000  # characters of a text whose marks are kept for the next comparison

_WORD = re.compile(r"\w+(?:[.,:/'\u2019-]\w+)*")
_TWO_TO_TWELVE = "two three four five six seven eight nine ten eleven twelve"
_NUMBER_WORDS = {word: str(n) for n, word in enumerate(_TWO_TO_TWELVE.split(), 2)} | {
    "hundred": "100",
    "thousand": "1000",
    "million": "1000000",
}
_SAYING_NO = """not no never none nobody nothing neither nor cannot without nicht kein keine keinen
    keiner nie niemals ohne pas jamais sans nunca sin jamás não nem нет не никогда без"""
_NEGATIONS = frozenset(_SAYING_NO.split())
_NEGATING_CHARACTERS = re.compile("[不没沒無无非未]")
_CONTRACTED = re.compile(r"n['\u2019]t$")
# Capitalised at the beginning of a sentence, and yet not a name.
_OPENING = """
a an and are as at but by can could did do does every for from had has have he her here his
how i if in is it its likes like lives loves may might must my of on or our over people
person prefers she should so some that the their them there these they this those to under
user was we were what when where which who will with works would you your
"""
_NOT_NAMES = frozenset(_OPENING.split())
_PREFIXES = ("dis", "non", "mis", "un", "in", "im", "ir", "il", "de", "en")


class _Marks(NamedTuple):
    words: frozenset[str]
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    negations: int


def are_alike(one: str, other: str) -> bool:
    """Return whether both texts have the same numbers and names, and negate as often."""
    ours, theirs = _marks_of(one), _marks_of(other)
    return (
        ours.numbers == theirs.numbers
        and ours.negations == theirs.negations
        and _have_same_names(ours, theirs)
        and not _are_opposed(ours.words - theirs.words, theirs.words - ours.words)
    )


def _marks_of(text: str) -> _Marks:
    return _latest_marks(text) if len(text) > LONGEST_KEPT else _kept_marks(text)


def _read_marks(text: str) -> _Marks:
    said = [match.group() for match in _WORD.finditer(unicodedata.normalize("NFKC", text))]
    folded = [word.casefold() for word in said]
    return _Marks(
        words=frozenset(folded),
        numbers=tuple(filter(None, map(_number_of, folded))),
        names=tuple(word.casefold() for word in said if _is_name(word)),
        negations=sum(map(_negates, folded)) + len(_NEGATING_CHARACTERS.findall(text)),
    )


_kept_marks = lru_cache(maxsize=4096)(_read_marks)
_latest_marks = lru_cache(maxsize=2)(
    _read_marks
)  # so that a long text is read once, then all others


def _number_of(word: str) -> str | None:
    if any(character.isdigit() for character in word):
        return word
    return _NUMBER_WORDS.get(word)


def _negates(word: str) -> bool:
    return word in _NEGATIONS or _CONTRACTED.search(word) is not None


def _is_name(word: str) -> bool:
    return word[0].isupper() and not any(c.isdigit() for c in word) and not _is_common(word)


def _is_common(word: str) -> bool:
    folded = word.casefold()
    return re.split("['\u2019]", folded)[0] in _NOT_NAMES or _negates(folded)


def _have_same_names(ours: _Marks, theirs: _Marks) -> bool:
    """Return whether the names and their order agree, even if one side does not capitalise."""
    shared = set(ours.names) & set(theirs.names)
    return (
        theirs.words.issuperset(ours.names)
        and ours.words.issuperset(theirs.names)
        and [name for name in ours.names if name in shared]
        == [name for name in theirs.names if name in shared]
    )


def _are_opposed(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether a word on one side is negated on the other: enabled, disabled.

    The two sides share no word, so what they share is the root of two.
    """
    return not _roots(ours).isdisjoint(_roots(theirs))


def _roots(words: Iterable[str]) -> set[str]:
    """Return the words with and without their prefixes, if that leaves enough letters."""
    return {root for word in words for root in _with_and_without_prefix(word) if len(root) > 3}


def _with_and_without_prefix(word: str) -> Iterator[str]:
    yield word
    for prefix in _PREFIXES:
        if word.startswith(prefix):
            yield word.removeprefix(prefix)

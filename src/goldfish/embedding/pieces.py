"""Cutting long texts into pieces that a model reads whole, so that all of a text is found."""

from collections.abc import Iterator, Sequence

from goldfish.embedding.embedder import Embedder, Windowed

# For models that do not tell: a token is about four letters of English or one Chinese character,
# which is three bytes; so many bytes are rarely more than the 256 tokens that small models read.
BYTES, OVERLAPPING_BYTES = 600, 80

# Reading a window takes a good part of a tenth of a second, so a long text is not read whole.
MOST = 16  # pieces of one text that are embedded: some 16,000 characters of English with MiniLM
STRETCH = 2000  # characters that are looked at for each of them


def excerpts(embedder: Embedder, text: str) -> list[str]:
    """Return the pieces of the text to embed: all, or of a long text MOST, spread evenly.

    Its beginning and its end are always among them. The work has a bound, whatever the length.
    """
    if len(text) > MOST * STRETCH:
        starts = [_next_word(text, at) for at in _spread(len(text) - STRETCH)]
        *firsts, last = [pieces(embedder, text[at : at + STRETCH]) for at in starts]
        return [*(first[0] for first in firsts), last[-1]]
    found = pieces(embedder, text)
    return found if len(found) <= MOST else [found[at] for at in _spread(len(found) - 1)]


def pieces(embedder: Embedder, text: str) -> list[str]:
    """Return the text in pieces that fit the model's window: one if it is short."""
    if isinstance(embedder, Windowed):
        return embedder.pieces(text)
    return [text[cut] for cut in _cut_by_bytes(text)]


def _spread(last: int) -> list[int]:
    """Return MOST numbers from 0 to the last, in equal steps."""
    return [last * step // (MOST - 1) for step in range(MOST)]


def _next_word(text: str, at: int) -> int:
    """Return where a word begins at or after this place, if that is not far away."""
    return text.find(" ", at, at + 40) + 1 or at if at else 0


def windows(
    starts: Sequence[int], opens: Sequence[bool], end: int, size: int, overlap: int
) -> Iterator[slice]:
    """Yield the cuts of a text into runs of at most ``size`` tokens that begin with a word.

    ``starts`` holds where each token begins, ``opens`` whether a word begins with it. A word of
    more than ``size`` tokens is cut nevertheless.
    """
    first = 0
    while first + size < len(starts):
        last = _find_word(opens, first + size, first)
        yield slice(starts[first] if first else 0, starts[last])
        first = _find_word(opens, last - overlap, first)
    yield slice(starts[first] if first else 0, end)


def _find_word(opens: Sequence[bool], at: int, after: int) -> int:
    """Return the nearest beginning of a word at or before a token; the token if there is none."""
    return next((n for n in range(at, after, -1) if opens[n]), at)


def _cut_by_bytes(text: str) -> Iterator[slice]:
    if len(text) * 4 <= BYTES or len(text.encode(errors="surrogatepass")) <= BYTES:
        return iter([slice(0, len(text))])
    starts: list[int] = []
    opens: list[bool] = []
    for index, letter in enumerate(text):
        cost = len(letter.encode(errors="surrogatepass"))
        starts += [index] * cost
        opens += [index == 0 or text[index - 1].isspace()] + [False] * (cost - 1)
    return windows(starts, opens, len(text), BYTES, OVERLAPPING_BYTES)

"""all-MiniLM-L6-v2 without torch: the same tokens, the same weights, the same vectors."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from goldfish.embedding.bert import Array, Bert
from goldfish.embedding.blas import BLAS
from goldfish.embedding.model import NAME, read
from goldfish.embedding.pieces import windows
from goldfish.embedding.surrogates import replace_surrogates
from goldfish.errors import MissingExtraError

if TYPE_CHECKING:
    from tokenizers import Encoding

WINDOW = 256  # tokens, the first and the last of which are marks
OVERLAP = 32  # tokens that two neighbouring pieces of a long text share
TOKENS_AT_ONCE = 512  # more are no faster, and leave fewer batches to share between threads


def preload() -> None:
    """Load the weights, for the processes that are forked from this one."""
    from goldfish.embedding import default_embedder

    default_embedder()


class MiniLM:
    """The model in one directory, as an Embedder."""

    name = NAME

    def __init__(self, directory: Path) -> None:
        try:
            from safetensors.numpy import load
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError.of(error.name or "tokenizers", "semantic") from error
        files = read(directory)
        self._tokenizer = Tokenizer.from_str(files.tokenizer.decode())
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW)
        self._bert = Bert(load(files.weights))
        self.dimensions = self._bert.dimensions

    def encode(self, texts: Sequence[str]) -> Array:
        """Return one row of length one for each text; what is beyond the window is not read."""
        tokens = [self._tokenize(text).ids for text in texts]
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        batches = list(_make_batches([len(each) for each in tokens]))

        def fill(batch: list[int]) -> None:
            vectors[batch] = self._bert.vectors([tokens[index] for index in batch])

        with BLAS.single() as threads:
            _do_each(fill, batches, threads)
        return vectors

    def pieces(self, text: str) -> list[str]:
        """Return the text in pieces that fit the window, cut between words."""
        first = self._tokenize(text)
        if not first.overflowing:
            return [text]
        bare = self._tokenize(text, marks=False)
        parts = [bare, *bare.overflowing]
        starts = [start for part in parts for start, _ in part.offsets]
        opens = [not token.startswith("##") for part in parts for token in part.tokens]
        return [text[cut] for cut in windows(starts, opens, len(text), WINDOW - 2, OVERLAP)]

    def _tokenize(self, text: str, *, marks: bool = True) -> "Encoding":
        # One by one: tokenising a batch would start threads, which forked processes lack.
        return self._tokenizer.encode(replace_surrogates(text), add_special_tokens=marks)


def _do_each(work: Callable[[list[int]], None], batches: list[list[int]], threads: int) -> None:
    """Do all batches, in parallel if there are several and threads for them."""
    if min(len(batches), threads) < 2:
        for batch in batches:
            work(batch)
        return
    with ThreadPoolExecutor(min(len(batches), threads)) as pool:
        list(pool.map(work, batches))


def _make_batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield all indices, short texts first, in batches of about the same number of tokens."""
    batch: list[int] = []
    filled = 0
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        if batch and filled + lengths[index] > TOKENS_AT_ONCE:
            yield batch
            batch, filled = [], 0
        batch.append(index)
        filled += lengths[index]
    if batch:
        yield batch

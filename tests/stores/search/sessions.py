"""Sessions for tests, made of lines such as ``Ann: I sail``."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from goldfish.messages import ChatMessage
from goldfish.stores.retrieval.blocks import Marked, Marks
from goldfish.stores.retrieval.marks import encode_all, read_marks
from goldfish.stores.search.backend import VECTORS, Known
from goldfish.stores.search.index import SessionIndex
from goldfish.stores.search.traits import read_traits
from goldfish.testing import HashEmbedder

START = datetime(2026, 5, 1, tzinfo=UTC)
EMBEDDER = HashEmbedder()


def message(line: str, hours: float = 0.0) -> ChatMessage:
    """A message of whoever is named before the colon."""
    name, colon, text = line.partition(": ")
    moment = START + timedelta(hours=hours)
    if not colon:
        return ChatMessage(role="user", content=line, created_at=moment)
    return ChatMessage(role="user", name=name, content=text, created_at=moment)


def session(*lines: str | tuple[str, float], vectors: bool = True) -> SessionIndex:
    """The index of a session in which this was said, each line or with its hour."""
    said = [message(line) if isinstance(line, str) else message(*line) for line in lines]
    index = SessionIndex("s", EMBEDDER.dimensions if vectors else 0)
    index.known = Known("e", len(lines))
    rows = [EMBEDDER.encode([str(each.content)]).astype(VECTORS).tobytes() for each in said]
    if said:
        take_in(index, said, rows)
    return index


def take_in(index: SessionIndex, said: Sequence[ChatMessage], vectors: Sequence[bytes]) -> None:
    """Let an index know the next messages, and their vectors."""
    pairs = list(zip(said, vectors, strict=True))
    marks = encode_all([read_traits(*each) for each in pairs], index.dimensions, VECTORS)
    marked = [Marked(place, 0, each) for place, each in enumerate(marks, len(index))]
    index.add(read_marks(Marks.of(marked), index.dimensions))
    if index.dimensions:
        first = len(index) - len(said)
        index.learn({first + nth: each for nth, (_, each) in enumerate(pairs)})

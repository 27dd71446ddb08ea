"""Sessions for tests, made of lines such as ``Ann: I sail``."""

from datetime import UTC, datetime, timedelta

from goldfish.encoding import encode_message
from goldfish.messages import ChatMessage
from goldfish.stores.search.backend import VECTORS, Known, Row
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
    index = SessionIndex("s", EMBEDDER.dimensions if vectors else 0)
    index.known = Known("e", len(lines))
    for place, line in enumerate(lines):
        said = message(line) if isinstance(line, str) else message(*line)
        row = Row(place, said.id, encode_message(said), None)
        rows = EMBEDDER.encode([str(said.content)]).astype(VECTORS).tobytes()
        index.add(row, read_traits(said), index.vectors.read(rows))
    return index

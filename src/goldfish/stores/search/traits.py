"""What a message is found by: its text, its words, who said it and when."""

from typing import NamedTuple

from goldfish.messages import ChatMessage
from goldfish.stores.retrieval.names import Label, names_of
from goldfish.stores.retrieval.times import tells_when
from goldfish.stores.retrieval.words import is_question, split_words


class Traits(NamedTuple):
    """What one message is found by."""

    words: list[str]
    names: frozenset[Label]
    asks: bool
    tells_when: bool
    moment: float
    year: int


def read_traits(message: ChatMessage) -> Traits:
    """Return what the message is found by."""
    text = join_text(message)
    words = split_words(text)
    return Traits(
        words=words,
        names=names_of(message.name or ""),
        asks=is_question(text),
        tells_when=tells_when(words),
        moment=message.created_at.timestamp(),
        year=message.created_at.year,
    )


def join_text(message: ChatMessage) -> str:
    """Return what the message says, as one text; parts that hold no text are left out."""
    if isinstance(message.content, str):
        return message.content
    texts = (part.get("text") for part in message.content)
    return "\n".join(text for text in texts if isinstance(text, str))

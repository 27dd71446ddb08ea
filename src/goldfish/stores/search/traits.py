"""What a message is found by: its text, its words, who said it and when."""

from typing import NamedTuple

from goldfish.messages import ChatMessage
from goldfish.stores.retrieval.people import Name, names_of
from goldfish.stores.retrieval.times import tells_when
from goldfish.stores.retrieval.words import words


class Traits(NamedTuple):
    """One message, ready to be searched."""

    words: list[str]
    names: frozenset[Name]
    asks: bool
    tells_when: bool
    moment: float
    year: int


def read_traits(message: ChatMessage) -> Traits:
    """The message as a search sees it."""
    text = join_text(message)
    found = words(text)
    return Traits(
        words=found,
        names=names_of(message.name or ""),
        asks=text.rstrip().endswith(("?", "\uff1f", "\u061f")),
        tells_when=tells_when(found),
        moment=message.created_at.timestamp(),
        year=message.created_at.year,
    )


def join_text(message: ChatMessage) -> str:
    """What the message says, as one text; parts that hold no text are left out."""
    if isinstance(message.content, str):
        return message.content
    texts = (part.get("text") for part in message.content)
    return "\n".join(text for text in texts if isinstance(text, str))

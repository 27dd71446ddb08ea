"""What a message is found by: its text, its words, who said it and when."""

from typing import NamedTuple

from goldfish.messages import ChatMessage
from goldfish.stores.search.moments import tells_when
from goldfish.stores.search.people import Name, names_of
from goldfish.stores.search.words import words


class Saying(NamedTuple):
    """One message, ready to be searched."""

    words: list[str]
    names: frozenset[Name]
    asks: bool
    tells_when: bool
    moment: float
    year: int


def saying(message: ChatMessage) -> Saying:
    """The message as a search sees it."""
    text = text_of(message)
    found = words(text)
    return Saying(
        words=found,
        names=names_of(message.name or ""),
        asks=text.rstrip().endswith(("?", "\uff1f", "\u061f")),
        tells_when=tells_when(found),
        moment=message.created_at.timestamp(),
        year=message.created_at.year,
    )


def text_of(message: ChatMessage) -> str:
    """What the message says, as one text; parts that hold no text are left out."""
    if isinstance(message.content, str):
        return message.content
    texts = (part.get("text") for part in message.content)
    return "\n".join(text for text in texts if isinstance(text, str))

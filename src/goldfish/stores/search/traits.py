"""What a message is found by: its text, its words, who said it and when."""

from goldfish.messages import ChatMessage
from goldfish.stores.retrieval.marks import ASKS, TELLS_WHEN, UNEMBEDDED, Traits
from goldfish.stores.retrieval.names import names_of
from goldfish.stores.retrieval.times import tells_when
from goldfish.stores.retrieval.words import is_question, split_words


def read_traits(message: ChatMessage, vectors: bytes | None) -> Traits:
    """Return what the message is found by; without an embedder there are no vectors."""
    text = join_text(message)
    words = split_words(text)
    return Traits(
        words,
        vectors or b"",
        names_of(message.name or ""),
        moment=message.created_at.timestamp(),
        flags=ASKS * is_question(text)
        | TELLS_WHEN * tells_when(words)
        | UNEMBEDDED * (vectors is None),
        year=message.created_at.year,
    )


def join_text(message: ChatMessage) -> str:
    """Return what the message says, as one text; parts that hold no text are left out."""
    if isinstance(message.content, str):
        return message.content
    texts = (part.get("text") for part in message.content)
    return "\n".join(text for text in texts if isinstance(text, str))

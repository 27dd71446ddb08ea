"""What a process knows of one session."""

from typing import Any

import numpy as np
import pytest

from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import ChatMessage
from goldfish.stores.search.backend import VECTORS, Row
from goldfish.stores.search.index import SessionIndex
from goldfish.stores.search.traits import join_text, read_traits
from tests.stores.search.sessions import EMBEDDER, message, session


def test_a_message_says_the_text_of_its_parts() -> None:
    """Parts without text, or with something else under that name, are left out."""
    red, eel = {"type": "text", "text": "red"}, {"text": "eel"}
    parts: list[dict[str, Any]] = [red, {"type": "image"}, {"text": 5}, eel]
    assert join_text(ChatMessage(role="user", content=parts)) == "red\neel"
    assert read_traits(ChatMessage(role="user", content=[])).words == []


def test_pieces_of_a_long_text_belong_to_one_message() -> None:
    """Every vector knows its message."""
    index = SessionIndex("s", EMBEDDER.dimensions)
    said = message("eel")
    for place, count in enumerate((1, 3, 0, 2)):
        rows = np.ones((count, EMBEDDER.dimensions), VECTORS).tobytes()
        index.add(Row(place, str(place), "{}", None), read_traits(said), index.vectors.read(rows))
    assert list(index.vectors.owners) == [0, 1, 1, 1, 3, 3]
    assert (len(index), len(index.vectors)) == (4, 6)


def test_a_damaged_vector_is_an_error_that_says_what_to_do() -> None:
    """Half a vector is never taken for one."""
    index = SessionIndex("s", EMBEDDER.dimensions)
    with pytest.raises(MemoryStoreBackendError, match="reembed"):
        index.vectors.read(b"123")


def test_beginning_anew_forgets_all() -> None:
    """Of what was known before nothing is left."""
    index = session("Ann: red eel", "Bob: blue eel")
    index.begin_anew()
    assert (len(index), index.postings, index.speakers, index.ids) == (0, {}, {}, set())
    assert not len(index.vectors)


def test_a_lost_session_is_no_empty_one() -> None:
    """Whoever is at work with it is told, and does not take it for one without messages."""
    index = session("Ann: red eel")
    index.refuse_lost()
    index.lose()
    assert not index.exists
    with pytest.raises(MemoryStoreBackendError, match="repeat the call"):
        index.refuse_lost()

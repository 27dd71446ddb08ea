"""What a process knows of one session."""

from typing import Any

import numpy as np
import pytest

from goldfish.errors import MemoryStoreBackendError
from goldfish.messages import ChatMessage
from goldfish.stores.retrieval.marks import hash_word
from goldfish.stores.search.backend import VECTORS
from goldfish.stores.search.index import SessionIndex
from goldfish.stores.search.traits import join_text, read_traits
from tests.stores.search.sessions import EMBEDDER, message, session, take_in


def test_a_message_says_the_text_of_its_parts() -> None:
    """Parts without text, or with something else under that name, are left out."""
    red, eel = {"type": "text", "text": "red"}, {"text": "eel"}
    parts: list[dict[str, Any]] = [red, {"type": "image"}, {"text": 5}, eel]
    assert join_text(ChatMessage(role="user", content=parts)) == "red\neel"
    assert read_traits(ChatMessage(role="user", content=[]), None).words == []


def test_the_closest_piece_of_a_long_text_counts() -> None:
    """Every vector knows its message, also beside one without any."""
    index = SessionIndex("s", EMBEDDER.dimensions)
    eel, hat, boat = (EMBEDDER.encode([text]).astype(VECTORS) for text in ("eel", "hat", "boat"))
    pieces = [[hat], [boat, eel, hat], [], [boat, hat]]
    rows = [b"".join(each.tobytes() for each in some) for some in pieces]
    take_in(index, [message("said")] * 4, rows)
    asked = EMBEDDER.encode(["eel"])[0]
    close = index.vectors.closeness(asked, among=np.arange(4), many=4)
    assert close.argmax() == 1
    assert close.tolist()[1:3] == [pytest.approx(1, abs=0.01), 0]
    assert index.codes.guess(asked, 4).argmax() == 1


def test_a_damaged_vector_is_an_error_that_says_what_to_do() -> None:
    """Half a vector is never taken for one."""
    index = session("eel", "hat")
    index.begin_anew()
    with pytest.raises(MemoryStoreBackendError, match="reembed"):
        take_in(index, [message("eel")], [EMBEDDER.encode(["eel"]).astype(VECTORS).tobytes()[:-2]])


def test_conversations_go_on_over_what_is_taken_in_later() -> None:
    """A pause parts them, wherever one reading ends and the next begins."""
    hours = [0.0, 0.1, 5.0, 5.1, 5.2, 40.0]
    whole = session(*((f"eel {n}", hour) for n, hour in enumerate(hours)))
    for cut in range(len(hours)):
        parts = session(*((f"eel {n}", hour) for n, hour in enumerate(hours[:cut])))
        rest = [message(f"eel {n}", hour) for n, hour in enumerate(hours)][cut:]
        take_in(parts, rest, [b""] * len(rest))
        assert list(parts.episodes.values) == list(whole.episodes.values) == [0, 0, 1, 1, 1, 2]
        assert list(parts.starts.values) == [0, 2, 5]


def test_beginning_anew_forgets_all() -> None:
    """Of what was known before nothing is left."""
    index = session("Ann: red eel", "Bob: blue eel")
    assert ("ann",) in index
    index.begin_anew()
    assert (len(index), index.years, ("ann",) in index) == (0, set(), False)
    assert not len(index.words.find(hash_word("eel")).slots)


def test_a_lost_session_is_no_empty_one() -> None:
    """Whoever is at work with it is told, and does not take it for one without messages."""
    index = session("Ann: red eel")
    index.refuse_lost()
    index.lose()
    assert not index.exists
    with pytest.raises(MemoryStoreBackendError, match="repeat the call"):
        index.refuse_lost()

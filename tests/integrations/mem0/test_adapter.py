"""Mem0 as a store of facts: what goes in, what comes back, and what goldfish finds in it."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish.engine.opening import open_target
from goldfish.errors import MemoryStoreError, ModelNotFoundError
from goldfish.integrations.libraries import BUILT_INS
from goldfish.integrations.mem0.adapter import (
    AsyncMem0Memory,
    Mem0Memory,
    added_id,
    present_fact,
    scope_arguments,
)
from goldfish.integrations.times import NO_TIME
from goldfish.targets.names import resolve
from goldfish.testing import HashEmbedder
from tests.integrations.blame import assert_blamed
from tests.packages import Lazily, needs

pytestmark = needs("mem0ai")
mem0_offline = Lazily("goldfish.integrations.mem0.offline")

PACKAGES = {"qdrant": "qdrant_client", "faiss": "faiss", "chroma": "chromadb"}
TEA = "Ann prefers tea over coffee"


def config(provider: str, directory: Path) -> dict[str, Any]:
    """The configuration of a vector store in a directory."""
    options: dict[str, Any] = {"path": str(directory / provider), "collection_name": "facts"}
    if provider != "chroma":
        options["embedding_model_dims"] = 256
    if provider == "qdrant":
        options["on_disk"] = True
    return {"provider": provider, "config": options}


@pytest.fixture(scope="module", params=PACKAGES)
def shared(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mem0Memory]:
    """A real Mem0 on each vector store, with vectors of words; each test has its own users."""
    pytest.importorskip(
        {"qdrant": "qdrant_client", "chroma": "chromadb"}.get(request.param, "faiss")
    )
    directory = tmp_path_factory.mktemp(request.param)
    memory = mem0_offline.open_memory(
        mem0_offline.Memory, directory, config(request.param, directory), HashEmbedder()
    )
    store = goldfish.adapt.mem0(memory)
    assert isinstance(store, Mem0Memory)
    yield store
    mem0_offline.close(memory)


def test_a_fact_comes_back_with_all_its_fields(shared: Mem0Memory) -> None:
    """From remember, from its id, from the list and from a recall: the same."""
    fact = shared.remember("fields", TEA, metadata={"source": "chat", "turn": 3})
    assert (fact.user_id, fact.text) == ("fields", TEA)
    assert fact.metadata == {"source": "chat", "turn": 3}
    assert abs(datetime.now(UTC) - fact.created_at) < timedelta(minutes=1)
    (recalled,) = shared.recall("fields", "tea")
    assert recalled.score > 0
    assert shared.list_facts("fields") == [fact] == [recalled.fact]
    assert shared.get_fact("fields", fact.id) == fact


def test_a_recall_keeps_to_its_user_limit_and_filter(shared: Mem0Memory) -> None:
    """Mem0's own filters are used, so no other user takes a place."""
    for number in range(3):
        shared.remember("keeps", f"{TEA}, day {number}", metadata={"day": number})
        shared.remember("others", TEA)
    assert len(shared.recall("keeps", TEA, limit=2)) == 2
    (chosen,) = shared.recall("keeps", TEA, filter={"day": 1})
    assert chosen.fact.text == f"{TEA}, day 1"
    assert [fact.metadata for fact in shared.list_facts("keeps", filter={"day": 2})] == [{"day": 2}]


def test_every_fact_is_listed_in_the_order_told(shared: Mem0Memory) -> None:
    """Also beyond the twenty that Mem0 gives if it is not asked for more."""
    texts = [f"Ann met guest {number}" for number in range(25)]
    for text in texts:
        shared.remember("many", text)
    assert [fact.text for fact in shared.list_facts("many")] == texts


def test_a_revised_fact_keeps_its_id_and_its_history(shared: Mem0Memory) -> None:
    """The old words are its history, and nothing else."""
    fact = shared.remember("revised", TEA, metadata={"source": "chat"})
    for text in ("Ann prefers water", "Ann prefers juice"):
        revised = shared.revise("revised", fact.id, text)
    assert (revised.id, revised.text) == (fact.id, "Ann prefers juice")
    assert revised.metadata == fact.metadata
    assert revised.updated_at > fact.updated_at
    assert [each.text for each in shared.list_facts("revised")] == ["Ann prefers juice"]
    earlier = [each.text for each in shared.fact_history("revised", fact.id)]
    assert earlier == [TEA, "Ann prefers water"]


def test_the_unknown_is_nothing_to_forget_and_cannot_be_revised(shared: Mem0Memory) -> None:
    """Mem0 raises where one deletes what is not there: the adapter looks first."""
    unknown = "00000000-0000-0000-0000-000000000000"
    fact = shared.remember("unknown", TEA)
    for name in (unknown, fact.id, fact.id):
        shared.forget("unknown", name)
    assert shared.get_fact("unknown", fact.id) is None
    assert shared.fact_history("unknown", unknown) == []
    with pytest.raises(ValueError, match="not found"):
        shared.revise("unknown", unknown, "Ann prefers water")


def test_forgetting_all_of_one_user_leaves_the_others(shared: Mem0Memory) -> None:
    """Mem0 1.0.5 emptied the whole store."""
    for user in ("bob", "bobby"):
        shared.remember(user, TEA)
    shared.forget_all("bob")
    assert (shared.list_facts("bob"), len(shared.list_facts("bobby"))) == ([], 1)


def test_a_filter_cannot_name_another_user(shared: Mem0Memory) -> None:
    """The user is one of Mem0's own filters: another value for it is refused, not overridden."""
    with pytest.raises(ValueError, match="under another name"):
        shared.recall("ann", TEA, filter={"user_id": "ben"})


def test_nobody_is_called_what_stands_for_everybody(shared: Mem0Memory) -> None:
    """Mem0 takes '*' in a filter for any value: who is called so would read what others have."""
    shared.remember("somebody", TEA)
    for asked in (
        lambda: shared.remember("*", TEA),
        lambda: shared.recall("*", TEA),
        lambda: shared.list_facts("*"),
        lambda: shared.forget_all("*"),
    ):
        with pytest.raises(ValueError, match="use another id"):
            asked()


def test_metadata_that_became_the_time_of_a_memory_are_no_time(shared: Mem0Memory) -> None:
    """Mem0 lets metadata called created_at take its place: the fact is listed all the same."""
    shared.remember("timeless", TEA, metadata={"created_at": "yesterday"})
    (fact,) = shared.list_facts("timeless")
    assert fact.created_at == NO_TIME


async def test_an_async_memory_is_awaited(tmp_path: Path) -> None:
    """The same calls through ``mem0.AsyncMemory``."""
    store = config("faiss", tmp_path)
    memory = mem0_offline.open_memory(mem0_offline.AsyncMemory, tmp_path, store, HashEmbedder())
    adapted = goldfish.adapt.mem0(memory)
    assert isinstance(adapted, AsyncMem0Memory)
    fact = await adapted.remember("ann", TEA, metadata={"n": 1})
    await adapted.remember("ben", TEA)
    assert [each.fact for each in await adapted.recall("ann", "tea", filter={"n": 1})] == [fact]
    revised = await adapted.revise("ann", fact.id, "Ann prefers water")
    assert await adapted.list_facts("ann") == [revised]
    assert [each.text for each in await adapted.fact_history("ann", fact.id)] == [TEA]
    for _ in range(2):
        await adapted.forget("ann", fact.id)
    assert await adapted.get_fact("ann", fact.id) is None
    with pytest.raises(ValueError, match="every user"):
        await adapted.forget_all("*")
    await adapted.forget_all("ben")
    assert await adapted.list_facts("ben") == []
    await asyncio.to_thread(mem0_offline.close, memory)


def test_each_version_is_asked_as_it_takes_it() -> None:
    """By the parameters of the method, not by a version number."""

    def oldest(query: str, *, user_id: str, limit: int) -> None:
        """As in 0.1."""

    def first(query: str, *, user_id: str, limit: int, filters: object = None) -> None:
        """As in 1.x."""

    def second(query: str, *, filters: object, top_k: int, **others: object) -> None:
        """As in 2.x."""

    assert scope_arguments(oldest, "ann", 5, None) == {"user_id": "ann", "limit": 5}
    assert scope_arguments(first, "ann", 5, None) == {"user_id": "ann", "limit": 5}
    assert scope_arguments(first, "ann", 5, {"n": 1})["filters"] == {"n": 1}
    assert scope_arguments(second, "ann", 5, {"n": 1}) == {
        "filters": {"n": 1, "user_id": "ann"},
        "top_k": 5,
    }


def test_a_release_that_always_asks_a_language_model_keeps_the_words_as_they_are() -> None:
    """What stands for the model finds one fact in a text, the text itself, and adds it."""
    model = mem0_offline.Repeater()
    instruction = {"role": "system", "content": "Find the facts."}
    said = {"role": "user", "content": "Input: user: Ann likes\ntea.\n"}
    assert json.loads(model.generate_response([instruction, said])) == {
        "facts": ["Ann likes\ntea."]
    }
    (added,) = json.loads(model.generate_response([{"role": "user", "content": "Compare."}]))[
        "memory"
    ]
    assert (added["event"], added["text"]) == ("ADD", "Ann likes\ntea.")


def test_what_mem0_did_not_keep_is_no_fact() -> None:
    """An answer without a memory in it is an error, and never looks like success."""
    with pytest.raises(MemoryStoreError, match="added nothing"):
        added_id({"results": []})
    with pytest.raises(MemoryStoreError, match="just now"):
        present_fact(None)


def test_without_the_model_nothing_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the world that lacks something: one sentence, and no verdict about Mem0."""
    monkeypatch.setenv("GOLDFISH_MODEL", str(tmp_path / "nowhere"))
    with pytest.raises(ModelNotFoundError, match="goldfish model install"):
        open_target(resolve("mem0"))


FOUND = {
    "mem0": {
        "held": "ISO23 ISO24 ISO28 DUR23 REV02",
        "broken": "DUP05",
        "unsupported": "ISO25 ISO26 ISO27 DUR24 REC11 TTL22",
    },
    "mem0-faiss": {
        "held": "ISO24 DUR23 REV02",
        "broken": "DUR24 DUR29 DUP05 REC05",
        "unsupported": "ISO25 REC11",
    },
    "mem0-chroma": {
        "held": "ISO24 DUR23 REV02",
        "broken": "DUP05",
        "unsupported": "ISO25 DUR24 REC11",
    },
}


@pytest.mark.parametrize("name", FOUND)
def test_each_vector_store_is_blamed_for_its_faults_only(name: str) -> None:
    """Five equal facts are five; users are apart; FAISS is lost to a kill and a second process."""
    if BUILT_INS[name].missing:
        pytest.skip(f"its extra {BUILT_INS[name].extra} is not installed")
    expected = {code: said for said, codes in FOUND[name].items() for code in codes.split()}
    assert_blamed(name, expected)

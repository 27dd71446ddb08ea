"""What every store promises about facts, asked of every store, on real servers."""

import asyncio
import random
from itertools import chain
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage, FactNotFound, ModelMismatchError
from goldfish.stores.base import BaseStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import Backend
from tests.stores.fact_pods import facts, remember_from_processes

SEED = 20261116
HOSTILE = ["", "al", "alice", "john_doe", "john-doe", "%", "'; --", "{x}", "a\0b", "\ud800", "用户"]


def opened(backend: Backend, **options: Any) -> BaseStore:
    """A store that embeds by words: quick, and without a model."""
    return backend.open(**{"embedder": HashEmbedder()} | options)


async def texts(store: BaseStore, user: str = "u", **options: Any) -> list[str]:
    return [fact.text for fact in await store.list_facts(user, **options)]


async def recalled(store: BaseStore, query: str, user: str = "u", **options: Any) -> list[str]:
    return [found.fact.text for found in await store.recall(user, query, **options)]


async def test_the_same_fact_is_stored_once_and_counted(backend: Backend) -> None:
    """The first text, metadata, id and times stay; every repetition is counted."""
    async with opened(backend) as store:
        first = await store.remember("u", "I live in Berlin.", metadata={"source": "chat"})
        for again in ("i live in berlin", "I  LIVE in Berlin", "I live in Berlin ."):
            last = await store.remember("u", again, metadata={"source": "other"})
        assert last == first.model_copy(update={"times_seen": 4})
        assert first.created_at == first.updated_at
        assert await store.list_facts("u") == [last]
        assert await store.get_fact("u", first.id) == last


async def test_facts_of_users_do_not_meet(backend: Backend) -> None:
    """Whatever the ids: the same text is a fact of each, and an id leads only its owner to one."""
    async with opened(backend) as store:
        owned = {user: await store.remember(user, f"I am {user!r} 8892") for user in HOSTILE}
        for user, fact in owned.items():
            assert await store.list_facts(user) == [fact]
            assert [each.fact for each in await store.recall(user, "8892", limit=50)] == [fact]
            stranger = next(other for other in HOSTILE if other != user)
            assert await store.get_fact(stranger, fact.id) is None
            await store.forget(stranger, fact.id)
            with pytest.raises(FactNotFound):
                await store.revise(stranger, fact.id, "mine now")
            assert await store.fact_history(stranger, fact.id) == []
        await store.forget_all("al")
        assert await store.list_facts("alice") == [owned["alice"]]
        assert await store.list_facts("al") == []


async def test_near_duplicates_are_linked_and_never_merged(backend: Backend) -> None:
    """Both sides name each other, until one is revised or forgotten."""
    async with opened(backend) as store:
        one = await store.remember("u", "the order of Ann is late again today")
        other = await store.remember("u", "Late again today is the order of Ann!")
        await store.remember("u", "the order of Bob is late again today")
        await store.remember("u", "the order of Ann is not late again today")
        assert other.near == [one.id]
        assert [fact.near for fact in await store.list_facts("u")] == [[other.id], [one.id], [], []]
        back = await store.revise("u", one.id, "something else entirely")
        assert back.near == []
        assert [fact.near for fact in await store.list_facts("u")] == [[], [], [], []]
        again = await store.revise("u", one.id, "today the order of Ann is late again")
        assert again.near == [other.id]
        await store.forget("u", one.id)
        assert [fact.near for fact in await store.list_facts("u")] == [[], [], []]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        (" \n\t", {}),
        (5, {}),
        ("x", {"metadata": {"a": object()}}),
        ("x", {"metadata": {1: "a"}}),
        ("x", {"metadata": {"a": (1, 2)}}),
        ("x", {"metadata": ["a"]}),
        ("x", {"ttl": 0}),
        ("x", {"ttl": -1}),
        ("x", {"ttl": "soon"}),
    ],
)
async def test_what_cannot_be_kept_is_refused_before_anything_is_written(
    tmp_path: Any, text: Any, options: dict[str, Any]
) -> None:
    """Empty texts, metadata that JSON would change, times that make no sense."""
    path = tmp_path / "memory.db"
    async with goldfish.SQLiteMemoryStore(path, embedder=HashEmbedder()) as store:
        with pytest.raises((ValueError, TypeError)):
            await store.remember("u", text, **options)
        assert await store.list_facts("u") == []


async def test_any_text_and_metadata_come_back_exactly(backend: Backend) -> None:
    """Nested values, large numbers, odd characters; and nobody edits them through a reference."""
    metadata = {"big": 2**200, "deep": {"a": [{"b": -0.0}]}, "odd \0 \ud800": "🐠", "n": None}
    given: dict[str, Any] = {**metadata, "deep": {"a": [{"b": -0.0}]}}
    async with opened(backend) as store:
        fact = await store.remember("u", "NUL \0, lone \ud800, 🐠\n'; --", metadata=given)
        given["deep"]["a"].append("edited")
        fact.metadata["deep"]["a"].append("edited")
        (found,) = await store.list_facts("u")
        assert found.text == "NUL \0, lone \ud800, 🐠\n'; --"
        assert found.metadata == metadata
        found.metadata.clear()
        (again,) = await store.recall("u", "\ud800 \0 ' OR 1=1 * NEAR(")
        assert again.fact.metadata == metadata


async def test_exact_words_names_and_numbers_are_found(backend: Backend) -> None:
    """Also in other scripts, among facts that share other words."""
    facts = {
        "order 8892": "the order 8892 is late",
        "8893": "the order 8893 is late",
        "Müller": "the doctor is called Müller",
        "咖啡": "用户喜欢喝咖啡",
        "чай": "она любит чай",
        "🐠": "the pet is a 🐠",
        "running": "she runs every day",
    }
    async with opened(backend) as store:
        for text in facts.values():
            await store.remember("u", text)
        for query, text in facts.items():
            found = await store.recall("u", query, limit=3)
            assert found[0].fact.text == text, query
            assert found[0].why["words"] > found[1].why["words"]
            assert found[0].score >= found[1].score >= found[2].score


async def test_pages_of_recall_and_list_are_disjoint_and_complete(backend: Backend) -> None:
    """Every fact is on exactly one page, in an order that does not change."""
    async with opened(backend) as store:
        everything = [f"fact number {number}" for number in range(23)]
        for text in everything:
            await store.remember("u", text)
        listed = [await texts(store, limit=5, offset=at) for at in range(0, 30, 5)]
        assert list(chain(*listed)) == everything
        pages = [await recalled(store, "number 7", limit=5, offset=at) for at in range(0, 30, 5)]
        found = list(chain(*pages))
        assert sorted(found) == sorted(everything)
        assert found[0] == "fact number 7"
        assert found == await recalled(store, "number 7", limit=1000)
        assert await recalled(store, "number", limit=0) == []
        assert await recalled(store, "unheard of", limit=3) == everything[:3]
        assert await recalled(store, " ", limit=3) == everything[:3]
        wrongs: list[dict[str, Any]] = [{"limit": -1}, {"offset": -1}]
        for wrong in wrongs:
            with pytest.raises(ValueError, match="negative"):
                await store.recall("u", "x", **wrong)
            with pytest.raises(ValueError, match="negative"):
                await store.list_facts("u", **wrong)


async def test_a_filter_applies_before_the_best_are_chosen(backend: Backend) -> None:
    """What the filter lets through is found, however many better ones it holds back."""
    async with opened(backend) as store:
        for number in range(30):
            await store.remember("u", f"tea tea {number}", metadata={"n": number, "kind": "drink"})
        await store.remember("u", "salt", metadata={"kind": "food", "n": 2**60 + 1})
        assert await recalled(store, "tea", limit=2, filter={"kind": "food"}) == ["salt"]
        assert await texts(store, filter={"n": {"$gt": 2**60}}) == ["salt"]
        assert await texts(store, filter={"n": {"$gte": 9, "$lt": 11}}) == [
            "tea tea 9",
            "tea tea 10",
        ]
        assert await texts(store, filter={"n": {"$lt": 5}}, limit=2, offset=2) == [
            "tea tea 2",
            "tea tea 3",
        ]
        assert await recalled(store, "tea", filter={"none": 1}) == []
        with pytest.raises(ValueError, match=r"\$gt"):
            await store.recall("u", "tea", filter={"n": {"$about": 1}})


async def test_a_fact_ends_by_itself(backend: Backend) -> None:
    """Then it is not got, listed, recalled, revised, or counted as a repetition."""
    async with opened(backend) as store:
        brief = await store.remember("u", "parked on level 3", ttl=0.02)
        await store.remember("u", "stays")
        await store.remember("u", "stays", ttl=0.01)  # a repetition does not shorten a life
        await store.remember("u", "renewed", ttl=0.02)
        await store.remember("u", "renewed", ttl=600)
        await store.remember("u", "lasting", ttl=0.02)
        await store.remember("u", "lasting")
        alone = await store.remember("alone", "all of it ends", ttl=0.02)
        await asyncio.sleep(0.03)
        assert await store.get_fact("u", brief.id) is None
        assert await texts(store) == ["stays", "renewed", "lasting"]
        assert "parked on level 3" not in await recalled(store, "parked on level 3", limit=9)
        assert await store.fact_history("u", brief.id) == []
        with pytest.raises(FactNotFound):
            await store.revise("u", brief.id, "parked on level 4")
        again = await store.remember("u", "parked on level 3")
        assert (again.id != brief.id, again.times_seen) == (True, 1)
        assert await store.list_facts("alone") == []
        assert (await store.remember("alone", "all of it ends")).id != alone.id


async def test_a_revision_replaces_the_text_and_keeps_the_rest(backend: Backend) -> None:
    """The old text is history: not listed, not recalled, and free to be remembered anew."""
    async with opened(backend) as store:
        fact = await store.remember("u", "lives in Berlin", metadata={"k": 1})
        await store.remember("u", "likes tea")
        await store.recall("u", "Berlin")
        second = await store.revise("u", fact.id, "lives in Paris")
        third = await store.revise("u", fact.id, "Lives in Rome.")
        assert third.model_copy(update={"text": fact.text, "updated_at": fact.updated_at}) == fact
        assert third.updated_at > second.updated_at > fact.updated_at
        assert await texts(store) == ["Lives in Rome.", "likes tea"]
        assert (await store.recall("u", "Berlin"))[0].why["words"] == 0
        assert (await recalled(store, "Rome"))[0] == "Lives in Rome."
        assert await store.fact_history("u", fact.id) == [fact, second]
        again = await store.remember("u", "lives in Berlin")
        assert again.id != fact.id
        assert await texts(store) == ["Lives in Rome.", "likes tea", "lives in Berlin"]
        same = await store.revise("u", fact.id, "lives in Rome")
        assert (same.id, same.text) == (fact.id, "lives in Rome")


async def test_a_revision_that_cannot_be_changes_nothing(backend: Backend) -> None:
    """An unknown fact, a text that another fact has, an empty text."""
    async with opened(backend) as store:
        one = await store.remember("u", "likes tea")
        other = await store.remember("u", "likes milk")
        before = await store.list_facts("u")
        for unknown in ("", "nope", "\ud800", "a\0"):
            with pytest.raises(FactNotFound, match="list_facts"):
                await store.revise("u", unknown, "anything")
        with pytest.raises(goldfish.MemoryStoreError, match=other.id):
            await store.revise("u", one.id, "Likes  milk.")
        with pytest.raises(ValueError, match="empty"):
            await store.revise("u", one.id, " ")
        assert await store.list_facts("u") == before
        assert await store.fact_history("u", one.id) == []


async def test_what_is_forgotten_stays_forgotten(backend: Backend) -> None:
    """One or all, twice or of nobody; the text may be told again, as a new fact."""
    async with opened(backend) as store:
        facts = [await store.remember("u", f"fact {number}") for number in range(105)]
        await store.remember("v", "fact 0")
        await store.revise("u", facts[3].id, "fact three")
        for _ in range(2):
            await store.forget("u", facts[3].id)
            await store.forget("u", "unknown \ud800")
            await store.forget("nobody", facts[4].id)
        assert await store.get_fact("u", facts[3].id) is None
        assert await store.fact_history("u", facts[3].id) == []
        assert len(await texts(store)) == 104
        assert "fact three" not in await recalled(store, "fact three", limit=200)
        again = await store.remember("u", "fact three")
        assert (again.id != facts[3].id, again.times_seen) == (True, 1)
        for _ in range(2):
            await store.forget_all("u")
            assert await texts(store) == await recalled(store, "fact", limit=200) == []
        assert await texts(store, "v") == ["fact 0"]
        fresh = await store.remember("u", "fact 1")
        assert await store.list_facts("u") == [fresh]


async def test_clearing_sessions_leaves_facts(backend: Backend) -> None:
    """And forgetting facts leaves sessions, also where they share their names."""
    async with opened(backend) as store:
        await store.add_messages("u", [ChatMessage(role="user", content="hello")])
        await store.remember("u", "stays")
        assert await store.list_sessions() == ["u"]
        await store.forget_all("u")
        assert len(await store.get_history("u")) == 1
        await store.remember("u", "stays")
        await store.clear("u", snapshots=True)
        await store.clear_all()
        assert await texts(store) == ["stays"]


async def test_another_model_is_told_and_never_mixed(backend: Backend) -> None:
    """Until everything is embedded anew, what is stored stays as it was."""
    if backend.name == "memory":
        pytest.skip("its facts never outlive the model that they were embedded by")
    small, large = HashEmbedder(32), HashEmbedder(64)
    async with opened(backend, embedder=small) as store, opened(backend, embedder=large) as other:
        fact = await store.remember("u", "likes green tea")
        for call in (
            other.remember("u", "likes milk"),
            other.revise("u", fact.id, "likes milk"),
            other.recall("u", "tea"),
        ):
            with pytest.raises(ModelMismatchError, match=r"hash-32.*hash-64.*reembed\(\)"):
                await call
        assert await texts(other) == ["likes green tea"]
        await other.remember("v", "of the new model")
        assert await other.reembed() == 1
        assert await other.reembed() == 0
        assert await recalled(other, "green tea") == ["likes green tea"]
        with pytest.raises(ModelMismatchError):
            await store.recall("u", "tea")


async def test_words_alone_need_no_model(backend: Backend) -> None:
    """Without an embedder the words decide, and nothing is near."""
    async with opened(backend, embedder=None) as store:
        await store.remember("u", "likes green tea")
        await store.remember("u", "likes green tea!")
        await store.remember("u", "the order 8892")
        assert not {"remember", "recall", "revise"} & set(store.lacking)
        found = await store.recall("u", "orders 8892")
        assert found[0].fact.text == "the order 8892"
        assert found[0].why["words"] > found[1].why["words"] == found[0].why["meaning"] == 0
        assert [fact.near for fact in await store.list_facts("u")] == [[], [], []]


async def test_nothing_of_a_long_text_is_unfindable(backend: Backend) -> None:
    """A text beyond the model's window is embedded in pieces."""
    async with opened(backend) as store:
        filler = " ".join(f"word{number}" for number in range(400))
        await store.remember("u", f"{filler} the key is under the blue flowerpot")
        for number in range(5):
            await store.remember("u", f"key number {number}")
        found = await store.recall("u", "under the blue flowerpot")
        assert found[0].fact.text.startswith("word0")
        assert found[0].why["meaning"] > 0.2


async def test_a_write_is_recalled_by_the_next_call_of_every_other_store(durable: Backend) -> None:
    """Remembered, revised, counted or forgotten elsewhere: the next answer knows it."""
    async with opened(durable) as here, opened(durable) as there:
        for number in range(5):
            fact = await here.remember("u", f"tea number {number}")
            assert (await recalled(there, f"tea number {number}"))[0] == fact.text
        await there.revise("u", fact.id, "milk")
        assert (await recalled(here, "milk"))[0] == "milk"
        await there.remember("u", "milk")
        assert (await here.get_fact("u", fact.id) or fact).times_seen == 2
        await here.forget("u", fact.id)
        assert "milk" not in await recalled(there, "milk", limit=9)
        await there.forget_all("u")
        await there.remember("u", "anew")
        assert await texts(here) == ["anew"]
    async with opened(durable) as later:
        assert await recalled(later, "anew") == ["anew"]


async def test_equal_facts_told_at_once_are_one(backend: Backend) -> None:
    """Nothing is refused, lost or doubled, and every telling counts."""
    async with opened(backend) as store:
        told = [f"fact {number % 5}" for number in range(40)]
        await asyncio.gather(*(store.remember("u", text) for text in told))
        facts = await store.list_facts("u")
        assert sorted(fact.text for fact in facts) == [f"fact {n}" for n in range(5)]
        assert [fact.times_seen for fact in facts] == [8] * 5


async def test_equal_facts_from_four_processes_are_one(durable: Backend) -> None:
    """Five facts, four processes, one of each; near ones are linked all the same."""
    remember_from_processes(durable.url, 4)
    async with opened(durable) as store:
        facts = await store.list_facts("u")
        assert len(facts) == 5
        assert [fact.times_seen for fact in facts] == [4] * 5
        assert all(len(fact.near) == 4 for fact in facts)


async def test_a_slow_process_does_not_undo_links_that_others_rely_on(
    durable: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links found before a third fact was known do not replace those that name it."""
    texts = facts()
    async with opened(durable) as here, opened(durable) as slow:
        backend = slow._facts("u")._backend
        link, found, released = backend.link, asyncio.Event(), asyncio.Event()

        async def link_late(*values: Any) -> None:
            if found.is_set():
                raise goldfish.MemoryStoreBackendError("so the third fact is stored, not linked")
            found.set()
            await released.wait()
            await link(*values)

        monkeypatch.setattr(backend, "link", link_late)
        await here.remember("u", texts[0])
        waiting = asyncio.create_task(slow.remember("u", texts[1]))
        await found.wait()
        await slow.remember("u", texts[2])
        await here.remember("u", texts[1])
        await here.remember("u", texts[2])
        released.set()
        await waiting
        assert [len(fact.near) for fact in await here.list_facts("u")] == [2, 2, 2]


@pytest.mark.parametrize("seed", range(2))
async def test_a_random_walk_never_leaves_the_model(backend: Backend, seed: int) -> None:
    """After each of many calls the facts are those of a plain dict, in order."""
    dice = random.Random(SEED + seed)
    model: dict[str, tuple[str, int]] = {}
    async with opened(backend) as store:
        for _ in range(40):
            text = f"fact {dice.randrange(12)}"
            owner = next((key for key, (said, _) in model.items() if said == text), None)
            key = dice.choice(list(model)) if model else "none"
            action = dice.choice(["remember"] * 4 + ["revise", "revise", "forget", "forget_all"])
            if action == "remember":
                fact = await store.remember("u", text)
                assert owner in (None, fact.id)
                model[fact.id] = text, model.get(fact.id, ("", 0))[1] + 1
            elif action == "forget":
                await store.forget("u", key)
                model.pop(key, None)
            elif action == "revise" and owner in (None, key) and model:
                await store.revise("u", key, text)
                model[key] = text, model[key][1]
            elif action == "forget_all" and dice.random() < 0.2:
                await store.forget_all("u")
                model.clear()
            found = {fact.id: (fact.text, fact.times_seen) for fact in await store.list_facts("u")}
            assert list(found.items()) == list(model.items())
            ranked = {each.fact.id: each for each in await store.recall("u", text, limit=99)}
            assert ranked.keys() == model.keys()


def test_what_is_missing_is_said_in_one_sentence(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a model, the methods that need it are named, with what to do."""
    for variable in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setenv("GOLDFISH_MODEL", str(tmp_path))
    store = goldfish.InMemoryStore()
    assert set(store.lacking) >= {"remember", "recall", "revise"}
    assert "goldfish model install" in store.lacking["recall"]

    async def use() -> None:
        with pytest.raises(goldfish.ModelNotFoundError, match="goldfish model install"):
            await store.remember("u", "x")
        assert await store.list_facts("u") == []

    asyncio.run(use())


def test_facts_without_an_event_loop() -> None:
    """The same methods, each of which waits for its result."""
    with goldfish.blocking(goldfish.InMemoryStore(embedder=HashEmbedder())) as store:
        fact = store.remember("u", "likes tea", metadata={"k": 1}, ttl=60)
        assert [found.fact for found in store.recall("u", "tea", filter={"k": 1})] == [fact]
        assert store.get_fact("u", fact.id) == fact
        revised = store.revise("u", fact.id, "likes milk")
        assert store.list_facts("u", limit=1) == [revised]
        assert store.fact_history("u", fact.id) == [fact]
        assert store.reembed() == 0
        assert "recall" not in store.lacking
        store.forget("u", fact.id)
        store.forget_all("u")
        assert store.list_facts("u") == []

"""What every store that searches promises about finding what was said, on real servers."""

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import goldfish
from goldfish import ChatMessage, Found, MemoryStoreError, ModelMismatchError
from goldfish.embedding.pieces import MOST
from goldfish.stores.search.backend import Known, Places
from goldfish.stores.searching import SearchingStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend
from tests.stores.search_pods import SearchingPod

SEED = 20261116
SEARCHING = ["sqlite", "redis", "redis-decoded", "postgres"]
HASH = HashEmbedder()


class Renamed(HashEmbedder):
    """The same vectors under another name."""

    def __init__(self) -> None:
        super().__init__()
        self.name = "another-model"


@pytest.fixture(params=SEARCHING)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place to store and search in, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


def searching(place: Backend, **options: Any) -> SearchingStore:
    store = place.open(**{"search": True, "embedder": HASH, **options})
    assert isinstance(store, SearchingStore)
    return store


def said(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=text) for text in texts]


async def found(store: SearchingStore, query: str, *sessions: str, limit: int = 100) -> list[Any]:
    """The contents of all that fits the query."""
    hits = await store.search_history(list(sessions) or ["s"], query, limit=limit)
    return [hit.message.content for hit in hits]


async def test_the_message_that_says_it_comes_first(place: Backend) -> None:
    """Among many messages the one with the words of the question is the best, with its reasons."""
    texts = [f"we talked about topic number {n}" for n in range(60)]
    texts[31] = "my flight leaves from Lisbon on Friday"
    async with searching(place) as store:
        await store.add_messages("s", said(*texts))
        best, *rest = await store.search_history(["s"], "Where does the flight leave from?")
    assert isinstance(best, Found)
    assert (best.session_id, best.message.content) == ("s", texts[31])
    assert best.score == pytest.approx(sum(best.why.values()))
    assert best.why["words"] > 0
    assert best.why["meaning"] > 0
    assert len(rest) == 9
    assert best.score >= rest[0].score >= rest[-1].score


async def test_a_found_message_is_the_message(place: Backend) -> None:
    """Every field comes back as it was said."""
    message = ChatMessage(
        role="assistant",
        content=[{"type": "text", "text": "a \ud800 tuna"}, {"type": "image", "url": "x"}],
        id="odd \0 id",
        created_at=datetime(2026, 1, 2, tzinfo=UTC),
        name="bot",
        metadata={"n": 2**70},
    )
    async with searching(place) as store:
        await store.add_messages("s", [message])
        (hit,) = await store.search_history(["s"], "tuna")
    assert hit.message == message


async def test_ids_of_any_text_are_told_apart(place: Backend) -> None:
    """Also those that no client can decode, and those that look like them."""
    ids = ["\ud83d\udc20", "🐠", "\ud83d", "%ed%a0%bd", "%25", "%", "", "\0", "\n", "퟿", "\ue000"]
    batch = [ChatMessage(role="user", content="tuna", id=each) for each in ids]
    async with searching(place, embedder=None) as store:
        await store.add_messages("s", batch)
        hits = await store.search_history(["s"], "tuna", limit=99)
        assert sorted(hit.message.id for hit in hits) == sorted(ids)


async def test_an_answer_is_found_by_the_question_before_it(place: Backend) -> None:
    """A message lives among its neighbours: the reply to what was asked is the next best."""
    async with searching(place) as store:
        await store.add_messages("s", said(*(f"small talk {n}" for n in range(20))))
        await store.add_messages("s", said("What is your favourite fish?", "A trout, since ever."))
        await store.add_messages("s", said(*(f"more talk {n}" for n in range(20))))
        assert (await found(store, "favourite fish"))[:2] == [
            "What is your favourite fish?",
            "A trout, since ever.",
        ]


async def test_a_long_pause_parts_neighbours(place: Backend) -> None:
    """What was said the day before is no context for what comes after a night."""
    start = datetime(2026, 5, 1, tzinfo=UTC)

    def at(text: str, hours: float) -> ChatMessage:
        return ChatMessage(role="user", content=text, created_at=start + timedelta(hours=hours))

    asked = "Which herring do you like?"
    async with searching(place, embedder=None) as store:
        await store.add_messages("soon", [at(asked, 0), at("the smoked kind", 0.1)])
        await store.add_messages("late", [at(asked, 0), at("the smoked kind", 20)])
        assert await found(store, "herring", "soon") == [asked, "the smoked kind"]
        assert await found(store, "herring", "late") == [asked]


async def test_who_and_when_are_understood(place: Backend) -> None:
    """A name in the question prefers what that person said, a date what was said then."""
    june, july = datetime(2026, 6, 3, tzinfo=UTC), datetime(2026, 7, 9, tzinfo=UTC)
    batch = [
        ChatMessage(role="user", name="Ann", content="I bought a boat", created_at=june),
        ChatMessage(role="user", name="Bob Ray", content="I bought a boat", created_at=june),
        ChatMessage(role="user", name="Ann", content="I bought a boat", created_at=july),
    ]
    async with searching(place) as store:
        await store.add_messages("s", batch)
        by_bob, *_ = await store.search_history(["s"], "What has bob bought?")
        in_july, *_ = await store.search_history(["s"], "What did Ann buy in July?")
    assert by_bob.message == batch[1]
    assert in_july.message == batch[2]


async def test_only_the_named_sessions_are_searched(place: Backend) -> None:
    """Nothing of another session is found, whatever the ids look like."""
    ids = ["a", "A", "a ", "a*", "%", "a%", "", "s\0x", "s\0", "\ud800", "'; DROP TABLE x; --", "é"]
    async with searching(place) as store:
        for each in ids:
            await store.add_messages(each, said(f"secret tuna of {ids.index(each)}"))
        for each in ids:
            assert await found(store, "secret tuna", each) == [f"secret tuna of {ids.index(each)}"]
        both = await store.search_history(["a", "A", "a", "nobody"], "secret tuna")
        assert sorted(hit.session_id for hit in both) == ["A", "a"]


async def test_sessions_are_ranked_together(place: Backend) -> None:
    """The best message comes first, whichever session it is from."""
    async with searching(place) as store:
        for n in range(12):
            text = "the salmon is in the fridge" if n == 7 else f"nothing of note {n}"
            await store.add_messages(f"s{n}", said(text))
        hits = await store.search_history([f"s{n}" for n in range(12)], "salmon", limit=1)
    assert [hit.session_id for hit in hits] == ["s7"]


async def test_a_query_is_plain_text(place: Backend) -> None:
    """No sign in a question has a meaning of its own."""
    odd = ['"', "NEAR(a b)", "tuna* OR x", "tuna AND (", "-tuna", "col:tuna"]
    odd += ["tu\0na", "\ud800", "%_"]
    async with searching(place) as store:
        await store.add_messages("s", said("tuna", "herring"))
        for query in odd:
            assert sorted(await found(store, query)) == ["herring", "tuna"]


async def test_wrong_arguments_are_refused(place: Backend) -> None:
    """A negative limit, a single id for a list and no text for a query are errors."""
    async with searching(place) as store:
        await store.add_messages("s", said("tuna"))
        with pytest.raises(ValueError, match="limit must not be negative"):
            await store.search_history(["s"], "tuna", limit=-1)
        with pytest.raises(TypeError, match="list of session ids"):
            await store.search_history("s", "tuna")
        with pytest.raises(TypeError, match="query must be a string"):
            await store.search_history(["s"], None)  # type: ignore[arg-type]
        assert await store.search_history(["s"], "tuna", limit=0) == []
        assert await store.search_history([], "tuna") == []
        assert await store.search_history(["s"], " \n") == []
    with pytest.raises(goldfish.MemoryStoreClosedError):
        await store.search_history(["s"], "tuna")


async def test_without_search_the_error_says_what_to_do(place: Backend) -> None:
    """A store that was made without it refuses, and says how to make one that searches."""
    async with place.open() as store:
        assert isinstance(store, SearchingStore)
        assert "search=True" in store.lacking["search_history"]
        with pytest.raises(MemoryStoreError, match="search=True"):
            await store.search_history(["s"], "tuna")
    async with searching(place) as store:
        assert "search_history" not in store.lacking
    with pytest.raises(ValueError, match="search=True"):
        place.open(keep_trimmed=True)


@pytest.mark.parametrize("name", ["memory", *SEARCHING])
async def test_wrong_arguments_are_refused_before_a_search_is(name: str, tmp_path: Path) -> None:
    """Also by a store that does not search, whichever it is."""
    with BACKENDS[name](tmp_path) as place:
        async with place.open(embedder=None) as store:
            with pytest.raises(ValueError, match="limit must not be negative"):
                await store.search_history(["s"], "tuna", limit=-1)
            with pytest.raises(TypeError, match="list of session ids"):
                await store.search_history("s", "tuna")
            with pytest.raises(TypeError, match="query must be a string"):
                await store.search_history([], None)  # type: ignore[arg-type]


async def test_without_an_embedder_words_alone_find(place: Backend) -> None:
    """Words are enough to be found; what shares none is not."""
    async with searching(place, embedder=None) as store:
        await store.add_messages("s", said("the tuna swims", "a long and idle story", "one tuna"))
        assert sorted(await found(store, "tunas")) == sorted(
            ["the tuna swims", "a long and idle story", "one tuna"]
        )
        assert await found(store, "helicopter") == []


async def test_a_message_of_any_length_is_embedded_by_few_pieces(place: Backend) -> None:
    """The work for a write has a bound; and yet each word of the message is found."""
    embedder = Counting()
    filler = [" ".join(f"w{n}x{m}" for m in range(300)) for n in range(300)]
    huge = " ".join([*filler[:177], "my passport number is X4711.", *filler[177:]])
    async with searching(place, embedder=embedder) as store:
        await store.add_messages("s", said(*filler[:20]))
        embedder.texts = 0
        await store.add_messages("s", said(huge))
        assert embedder.texts == MOST
        hit, *_ = await store.search_history(["s"], "X4711")
    assert hit.message.content == huge


class Counting(HashEmbedder):
    """Counts what it encodes."""

    texts = 0

    def encode(self, texts: Sequence[str]) -> Any:
        """The same vectors."""
        self.texts += len(texts)
        return super().encode(texts)


async def test_no_part_of_a_long_message_is_unfindable(place: Backend) -> None:
    """The last words of a text beyond the model's window are found like the first."""
    filler = "the weather was neither good nor bad on that day. "
    long = filler * 200 + "my passport number is X4711."
    async with searching(place) as store:
        await store.add_messages("s", said(*(filler * 3 for _ in range(30))))
        await store.add_messages("s", said(long))
        hit, *_ = await store.search_history(["s"], "passport number")
    assert hit.message.content == long
    assert hit.why["meaning"] > 0.15


async def test_a_write_is_found_by_the_next_search_of_any_store(place: Backend) -> None:
    """What one store adds, deletes or clears, another that has searched before sees at once."""
    async with searching(place) as one, searching(place) as other, place.open() as plain:
        batch = said("red tuna", "blue tuna")
        await one.add_messages("s", batch)
        assert sorted(await found(other, "tuna")) == ["blue tuna", "red tuna"]
        await plain.add_messages("s", said("green tuna"))
        assert sorted(await found(other, "tuna")) == ["blue tuna", "green tuna", "red tuna"]
        await plain.delete_messages("s", [batch[0].id])
        assert sorted(await found(other, "tuna")) == ["blue tuna", "green tuna"]
        await plain.clear("s")
        assert await found(other, "tuna") == []
        await one.add_messages("s", said("another tuna"))
        assert await found(other, "tuna") == ["another tuna"]


async def test_a_trimmed_message_is_gone_unless_kept(place: Backend) -> None:
    """Trimming removes from searches, too, but not in a store that keeps what is trimmed."""
    texts = [f"tuna number {n}" for n in range(6)]
    async with searching(place) as forgetful, searching(place, keep_trimmed=True) as keeping:
        for store, session in ((forgetful, "a"), (keeping, "b")):
            await store.add_messages(session, said(*texts))
            assert len(await found(store, "tuna", session)) == 6
            assert await store.trim(session, keep_last=2) == 4
        assert sorted(await found(keeping, "tuna", "a")) == texts[4:]
        assert sorted(await found(forgetful, "tuna", "b")) == texts
        assert [m.content for m in await keeping.get_history("b")] == texts[4:]
    async with searching(place) as again:
        assert sorted(await found(again, "tuna", "b")) == texts


async def test_what_was_kept_goes_with_a_clear_a_delete_and_expiry(place: Backend) -> None:
    """Clearing, deleting and expiry remove a trimmed message from searches for good."""
    async with searching(place, keep_trimmed=True) as store:
        for session in ("cleared", "deleted", "expired", "all"):
            batch = said("old tuna", "new tuna")
            await store.add_messages(session, batch)
            await store.trim(session, keep_last=0)
            assert sorted(await found(store, "tuna", session)) == ["new tuna", "old tuna"]
            if session == "deleted":
                await store.delete_messages(session, [batch[0].id])
        await store.clear("cleared")
        assert await found(store, "tuna", "cleared") == []
        assert await found(store, "tuna", "deleted") == ["new tuna"]
        await store.add_messages("expired", said("late tuna"))
        await store.set_ttl("expired", 0.005)
        await asyncio.sleep(0.02)
        assert await found(store, "tuna", "expired") == []
        await store.add_messages("expired", said("fresh tuna"))
        assert await found(store, "tuna", "expired") == ["fresh tuna"]
        await store.clear_all()
        assert await found(store, "tuna", "all", "deleted") == []


async def test_trimming_by_policy_keeps_as_well(place: Backend) -> None:
    """A trim to a budget of tokens keeps for searches what it removes."""
    async with searching(place, keep_trimmed=True) as store:
        await store.add_messages("s", said("first tuna", "second tuna", "third tuna"))
        await store.trim("s", max_tokens=1, count=lambda message: 1)
        assert len(await store.get_history("s")) == 1
        assert len(await found(store, "tuna")) == 3


async def test_a_kept_message_that_is_said_again_is_found_once(place: Backend) -> None:
    """A trimmed id that is added again is one message: the new one."""
    message = ChatMessage(role="user", content="old tuna", id="x")
    async with searching(place, keep_trimmed=True) as store:
        await store.add_messages("s", [message])
        await store.trim("s", keep_last=0)
        assert await found(store, "tuna") == ["old tuna"]
        await store.add_messages("s", [message.model_copy(update={"content": "new tuna"})])
        assert await found(store, "tuna") == ["new tuna"]


async def test_order_survives_a_trim_to_nothing(place: Backend) -> None:
    """Messages that come after all others were trimmed come after them in searches, too."""
    async with searching(place, keep_trimmed=True, embedder=None) as store:
        await store.add_messages("s", said("how is the eel?", "smoked"))
        await store.trim("s", keep_last=0)
        await store.add_messages("s", said("what about bread?"))
        assert await found(store, "eel") == ["how is the eel?", "smoked"]


async def test_a_rollback_is_seen_by_searches(place: Backend) -> None:
    """After a rollback a search finds what the history shows, and what was trimmed."""
    async with searching(place, keep_trimmed=True) as store:
        first, second = said("first tuna", "second tuna")
        await store.add_messages("s", [first, second])
        snapshot = await store.save_snapshot("s")
        await store.delete_messages("s", [first.id])
        await store.trim("s", keep_last=0)
        await store.add_messages("s", said("third tuna"))
        assert sorted(await found(store, "tuna")) == ["second tuna", "third tuna"]
        await store.rollback_to_snapshot("s", snapshot)
        assert sorted(await found(store, "tuna")) == ["first tuna", "second tuna"]
        await store.clear("s")
        assert await found(store, "tuna") == []
        await store.rollback_to_snapshot("s", snapshot)
        assert sorted(await found(store, "tuna")) == ["first tuna", "second tuna"]
        await store.fork("s", snapshot, "copy")
        assert sorted(await found(store, "tuna", "copy")) == ["first tuna", "second tuna"]


async def test_adding_a_known_id_again_changes_nothing(place: Backend) -> None:
    """A retry does not make a message be found twice, nor by other words."""
    message = ChatMessage(role="user", content="old tuna", id="x")
    async with searching(place) as store:
        await store.add_messages("s", [message])
        await store.add_messages(
            "s", [message.model_copy(update={"content": "new eel"}), *said("a tuna")]
        )
        assert sorted(await found(store, "tuna")) == ["a tuna", "old tuna"]


async def test_another_model_is_refused_until_all_is_embedded_anew(place: Backend) -> None:
    """Vectors of two models are never compared or mixed; reembed() goes over to the new one."""
    async with searching(place) as store:
        await store.add_messages("s", said("red tuna"))
    async with searching(place, embedder=Renamed()) as store:
        with pytest.raises(ModelMismatchError, match=r"another-model.*reembed"):
            await store.search_history(["s"], "tuna")
        with pytest.raises(ModelMismatchError):
            await store.add_messages("s", said("blue tuna"))
        assert [m.content for m in await store.get_history("s")] == ["red tuna"]
        await store.reembed()
        assert await found(store, "tuna") == ["red tuna"]
        await store.add_messages("s", said("blue tuna"))
        assert sorted(await found(store, "tuna")) == ["blue tuna", "red tuna"]


async def test_messages_from_before_are_found_when_search_is_switched_on(place: Backend) -> None:
    """A memory that was written without search can be searched later."""
    async with place.open() as plain:
        await plain.add_messages("s", said("old tuna", "older eel"))
    async with searching(place) as store:
        hit, *_ = await store.search_history(["s"], "tuna")
    assert (hit.message.content, hit.why["meaning"] > 0.5) == ("old tuna", True)


def test_a_blocking_store_searches(place: Backend) -> None:
    """Code without an event loop finds the same."""
    with goldfish.blocking(searching(place)) as store:
        store.add_messages("s", said("red tuna"))
        assert [hit.message.content for hit in store.search_history(["s"], "tuna")] == ["red tuna"]


async def test_the_store_in_memory_says_that_it_does_not_search() -> None:
    """It names one that does."""
    async with goldfish.InMemoryStore() as store:
        assert "search_history" in store.lacking
        with pytest.raises(MemoryStoreError, match="search=True"):
            await store.search_history(["s"], "tuna")


async def test_without_a_model_nothing_is_stored_that_could_not_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what to run, and a store without search goes on as ever."""
    for variable in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "GOLDFISH_MODEL"):
        monkeypatch.setenv(variable, str(tmp_path))
    path = tmp_path / "memory.db"
    async with (
        goldfish.SQLiteMemoryStore(path, search=True) as store,
        goldfish.SQLiteMemoryStore(path) as plain,
    ):
        assert "goldfish model install" in store.lacking["search_history"]
        with pytest.raises(goldfish.ModelNotFoundError, match="goldfish model install"):
            await store.add_messages("s", said("tuna"))
        await plain.add_messages("s", said("eel"))
        with pytest.raises(goldfish.ModelNotFoundError, match="goldfish model install"):
            await store.search_history(["s"], "eel")
        assert [m.content for m in await store.get_history("s")] == ["eel"]


async def test_nothing_of_a_cleared_session_remains_in_the_file(tmp_path: Path) -> None:
    """Neither messages nor vectors, whoever removed them, unless a snapshot shows them."""
    path = tmp_path / "memory.db"
    async with (
        goldfish.SQLiteMemoryStore(path, search=True, keep_trimmed=True, embedder=HASH) as store,
        goldfish.SQLiteMemoryStore(path) as plain,
    ):
        for session in ("a", "b"):
            await store.add_messages(session, said("red tuna", "blue tuna"))
            await store.trim(session, keep_last=1)
        snapshot = await store.save_snapshot("b")
        await plain.clear("a")
        await plain.clear("b")
        assert rows(path, "messages", "kept", "vectors") == [0, 0, 1]
        await plain.delete_snapshot("b", snapshot)
        assert rows(path, "messages", "archive", "kept", "vectors", "sessions") == [0] * 5


def rows(path: Path, *tables: str) -> list[int]:
    """How many rows these tables have."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        counts = [file.execute(f"SELECT count(*) FROM goldfish_{name}") for name in tables]
        return [count.fetchone()[0] for count in counts]


async def test_many_writers_and_searchers_agree(place: Backend) -> None:
    """While messages come in from two stores, each search finds all acknowledged ones, once."""
    async with searching(place) as one, searching(place) as other:

        async def write(store: SearchingStore, mark: str) -> None:
            for n in range(15):
                await store.add_messages("s", said(f"tuna {mark}{n}"))
                hits = await found(store, f"tuna {mark}{n}")
                assert f"tuna {mark}{n}" in hits
                assert len(hits) == len(set(hits))

        await asyncio.gather(write(one, "a"), write(one, "b"), write(other, "c"))
        assert len(await found(one, "tuna")) == len(await found(other, "tuna")) == 45


async def test_what_other_processes_say_is_found_with_its_vectors(durable: Backend) -> None:
    """All that was acknowledged is found at once; after a kill each message has its vectors."""
    pods = [SearchingPod(durable.url, writer) for writer in ("x", "y")]
    async with searching(durable) as store:
        for count in (1, 5):
            acknowledged = {text for pod in pods for text in pod.wait_for(count)}
            assert acknowledged <= set(await found(store, "question", limit=100_000))
        rest = {text for pod in pods for text in pod.kill()}
        history, now = None, [m.content for m in await store.get_history("s")]
        while history != now:  # a server may still end the last write of a client that died
            history, hits = now, await found(store, "question", limit=100_000)
            now = [m.content for m in await store.get_history("s")]
        assert rest <= set(history)
        assert sorted(hits) == sorted(history)
        backend = store._search_backend()
        (reading,) = (await backend.read({"s": Known()})).readings
        assert (reading.marked, len(reading.marks)) == (True, len(history))
        places = Places(reading.known.epoch, reading.marks.directory[::3].tolist())
        vectors = (await backend.vectors({"s": places}))["s"]
        assert len(vectors) == len(history)
        assert all(vectors.values())


async def test_clearing_all_and_writing_at_once_is_no_quarrel(place: Backend) -> None:
    """Whoever writes, trims, embeds anew or clears all at the same moment, nobody fails."""
    async with searching(place, keep_trimmed=True) as store:

        async def write(session: str) -> None:
            for _ in range(8):
                await store.add_messages(session, said("red tuna", "blue tuna"))
                await store.trim(session, keep_last=1)
                await found(store, "tuna", session)

        async def disturb() -> None:
            for _ in range(4):
                await store.clear_all()
                await store.reembed()

        await asyncio.gather(*(write(f"s{n}") for n in range(4)), disturb(), disturb())
        await store.clear_all()
        assert await found(store, "tuna", *(f"s{n}" for n in range(4))) == []


@pytest.mark.parametrize("seed", range(3))
async def test_a_random_walk_never_leaves_the_history(place: Backend, seed: int) -> None:
    """After each of many writes a search finds exactly the history and what was trimmed."""
    chance = random.Random(SEED + seed)
    async with searching(place, keep_trimmed=True) as store, searching(place) as reader:
        trimmed: list[str] = []
        snapshots: list[str] = []
        for step in range(60):
            history = await store.get_history("s")
            deed = chance.choice(["add", "add", "add", "trim", "delete", "clear", "save", "back"])
            if deed == "add":
                await store.add_messages("s", said(*(f"tuna {step}.{n}" for n in range(3))))
            elif deed == "trim" and history:
                keep = chance.randrange(len(history))
                trimmed += [m.id for m in history[: len(history) - keep]]
                await store.trim("s", keep_last=keep)
            elif deed == "delete" and history:
                await store.delete_messages("s", [chance.choice(history).id])
            elif deed == "clear" and chance.random() < 0.3:
                await store.clear("s")
                trimmed.clear()
            elif deed == "save":
                snapshots.append(await store.save_snapshot("s"))
            elif deed == "back" and snapshots:
                await store.rollback_to_snapshot("s", chance.choice(snapshots))
            expected = {m.id for m in await store.get_history("s")} | set(trimmed)
            for each in (store, reader):
                hits = await each.search_history(["s"], "tuna", limit=1000)
                assert sorted(hit.message.id for hit in hits) == sorted(expected), (step, deed)

"""What is recalled or found is a function of what is stored, whatever a process has lived through.

Two stores live through the same seeded sequence of changes; then one that was just opened is asked
the same as both. Answers, scores, reasons and order are compared exactly.
"""

import asyncio
import contextlib
import random
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from goldfish import ChatMessage, MemoryStoreError
from goldfish.stores.base import BaseStore
from goldfish.testing import HashEmbedder
from tests.stores.backends import BACKENDS, Backend

SEQUENCES = {"sqlite": 8, "redis": 3, "postgres": 2}  # a few tenths of a second each
STEPS = 30
EMBEDDERS = {"with vectors": HashEmbedder(48), "by words alone": None}

WORDS = ["tea", "milk", "salt", "rice", "Rome", "Oslo", "likes", "hates", "red", "blue"]
NAMES = ["Ann", "Bob", "Ann Lee", "Will"]
TIMES = [
    *("2021-12-20", "2022-01-03T10:00:00+02:00", "2022-12-31T23:00:00-05:00", "8 May, 2023"),
    *("9999-12-31T23:59:59-05:00", "0001-01-01T00:00:00+05:00"),
]
QUESTIONS = [
    *("Who likes red tea?", "What did Ann say about Rome in December?", "salt rice milk"),
    *("When was Bob in Oslo?", "Did Ann Lee buy blue tea on 8 May?", "will Will hate Oslo", ""),
]
FILTERS: list[dict[str, Any]] = [
    *({"speaker": "Ann"}, {"place": "Bob"}, {"speaker": ["Ann"]}, {"at": {"$exists": True}}),
    *({"at": "2021-12-20"}, {"speaker": "Will", "at": {"$gt": "2022-01-01"}}),
]


@pytest.fixture(params=[*SEQUENCES])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A fresh, empty place that several stores can be opened on, on each backend in turn."""
    with BACKENDS[request.param](tmp_path) as backend:
        yield backend


@pytest.fixture(params=[*EMBEDDERS])
def embedder(request: pytest.FixtureRequest) -> HashEmbedder | None:
    """Deterministic vectors, or none."""
    return EMBEDDERS[request.param]


def sentence(dice: random.Random) -> str:
    words = dice.choices(WORDS, k=dice.randint(1, 6))
    return " ".join(words) + dice.choice(["", ".", "?", f" {dice.randrange(4)}"])


async def change_facts(store: BaseStore, user: str, dice: random.Random) -> None:
    """Do something to the user's facts."""
    known = [fact.id for fact in await store.list_facts(user)]
    what = dice.choices(["remember", "expire", "revise", "forget", "all"], [9, 1, 3, 4, 0.3])[0]
    if what == "remember" or not known:
        metadata = {dice.choice(["speaker", "place"]): dice.choice(NAMES)}
        metadata |= {"at": dice.choice(TIMES)} if dice.random() < 0.5 else {}
        ttl = dice.choice([None, 600])
        await store.remember(user, sentence(dice), metadata=metadata, ttl=ttl)
    elif what == "expire":
        await store.remember(user, sentence(dice), metadata={"at": dice.choice(TIMES)}, ttl=0.01)
        await asyncio.sleep(0.012)
    elif what == "revise":
        with contextlib.suppress(MemoryStoreError):  # another fact may say the same
            await store.revise(user, dice.choice(known), sentence(dice))
    elif what == "forget":
        await store.forget(user, dice.choice(known))
    else:
        await store.forget_all(user)


async def recalled(store: BaseStore, user: str) -> list[Any]:
    """All that a user's facts answer to all filters and questions, and the facts themselves."""
    chosen = [await store.list_facts(user, filter=wanted) for wanted in FILTERS]
    answers = [await store.recall(user, question, limit=50) for question in QUESTIONS]
    told = [[(r.fact, r.score, r.why) for r in answer] for answer in answers]
    return [*told, *chosen, await store.list_facts(user)]


async def test_facts_are_recalled_as_if_nothing_else_had_ever_been_known(
    place: Backend, embedder: HashEmbedder | None
) -> None:
    """After remembering, revising, forgetting and expiring, every process gives one answer."""
    for seed in range(SEQUENCES[place.name]):
        dice, user = random.Random(seed), f"user {seed}"
        async with AsyncExitStack() as stack:
            pods = [place.open(embedder=embedder) for _ in range(2)]
            for pod in pods:
                await stack.enter_async_context(pod)
            for _ in range(STEPS):
                await change_facts(dice.choice(pods), user, dice)
                if dice.random() < 0.2:
                    await dice.choice(pods).recall(user, dice.choice(QUESTIONS))
                    await dice.choice(pods).list_facts(user, filter=dice.choice(FILTERS))
            fresh = await stack.enter_async_context(place.open(embedder=embedder))
            expected = await recalled(fresh, user)
            for pod in pods:
                assert await recalled(pod, user) == expected, f"seed {seed}"


def message(dice: random.Random) -> ChatMessage:
    moment = datetime(2022, 12, 20, tzinfo=UTC) + timedelta(hours=dice.randrange(500))
    return ChatMessage(
        role=dice.choice(["user", "assistant"]),
        content=sentence(dice),
        id=f"m{dice.randrange(60)}",  # so that removed ids come back
        name=dice.choice([None, *NAMES]),
        created_at=moment,
    )


async def change_session(store: BaseStore, session: str, dice: random.Random) -> None:
    """Do something to what was said."""
    ids = [each.id for each in await store.get_history(session)]
    saved = [each.id for each in await store.list_snapshots(session)]
    what = dice.choices(
        ["add", "trim", "delete", "save", "rollback", "clear"], [6, 2, 2, 1, 2, 0.5]
    )
    if what == ["trim"]:
        await store.trim(session, keep_last=dice.randrange(len(ids) + 1))
    elif what == ["delete"]:
        await store.delete_messages(session, [*dice.sample(ids, min(len(ids), 2)), "m1"])
    elif what == ["save"]:
        await store.save_snapshot(session)
    elif what == ["rollback"] and saved:
        await store.rollback_to_snapshot(session, dice.choice(saved))
    elif what == ["clear"]:
        await store.clear(session)
    else:
        batch = {each.id: each for each in (message(dice) for _ in range(dice.randint(1, 4)))}
        await store.add_messages(session, [*batch.values()])


async def found(store: Any, sessions: list[str]) -> list[Any]:
    """All that these sessions answer to all questions."""
    return [await store.search_history(sessions, each, limit=200) for each in QUESTIONS]


@pytest.mark.parametrize("keep_trimmed", [False, True])
async def test_what_was_said_is_found_as_if_nothing_else_had_ever_been_known(
    place: Backend, embedder: HashEmbedder | None, keep_trimmed: bool
) -> None:
    """After adding, trimming, deleting, rolling back and clearing, every process finds the same."""
    options = {"search": True, "keep_trimmed": keep_trimmed, "embedder": embedder}
    for seed in range(SEQUENCES[place.name]):
        dice, sessions = random.Random(seed), [f"{seed} a", f"{seed} b", f"{seed} unknown"]
        async with AsyncExitStack() as stack:
            pods: list[Any] = [place.open(**options) for _ in range(2)]
            for pod in pods:
                await stack.enter_async_context(pod)
            for _ in range(STEPS):
                await change_session(dice.choice(pods), dice.choice(sessions[:2]), dice)
                if dice.random() < 0.2:
                    await dice.choice(pods).search_history(sessions, dice.choice(QUESTIONS))
            fresh = await stack.enter_async_context(place.open(**options))
            expected = await found(fresh, sessions)
            for pod in pods:
                assert await found(pod, sessions) == expected, f"seed {seed}"

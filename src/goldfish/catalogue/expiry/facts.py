"""TTL: a fact with a time to live is known until that is over, and not afterwards.

A fact that must expire gets one second, and is stale two seconds after that.
"""

import asyncio
import time
from typing import Any

from goldfish.catalogue.expiry.sessions import MINUTE, SOON, expect_gone
from goldfish.catalogue.registry import Reopening, check, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_texts,
    get_fact,
    read_text,
    recall_texts,
    remember,
)
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory
from goldfish.harness.patience import LateError

PerFact = method("remember", "ttl")
PASSING, LASTING = "Ann is in the cinema tonight", "Ann lives in Berlin"
CHANGED = "Ann is at the theatre tonight"
IN_TIME = SOON / 2  # seconds within which a fact has surely not expired
TRIES = 5


@check(
    "TTL22",
    "A fact with a TTL of one second is neither listed nor recalled once it is over.",
    incident="vllm-project/semantic-router issue 404: expired entries were still the best match "
    "and were returned until something else removed them.",
    about="facts",
    needs=[PerFact],
)
async def a_fact_is_known_for_its_time_only(memory: Memory) -> None:
    client, user = memory.client, memory.session("ann")
    await client.call("remember", user, PASSING, ttl=SOON)
    await expect_forgotten(client, user)


@check(
    "TTL23",
    "A fact expires alone: facts without a TTL, with a longer one, and of other users stay.",
    incident="mem0ai/mem0 pull request 5445: the cleanup of expired memories, if called without a "
    "filter, went through those of all users.",
    about="facts",
    needs=[PerFact],
)
async def a_fact_expires_alone(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    await facts.tell(ann, LASTING)
    await facts.tell(ann, "Ann has a cold", ttl=MINUTE)
    await facts.tell(ben, PASSING)
    await client.call("remember", ann, PASSING, ttl=SOON)
    await facts.tell(ann, "Ann plays the cello")
    await expect_forgotten(client, ann)
    await facts.expect()


@check(
    "TTL24",
    "A fact that expired and is told again without a TTL is known and stays.",
    incident="Siddhant-K-code/distill pull request 84: what replaced an expired entry was merged "
    "into that entry as its duplicate, until the search for duplicates left expired ones out.",
    about="facts",
    needs=[PerFact],
)
async def an_expired_fact_can_be_told_anew(memory: Memory) -> None:
    facts, client, user = ExpectedFacts(memory), memory.client, memory.session("ann")
    await client.call("remember", user, PASSING, ttl=SOON)
    await expect_forgotten(client, user)
    await facts.tell(user, PASSING)
    await facts.expect(user)
    await asyncio.sleep(SOON + 0.2)  # the old deadline must not count any more
    await facts.expect(user)


@check(
    "TTL25",
    "A fact that expired while the storage was closed is not known after the reopen.",
    incident="simonlast/node-persist issue 79: a job removed expired items every two minutes; "
    "anyone who asked before it ran still got them.",
    about="facts",
    needs=[PerFact, Reopening],
)
async def an_expired_fact_stays_away_after_reopening(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    await facts.tell(user, LASTING)
    await memory.client.call("remember", user, PASSING, ttl=SOON)
    told_at = time.monotonic()
    await memory.close()
    await asyncio.sleep(SOON + 0.1)
    client = await memory.open()
    await expect_forgotten(client, user, since=told_at)
    await facts.expect(user)


@check(
    "TTL33",
    "A fact with a TTL of one second is not returned by its id once it is over.",
    incident="agentuniverse-ai/agentUniverse pull request 907: reads and searches left out what "
    "had expired, but a lookup by ids did not look at the time, and returned it.",
    about="facts",
    needs=[PerFact, method("get_fact")],
)
async def an_expired_fact_has_no_id(memory: Memory) -> None:
    client, user = memory.client, memory.session("ann")
    name, told_at = await tell_passing(client, user)

    async def read() -> list[Any]:
        found = await get_fact(client, user, name)
        return [] if found is None else [read_text(found)]

    await expect_gone(quote(PASSING), [PASSING], read, since=told_at)


@check(
    "TTL34",
    "A fact with a TTL of one second that is revised meanwhile still expires.",
    incident="moorcheh-ai/memanto pull request 1826: an update of a memory that had a time to "
    "expire, but no TTL beside it, dropped that time, and the memory stayed for ever.",
    about="facts",
    needs=[PerFact, method("revise")],
)
async def a_revised_fact_still_expires(memory: Memory) -> None:
    client = memory.client
    if client.spells("revise", "ttl"):  # without one, the fact may be meant to stay
        raise UnsupportedError(Reason.stated("revise takes a ttl of its own"))
    user, revised_at = await tell_and_revise(memory)
    # The revision may have renewed the time, as a write does in some stores.
    await expect_forgotten(client, user, CHANGED, since=revised_at)


async def tell_and_revise(memory: Memory) -> tuple[str, float]:
    """Tell the passing fact and revise it in time; return its user, and when it was revised."""
    client = memory.client
    for _ in range(TRIES):
        user, began = memory.session("ann"), time.monotonic()
        name, told_at = await tell_passing(client, user)
        try:
            await client.call("revise", user, name, CHANGED)
        except StoreError:  # it may have expired
            if time.monotonic() - began < IN_TIME:
                raise
            continue
        if time.monotonic() - told_at < IN_TIME:
            return user, time.monotonic()
    raise LateError("late: no fact could be revised before it expired")


async def tell_passing(client: Client, user: str) -> tuple[Any, float]:
    """Tell the passing fact; return its id, and when it was told."""
    began = time.monotonic()
    try:
        name = await remember(client, user, PASSING, ttl=SOON)
    except Violation as violation:  # it may be known no more when its id is looked for
        if time.monotonic() - began < IN_TIME:
            raise
        raise LateError("late: no fact could be read before it expired") from violation
    return name, time.monotonic()


async def expect_forgotten(
    client: Client, user: str, text: str = PASSING, *, since: float | None = None
) -> None:
    """Raise if a fact of one second is still listed or recalled long after that is over."""

    async def read() -> list[Any]:
        found = await fetch_texts(client, user, [text])
        return found + (await recall_texts(client, user, text) if client.has("recall") else [])

    await expect_gone(quote(text), [text], read, since=since)

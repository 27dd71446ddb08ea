"""TTL: a fact with a time to live is known until that is over, and not afterwards.

A fact that must expire gets one second, and is stale two seconds after that.
"""

import asyncio
import time
from typing import Any

from goldfish.catalogue.expiry.sessions import MINUTE, SOON, expect_gone
from goldfish.catalogue.registry import Reopening, check, method
from goldfish.catalogue.support.facts import ExpectedFacts, fetch_texts, recall_texts
from goldfish.findings.comparison import quote
from goldfish.harness.memory import Client, Memory

PerFact = method("remember", "ttl")
PASSING, LASTING = "Ann is in the cinema tonight", "Ann lives in Berlin"


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


async def expect_forgotten(client: Client, user: str, *, since: float | None = None) -> None:
    """Raise if the passing fact is still listed or recalled long after its second is over."""

    async def read() -> list[Any]:
        found = await fetch_texts(client, user, [PASSING])
        return found + (await recall_texts(client, user, PASSING) if client.has("recall") else [])

    await expect_gone(quote(PASSING), [PASSING], read, since=since)

"""REC and REV, continued: how long a fact is, and what is noted beside it, changes nothing else."""

import asyncio
from typing import Any

from goldfish.catalogue.recall.finding import AT_THE_END, MEETING
from goldfish.catalogue.recall.paging import GARDEN
from goldfish.catalogue.registry import check, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    expect_first,
    fetch_facts,
    quote_facts,
    read_text,
    recall_texts,
    remember,
    unwrap_fact,
)
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import MISSING, Client, Memory, field

SECOND = 1.1  # what some clocks of databases need to go on
AFRAID = "The dog is afraid of thunder"
NEW = "Swimming lessons begin at seven"
ABOUT_THE_KEY = ["A spare key hangs in the hall", "The blue flowerpot is broken"]


@check(
    "REC50",
    "Paging through a recall one fact at a time returns each matching fact once.",
    incident=(
        "langgraph-checkpoint-postgres 3.2.0: a search by meaning picks a few times its limit "
        "before it skips to the page, so of nine facts the sixth page of one is empty."
    ),
    about="facts",
    needs=[method("recall", "limit", "offset")],
)
async def a_recall_can_be_leafed_through_one_by_one(memory: Memory) -> None:
    knowledge, user, pages = ExpectedFacts(memory), memory.session("ann"), list[Any]()
    await knowledge.tell(user, *GARDEN)
    for offset in range(len(GARDEN) + 1):
        pages += await recall_texts(memory.client, user, "in the garden", limit=1, offset=offset)
    knowledge.compare(user, pages)


@check(
    "REC51",
    "A long fact takes one place in a recall and leaves the rest of the limit to other facts.",
    incident=(
        "langgraph-checkpoint-postgres 3.2.0: the best paragraphs are chosen first and their facts "
        "afterwards, so a search returned nothing but one long fact."
    ),
    about="facts",
    needs=[method("recall", "limit")],
)
async def a_long_fact_takes_one_place_of_a_recall(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    long = "\n".join(f"In the garden, in the garden, page {number}" for number in range(55))
    await knowledge.tell(user, long, *GARDEN)
    for limit in (1, 2):
        query = "In the garden, in the garden, page 7"
        found = await recall_texts(memory.client, user, query, limit=limit)
        if len(set(map(str, found))) != limit or len(found) != limit:
            raise Violation(
                f"wrong: limit={limit} of {len(GARDEN) + 1} facts that fit recalls {len(found)}, "
                f"one of {len(long)} characters among them",
                f"recalled {quote_facts(found)}",
            )


@check(
    "REC52",
    "A fact with a long note in its metadata is recalled first by its own words.",
    incident=(
        "langgraph-checkpoint-sqlite 3.1.2 ignores which fields are to be indexed and makes one "
        "vector of the whole value, notes included."
    ),
    about="facts",
    needs=[method("recall"), method("remember", "metadata")],
)
async def metadata_do_not_drown_what_a_fact_says(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    await knowledge.tell(user, AFRAID, metadata={"a note": MEETING * 6})
    await knowledge.tell(user, "The dog likes the beach", "Thunder was heard on Monday")
    expect_first(await recall_texts(memory.client, user, AFRAID), AFRAID, AFRAID)


@check(
    "REV50",
    "After a long fact is revised to a short one, its old ending no longer recalls it first.",
    incident=(
        "langgraph-checkpoint 4.3.1: when a value is replaced, the vectors of parts that the new "
        "value lacks stay behind, and it scores 1.0 for a text that it no longer holds."
    ),
    about="facts",
    needs=[method("revise"), method("recall")],
)
async def the_old_end_of_a_long_fact_does_not_recall_it(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, MEETING * 9 + AT_THE_END)
    await ExpectedFacts(memory).tell(user, *ABOUT_THE_KEY)
    await client.call("revise", user, name, NEW)
    found = await recall_texts(client, user, AT_THE_END)
    rival = min((found.index(each) for each in ABOUT_THE_KEY if each in found), default=len(found))
    if NEW in found[:rival]:
        raise Violation(
            f"stale: {quote(AT_THE_END)} recalls {quote(NEW)}, which once ended like that, before "
            "others that are about it",
            f"recalled {quote_facts(found)}",
        )


@check(
    "REV51",
    "A revision does not change the creation time of a fact.",
    incident=(
        "langgraph-checkpoint-sqlite 3.1.2 and InMemoryStore of langgraph-checkpoint 4.3.1: "
        "updating an item sets its creation time to the time of the update."
    ),
    about="facts",
    needs=[method("revise")],
)
async def a_revised_fact_is_as_old_as_it_was(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, AFRAID)
    before = await _told_at(client, user, AFRAID)
    await asyncio.sleep(SECOND)
    if await _told_at(client, user, AFRAID) != before:
        raise UnsupportedError(
            Reason.of(Why.LACKS_ANSWER, "facts do not say when they were first told")
        )
    await client.call("revise", user, name, NEW)
    if (after := await _told_at(client, user, NEW)) != before:
        raise Violation(
            f"wrong: a fact that was told at {before} and then revised says that it was told at "
            f"{after}"
        )


async def _told_at(client: Client, user: str, text: str) -> Any:
    """When a fact says that it was first told."""
    for item in await fetch_facts(client, user, [text]):
        if read_text(item) == text:
            if (found := field(unwrap_fact(item), "created_at")) in (MISSING, None):
                raise UnsupportedError(
                    Reason.of(Why.LACKS_ANSWER, "facts do not say when they were first told")
                )
            return found
    raise Violation(f"lost: user {quote(user)} was told {quote(text)}, which is not there")

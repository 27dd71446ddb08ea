"""REC: limits and pages return as many facts as asked for, all of them, in one order."""

from typing import Any

from goldfish.catalogue.registry import check, filters, method, trait
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_texts,
    quote_facts,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
)
from goldfish.catalogue.support.sizes import choose_count
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory

GARDEN_QUERY = "In the garden there is a"  # every fact has it, so every kind of recall finds all
GARDEN = [
    f"{GARDEN_QUERY} {plant}"
    for plant in ("rose", "birch", "pond", "fern", "swing", "shed", "well", "vine", "hedge")
]

BEDS = ("north", "east", "south")
BY_EQUALITY = filters("equality")


@check(
    "REC09",
    "A recall returns as many matching facts as its limit, and never more.",
    incident="moorcheh-ai/memanto pull request 1330: three kinds of recall ignored the limit and "
    "returned everything that they had fetched.",
    about="facts",
    needs=[method("recall", "limit")],
)
async def a_recall_gives_no_more_than_its_limit(memory: Memory) -> None:
    _, user = await tell_garden(memory)
    for limit in (1, 3, len(GARDEN)):
        found = await recall_texts(memory.client, user, GARDEN_QUERY, limit=limit)
        if len(found) != limit:
            raise Violation(
                f"wrong: limit={limit} recalls {len(found)} of {len(GARDEN)} matching facts",
                f"recalled {quote_facts(found)}",
            )


@check(
    "REC10",
    "A limit above the number of matching facts is not an error and returns each of them once.",
    incident="cyberlife-coder/VelesDB issue 1805: once there were more memories than an internal "
    "bound allowed for, a recall returned nothing at all.",
    about="facts",
    needs=[method("recall", "limit")],
)
async def a_limit_beyond_what_is_there_gives_all(memory: Memory) -> None:
    facts, user = await tell_garden(memory)
    for limit in (len(GARDEN) + 1, 100, 1000):
        found = await recall_texts(memory.client, user, GARDEN_QUERY, limit=limit)
        facts.compare(user, found)


@check(
    "REC11",
    "The pages of a recall contain each matching fact exactly once.",
    incident="MystenLabs/MemWal issue 271: with a fixed limit and no next page, a leaderboard was "
    "computed from the first ten of its records.",
    about="facts",
    needs=[method("recall", "limit", "offset")],
)
async def pages_of_a_recall_are_disjoint_and_complete(memory: Memory) -> None:
    (facts, user), pages = await tell_garden(memory), list[Any]()
    for offset in range(0, len(GARDEN) + 4, 4):
        pages += await recall_texts(memory.client, user, GARDEN_QUERY, limit=4, offset=offset)
    facts.compare(user, pages)


@check(
    "REC12",
    "The pages of list_facts, put together, are the whole list in its order.",
    incident="mem0ai/mem0 issue 3751: get_all took a limit but no offset, so the memories after "
    "the first hundred could not be read.",
    about="facts",
    needs=[method("list_facts", "limit", "offset")],
)
async def pages_of_a_list_are_disjoint_and_complete(memory: Memory) -> None:
    (facts, user), client = await tell_garden(memory), memory.client
    whole = await list_texts(client, user)
    facts.compare(user, whole)
    for size in (1, 2, 4, 9, 100):
        pages = list[Any]()
        for offset in range(0, len(GARDEN) + size, size):
            pages += await list_texts(client, user, limit=size, offset=offset)
        facts.compare(user, pages)
        expect_order(user, whole, pages)


@check(
    "REC13",
    "All facts of one user are listed, however many: from a hundred to a thousand.",
    incident="NousResearch/hermes-agent pull request 58323: get_all passed no limit, so of 47 "
    "memories in a mem0 it saw only the default 20.",
    about="facts",
    needs=[method("list_facts")],
)
async def a_list_is_complete_beyond_a_hundred(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    count = await choose_count(memory, least=105)
    await facts.tell(user, *(f"Locker {number}" for number in range(count)))
    await facts.expect(user)


@check(
    "REC14",
    "Facts are listed in the order in which they were first told, even if told again or revised.",
    incident="SQLite documents that without ORDER BY the order of rows is undefined: a list by "
    "random ids looks right until there are three.",
    about="facts",
    needs=[method("list_facts"), trait("facts_in_order")],
)
async def a_list_is_in_the_order_first_told(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    names = {text: await remember(client, user, text) for text in GARDEN}
    await client.call("remember", user, GARDEN[2])
    expected = list(GARDEN)
    if client.has("revise") and memory.target.holds("steady_fact_ids"):
        expected[4] = "In the garden there is a hammock"
        await client.call("revise", user, names[GARDEN[4]], expected[4])
    for _ in range(2):
        # Whether the fact that was told again is stored once is DUP05's concern.
        expect_order(user, expected, list(dict.fromkeys(await fetch_texts(client, user))))


@check(
    "REC50",
    "Paging through a recall one fact at a time returns each matching fact once.",
    incident="langgraph-checkpoint-postgres 3.2.0: a search by meaning picks a few times its limit "
    "before it skips to the page, so of nine facts the sixth page of one is empty.",
    about="facts",
    needs=[method("recall", "limit", "offset")],
)
async def a_recall_can_be_leafed_through_one_by_one(memory: Memory) -> None:
    (facts, user), pages = await tell_garden(memory), list[Any]()
    for offset in range(len(GARDEN) + 1):
        pages += await recall_texts(memory.client, user, GARDEN_QUERY, limit=1, offset=offset)
    facts.compare(user, pages)


@check(
    "REC51",
    "A long fact takes one place in a recall and leaves the rest of the limit to other facts.",
    incident="langgraph-checkpoint-postgres 3.2.0: the best paragraphs are chosen first and their "
    "facts afterwards, so a search returned nothing but one long fact.",
    about="facts",
    needs=[method("recall", "limit")],
)
async def a_long_fact_takes_one_place_of_a_recall(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    long = "\n".join(f"In the garden, in the garden, page {number}" for number in range(55))
    await facts.tell(user, long, *GARDEN)
    query = "In the garden"
    for limit in (1, 2):
        found = await recall_texts(memory.client, user, query, limit=limit)
        if len(set(map(str, found))) != limit or len(found) != limit:
            raise Violation(
                f"wrong: limit={limit} recalls {len(found)} of {len(GARDEN) + 1} matching facts, "
                f"one of which has {len(long)} characters",
                f"recalled {quote_facts(found)}",
            )


@check(
    "REC25",
    "A list with a filter and a limit returns as many of the facts that match as it may.",
    incident="mem0ai/mem0 pull request 6072: the list of its S3 store fetched as many records as "
    "the limit and filtered those, so it left out memories that match; AWS documents the same of "
    "the Limit of a DynamoDB query.",
    about="facts",
    needs=[method("remember", "metadata"), method("list_facts", "limit", "filter"), BY_EQUALITY],
)
async def a_limit_counts_what_the_filter_lets_through(memory: Memory) -> None:
    client, user = memory.client, memory.session("ann")
    for number, text in enumerate(GARDEN):  # those of a bed are the first, in the middle or last
        await client.call("remember", user, text, metadata={"bed": BEDS[number // 3]})
    for choice in ({"bed": bed} for bed in BEDS):
        whole = await list_texts(client, user, filter=choice)
        for limit in (1, 2, 3, 8):
            found = await list_texts(client, user, limit=limit, filter=choice)
            what = f"limit={limit} and the filter {quote(choice)} list"
            expect_share(min(limit, len(whole)), whole, found, what)
        if client.has("list_facts", "offset"):
            pages = list[Any]()
            for offset in range(len(whole) + 1):
                pages += await list_texts(client, user, limit=1, offset=offset, filter=choice)
            what = f"the pages of the filter {quote(choice)} have"
            expect_share(len(whole), whole, list(dict.fromkeys(pages)), what)


def expect_share(count: int, whole: list[Any], found: list[Any], what: str) -> None:
    """Raise unless so many of the facts that match a filter were found, and nothing else."""
    if len(found) != count or not set(found) <= set(whole):
        raise Violation(
            f"wrong: {what} {len(found)} facts, where {count} of {len(whole)} that match are due",
            f"without a limit {quote_facts(whole)}",
            f"found {quote_facts(found)}",
        )


def expect_order(user: str, expected: list[Any], found: list[Any]) -> None:
    """Raise if the same facts are in another order."""
    if found != expected and sorted(map(str, found)) == sorted(map(str, expected)):
        raise Violation(
            f"reordered: the facts of user {quote(user)} are not in the order in which they were "
            "first told",
            f"expected {quote_facts(expected)}",
            f"listed {quote_facts(found)}",
        )


async def tell_garden(memory: Memory) -> tuple[ExpectedFacts, str]:
    """Tell the garden's nine facts about a new user; return what is expected, and the user."""
    facts, user = ExpectedFacts(memory), memory.session("ann")
    await facts.tell(user, *GARDEN)
    return facts, user


async def list_texts(client: Client, user: str, **options: Any) -> list[Any]:
    """Return the texts that list_facts returns."""
    found = await client.call("list_facts", user, **options)
    return [read_text(item) for item in unpack_facts(found, "list_facts")]

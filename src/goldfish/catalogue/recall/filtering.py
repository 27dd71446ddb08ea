"""REC: filters choose facts by their metadata, compared by type, whatever the keys are called.

Every fact of a check mentions a shelf, so a recall with that word depends on the filter alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from goldfish.catalogue.registry import check, filters, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    quote_facts,
    read_text,
    recall_texts,
    unpack_facts,
)
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory

Metadata = Mapping[str, Any]
Equality = [method("remember", "metadata"), filters("equality")]
Comparison = [method("remember", "metadata"), filters("comparison")]
ODD_KEYS = [
    *("a.b", "a'b", 'a"b', "a]b", "a[0]", "$.x", "x y", "ключ", "a:b", "a/b", "a\\b", "%", "a-b"),
    *("text", "id", "user_id", "x'); DROP TABLE facts; --", '"] OR 1=1', "{a}", "a,b", "__class__"),
]


class Shelf:
    """Facts about one user that differ in their metadata."""

    def __init__(self, memory: Memory) -> None:
        self.client: Client = memory.client
        self.user = memory.session("ann")
        self.facts = ExpectedFacts(memory)
        self.texts: list[str] = []

    @classmethod
    async def fill(cls, memory: Memory, *metadata: Metadata) -> "Shelf":
        """Tell one fact for each of these metadata."""
        shelf = cls(memory)
        if not any(shelf.client.has(name, "filter") for name in ("list_facts", "recall")):
            raise UnsupportedError(
                Reason.of(Why.LACKS_PARAMETERS, "list_facts", "recall", "filter")
            )
        for each in metadata:
            await shelf.add(each)
        return shelf

    async def add(self, metadata: Metadata) -> int:
        """Tell a fact with these metadata, and return its number."""
        text = f"On shelf {len(self.texts)} lies a book"
        await self.facts.tell(self.user, text, metadata=dict(metadata))
        self.texts.append(text)
        return len(self.texts) - 1

    async def offer(self, metadata: Metadata) -> int | None:
        """Tell a fact whose metadata may be refused; return its number, or None if refused."""
        try:
            return await self.add(metadata)
        except StoreError:
            return None

    async def holds(self, *expected: tuple[Metadata, Sequence[int]]) -> bool:
        """Return True if each of these filters returns exactly its facts."""
        try:
            for choice, numbers in expected:
                await self.expect(choice, *numbers)
        except Violation:
            return False
        return True

    async def expect(self, choice: Metadata, *numbers: int) -> None:
        """Raise unless a list and a recall with this filter return exactly these facts."""
        wanted = [self.texts[number] for number in numbers]
        if self.client.has("list_facts", "filter"):
            found = await self.client.call("list_facts", self.user, filter=dict(choice))
            expect_chosen(wanted, map(read_text, unpack_facts(found, "list_facts")), choice)
        if self.client.has("recall", "filter"):
            options = {"limit": 100} if self.client.has("recall", "limit") else {}
            query = "which book lies on the shelf"
            texts = await recall_texts(
                self.client, self.user, query, filter=dict(choice), **options
            )
            expect_chosen(wanted, texts, choice)


def expect_chosen(wanted: Iterable[str], found: Iterable[Any], choice: Metadata) -> None:
    """Raise unless the filter chose exactly the wanted texts, in any order."""
    expected, chosen = sorted(wanted), sorted(map(str, found))
    if expected == chosen:
        return
    extra = [each for each in chosen if each not in expected]
    missing = set(expected).difference(chosen)
    what = f"returns {len(chosen)} facts, not {len(expected)}"
    if extra:
        what = f"returns {quote(extra[0])}, which does not match"
    elif missing:
        what = f"leaves out {quote(min(missing))}"
    raise Violation(
        f"wrong: the filter {quote(dict(choice))} {what}",
        f"expected {quote_facts(expected)}",
        f"found {quote_facts(chosen)}",
    )


@check(
    "REC15",
    "A filter by one or two fields returns exactly the facts that have these values.",
    incident="apache/flink-agents pull request 997: a filter that is applied to the results of a "
    "search can return nothing, even with hundreds of facts that match it.",
    about="facts",
    needs=Equality,
)
async def a_filter_chooses_the_facts_that_have_the_value(memory: Memory) -> None:
    shelf = await Shelf.fill(
        memory,
        {"topic": "work", "year": 2024},
        {"topic": "work", "year": 2025},
        {"topic": "home", "year": 2024},
        {"topic": "Work", "year": 2024},
        {"topic": "work ", "done": True},
        {"done": False},
    )
    await shelf.expect({"topic": "work"}, 0, 1)
    await shelf.expect({"topic": "work", "year": 2024}, 0)
    await shelf.expect({"year": 2024}, 0, 2, 3)
    await shelf.expect({"done": False}, 5)
    await shelf.expect({"topic": "wor"})


@check(
    "REC16",
    "A filter for 1 does not match '1', and treats 1, 1.0 and True by one rule throughout.",
    incident="In Python True == 1, in SQLite json_extract returns 1 for true, and in PostgreSQL "
    "->> returns text for all three: each makes another filter wrong.",
    about="facts",
    needs=Equality,
)
async def a_number_is_neither_its_text_nor_true(memory: Memory) -> None:
    shelf = await Shelf.fill(memory, {"n": 1}, {"n": 1.0}, {"n": True}, {"n": "1"}, {"n": 10})
    await shelf.expect({"n": "1"}, 3)
    values = (1, 1.0, True)
    if await shelf.holds(*(({"n": each}, (0, 1, 2)) for each in values)):
        return  # as in Python, whichever of them a filter names
    if await shelf.holds(*(({"n": each}, (place,)) for place, each in enumerate(values))):
        return  # each kind of value is equal to its own alone
    await shelf.expect({"n": 1}, 0, 1)
    await shelf.expect({"n": 1.0}, 0, 1)
    await shelf.expect({"n": True}, 2)


@check(
    "REC17",
    "Filters compare numbers as numbers: 9 is less than 10, and -2 is less than 0.5.",
    incident="langchain-ai/langgraph pull request 8137: PostgresStore compared numbers as text, so "
    '{"score": {"$gte": 10}} also returned the scores 2 to 9.',
    about="facts",
    needs=Comparison,
)
async def numbers_are_compared_as_numbers(memory: Memory) -> None:
    shelf = await Shelf.fill(memory, *({"n": each} for each in (9, 10, 100, -2, 0.5, 9.5)))
    await shelf.expect({"n": {"$gte": 10}}, 1, 2)
    await shelf.expect({"n": {"$lt": 10}}, 0, 3, 4, 5)
    await shelf.expect({"n": {"$gt": -3, "$lte": 0.5}}, 3, 4)
    await shelf.expect({"n": {"$gt": 9}}, 1, 2, 5)


@check(
    "REC18",
    "A filter tells integers above 2**53 apart, even if they differ by one.",
    incident="grafana/clickhouse-datasource issue 1814: 100000000000220008 came back as "
    "100000000000220000, as any integer above 2**53 may where numbers are doubles.",
    about="facts",
    needs=Equality,
)
async def integers_above_two_to_the_53_are_told_apart(memory: Memory) -> None:
    numbers = [2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1, 2**62 + 3]
    shelf = await Shelf.fill(memory, *({"account": each} for each in numbers))
    for place, number in enumerate(numbers):
        await shelf.expect({"account": number}, place)


@check(
    "REC19",
    "A fact without the field, or with another type in it, does not match and breaks no query.",
    incident="langchain-ai/langgraph pull request 7722 casts a field to a number: one fact whose "
    "field is not a number turns such a query into an error for everyone.",
    about="facts",
    needs=Comparison,
)
async def a_missing_or_other_field_neither_fits_nor_breaks(memory: Memory) -> None:
    odd: tuple[dict[str, Any], ...]
    odd = ({"n": "many"}, {}, {"n": None}, {"n": [5]}, {"m": 5}, {"n": {"n": 5}}, {"n": "7"})
    shelf = await Shelf.fill(memory, {"n": 5})
    for metadata in odd:
        await shelf.offer(metadata)
    await shelf.expect({"n": {"$gt": 3}}, 0)
    await shelf.expect({"n": {"$lte": 5}}, 0)
    await shelf.expect({"n": 5}, 0)
    await shelf.expect({"nowhere": 5})
    await shelf.expect({"nowhere": {"$lt": 5}})


@check(
    "REC20",
    "$exists matches by whether the field is there; $ne matches only facts that have the field.",
    incident="In SQL NULL <> 5 is neither true nor false: whether a fact without the field counts "
    "as different depends on how the query is written, unless it is promised.",
    about="facts",
    needs=Comparison,
)
async def presence_and_difference_can_be_asked_for(memory: Memory) -> None:
    shelf = await Shelf.fill(memory, {"n": 5}, {"n": 6}, {"m": 5}, {}, {"n": 0}, {"n": ""})
    await shelf.expect({"n": {"$exists": True}}, 0, 1, 4, 5)
    await shelf.expect({"n": {"$exists": False}}, 2, 3)
    await shelf.expect({"n": {"$ne": 5}}, 1, 4, 5)


@check(
    "REC23",
    "Filters compare times as times: 10:15 at +02:00 is before 09:00 UTC.",
    incident="obra/episodic-memory pull request 133: a search ignored the filter by date; times "
    "stored as text sort by their local hours alone.",
    about="facts",
    needs=Comparison,
)
async def times_are_compared_as_times(memory: Memory) -> None:
    shelf = await Shelf.fill(
        memory,
        {"at": "2026-03-01T09:30:00+00:00"},
        {"at": "2026-03-01T10:15:00+02:00"},  # 08:15 UTC
        {"at": "2026-03-01T08:45:00-05:00"},  # 13:45 UTC
        {"at": "2025-12-31T23:59:59+00:00"},
        {"day": 1},
    )
    nine = "2026-03-01T09:00:00+00:00"
    for moment in (nine, datetime.fromisoformat(nine)):
        await shelf.expect({"at": {"$gte": moment}}, 0, 2)
        await shelf.expect({"at": {"$lt": moment}}, 1, 3)


@check(
    "REC21",
    "A field name that looks like a path or SQL is matched exactly or refused, and harms nothing.",
    incident="oceanbase/powercontext pull request 899: keys were pasted into the JSON path of a "
    "statement, so a malicious one bypassed the condition on the user.",
    about="facts",
    needs=Equality,
)
async def keys_that_look_like_paths_or_code_are_names(memory: Memory) -> None:
    shelf = await Shelf.fill(memory, {"plain": 1}, {"x": 1})
    await shelf.offer({"a": {"b": 1}})
    for key in ODD_KEYS:
        if (number := await shelf.offer({key: 1})) is None:
            continue
        with suppress(StoreError):  # a refusal is loud, and that is enough
            await shelf.expect({key: 1}, number)
    await shelf.expect({"plain": 1}, 0)
    await shelf.facts.expect(shelf.user)


@check(
    "REC22",
    "The only fact that passes the filter is recalled, even if others match the query better.",
    incident="MicrosoftDocs/azure-docs issue 114474: with k = 5 a filtered search returned one or "
    "two of five matching documents; with k = 500 it returned all five.",
    about="facts",
    needs=[method("recall", "limit", "filter"), *Equality],
)
async def a_filter_comes_before_the_limit(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    wanted = "The coffee in the office comes from a cooperative in Colombia"
    for number in range(30):
        text = wanted if number == 15 else f"coffee {number}"
        topic = "work" if number == 15 else "home"
        await facts.tell(user, text, metadata={"topic": topic})
    choice = {"topic": "work"}
    found = await recall_texts(memory.client, user, "coffee", limit=5, filter=choice)
    expect_chosen([wanted], found, choice)

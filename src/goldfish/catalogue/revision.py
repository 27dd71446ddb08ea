"""REV: a revised fact has only its new text, and a forgotten fact is gone."""

import asyncio
from typing import Any

from goldfish.catalogue.registry import Reopening, check, method, trait
from goldfish.catalogue.support.facts import (
    AT_THE_END,
    MEETING,
    ExpectedFacts,
    expect_first,
    find_fact,
    get_fact,
    is_accident,
    is_told_by_answer,
    quote_facts,
    read_metadata,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
)
from goldfish.catalogue.support.sizes import choose_count
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, field

Revise, Forget, ForgetAll = method("revise"), method("forget"), method("forget_all")
SteadyIds = trait("steady_fact_ids")
OLD, NEW = "Maria plays the cello in an orchestra", "The gym in Seaside Street opens at six"
SHORTENED = "Ann lives in Berlin."
CUT = "Her sister Mina sells flowers at the market."
BESIDE_CUT = ["The market sells flowers on Mondays", "A sister of Ben is a nurse"]
KEYS = ["A spare key hangs in the hall", "The blue flowerpot is broken"]
NO_TIME = "facts do not say when they were created"
TICK = 1.1  # seconds: some databases keep times to the second
BESIDE = [
    "Maria has a violin lesson on Mondays",
    "The orchestra rehearses in the town hall",
    "The bakery opens at five",
    "Seaside Street is closed for repairs",
]


@check(
    "REV01",
    "After a revision, the new text is listed and recalled, and the old text is nowhere.",
    incident="MemTensor/MemOS issue 881: the memories that a merge had replaced were not retired, "
    "so a recall returned both the old answer and the new one.",
    about="facts",
    needs=[Revise],
    suite="smoke",
)
async def a_revised_fact_says_the_new_thing_only(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await tell(facts, user, OLD)
    await facts.tell(user, *BESIDE)
    await client.call("revise", user, name, NEW)
    note_revision(facts, user, OLD, NEW)
    if client.has("recall"):
        for query in (OLD, NEW):
            expect_no_old(user, await recall_texts(client, user, query))
        expect_first(await recall_texts(client, user, NEW), NEW, NEW)
    found = await facts.fetch(user)
    expect_no_old(user, found)
    facts.compare(user, found)


@check(
    "REV02",
    "The old words of a revised fact no longer recall it ahead of facts on that subject.",
    incident="Szotasz/marveen pull request 1352: an edit left the old embedding in place, so a "
    "search by meaning ranked the memory by a text that it no longer had.",
    about="facts",
    needs=[Revise, method("recall")],
)
async def the_old_words_do_not_recall_the_revised_fact(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    await facts.tell(user, *BESIDE)
    await client.call("revise", user, name, NEW)
    expect_not_ahead(await recall_texts(client, user, OLD), BESIDE[:2], OLD)


@check(
    "REV03",
    "A revision keeps the id and the metadata of the fact.",
    incident="mem0ai/mem0 issue 5160: update() dropped every metadata field except the five it "
    "knew; issue 3966 had reported the same three months earlier.",
    about="facts",
    needs=[Revise, method("remember", "metadata"), SteadyIds],
)
async def a_revision_keeps_the_id_and_the_metadata(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    metadata = {"heard in": "chat", "weight": 0.5, "year": 2024, "sure": True}
    name = await remember(client, user, OLD, metadata=dict(metadata))
    await client.call("revise", user, name, NEW)
    revised = await find_fact(client, user, NEW)
    if (now := field(revised, "id")) != name:
        raise Violation(f"wrong: fact {quote(name)} was revised, and its id is now {quote(now)}")
    if (kept := read_metadata(revised)) != metadata:
        raise Violation(
            f"corrupted: a revision turned metadata {quote(metadata)} into {quote(kept)}"
        )


@check(
    "REV04",
    "Revising an unknown or a forgotten fact raises and changes nothing.",
    incident="oceanbase/powercontext issue 295: updating a memory that does not exist was "
    "reported as a success; agigante80/actual-mcp-server issue 360: it also left a phantom row.",
    about="facts",
    needs=[Revise],
)
async def revising_what_is_not_there_raises_and_changes_nothing(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await tell(facts, user, OLD)
    unknown = [f"{name}0", "no-such-fact", "00000000-0000-4000-8000-000000000000"]
    if client.has("forget"):
        unknown.append(await remember(client, user, "It is forgotten"))
        await client.call("forget", user, unknown[-1])
    for each in unknown:
        try:
            answer = await client.call("revise", user, each, NEW)
        except StoreError:
            await facts.expect(user)
            continue
        await facts.expect(user)
        if answer or not await is_told_by_answer(client, memory.session("probe")):
            raise Violation(f"swallowed: revising unknown fact {quote(each)} raised nothing")


@check(
    "REV05",
    "After five revisions and a reopen, only the last text of the fact is there.",
    incident="samvallad33/vestige issue 108: an update left the old vector in the table, and the "
    "next start loaded it again.",
    about="facts",
    needs=[Revise, Reopening, SteadyIds],
)
async def a_revision_lasts(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    versions = [f"Ann lives in {town}" for town in ("Rome", "Lima", "Oslo", "Bonn", "Kyoto")]
    name = await tell(facts, user, OLD)
    for before, after in zip([OLD, *versions], versions, strict=False):
        await memory.client.call("revise", user, name, after)
        note_revision(facts, user, before, after)
        await facts.expect(user)
    await memory.reopen()
    await facts.expect(user)


@check(
    "REV06",
    "The earlier texts of a revised fact can be read as its history, oldest first.",
    incident="NousResearch/hermes-agent issue 26045: a replace overwrote what others had written, "
    "and the text survived only in a prompt that a session had cached.",
    about="facts",
    needs=[Revise, method("fact_history"), SteadyIds],
)
async def the_earlier_texts_of_a_fact_are_its_history(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    for text in (BESIDE[0], NEW):
        await client.call("revise", user, name, text)
    found = unpack_facts(await client.call("fact_history", user, name), "fact_history")
    if (texts := [read_text(item) for item in found]) != [OLD, BESIDE[0]]:
        raise Violation(
            f"lost: the history of {quote(NEW)} does not have its earlier texts",
            f"expected {quote_facts([OLD, BESIDE[0]])}",
            f"found {quote_facts(texts)}",
        )
    if list(await client.call("fact_history", user, "no-such-fact")):
        raise Violation("phantom: a fact that never existed has a history")


@check(
    "REV07",
    "A forgotten fact is neither listed, recalled nor returned by its id; the others stay.",
    incident="ruvnet/ruflo issue 2815: a deleted memory was gone from the list, but the search "
    "kept returning its content; mem0ai/mem0 pull request 3610: deleting left the vector.",
    about="facts",
    needs=[Forget],
    suite="smoke",
)
async def a_forgotten_fact_is_gone_everywhere(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await tell(facts, user, OLD)
    await facts.tell(user, *BESIDE)
    await client.call("forget", user, name)
    facts.drop(user, OLD)
    await facts.expect(user)
    if client.has("recall"):
        facts.blame(user, await recall_texts(client, user, OLD))
    if client.has("get_fact") and (left := await get_fact(client, user, name)) is not None:
        text = quote(read_text(left))
        raise Violation(f"resurrected: {quote(OLD)} was forgotten, but get_fact returns {text}")
    if client.has("recall"):
        await expect_no_words_inherited(memory)


@check(
    "REV08",
    "Forgetting a fact again, or one that never existed, is harmless or refused on purpose.",
    incident="mem0ai/mem0 pull request 4455: deleting a memory that was gone failed with "
    "\"'NoneType' object has no attribute 'payload'\".",
    about="facts",
    needs=[Forget],
)
async def forgetting_twice_is_forgetting_once(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    await facts.tell(user, *BESIDE)
    is_first = True
    for each in (name, name, "no-such-fact", "%", "*", ""):
        try:
            await client.call("forget", user, each)
        except StoreError as error:
            if is_first or is_accident(error):
                raise Violation(f"refused: forgetting {quote(each)} raised {error}") from error
        await facts.expect(user)
        is_first = False


@check(
    "REV09",
    "forget_all removes all facts of a user, also hundreds; facts told afterwards are kept.",
    incident="mem0ai deleted the memories that a list returned, and that list is limited to 100; "
    'the source of 2.2.1, where it was fixed, says that this "silently truncates deletes".',
    about="facts",
    needs=[ForgetAll],
)
async def forgetting_all_forgets_more_than_a_hundred(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    count = await choose_count(memory, least=105)
    await facts.tell(user, *(f"Locker {number}" for number in range(count)))
    await client.call("forget_all", user)
    facts.drop(user)
    await facts.expect(user)
    if client.has("recall"):
        facts.blame(user, await recall_texts(client, user, "Locker 7"))
    await facts.tell(user, "Locker 7", NEW)
    await facts.expect(user)


@check(
    "REV10",
    "A fact that was forgotten before a reopen stays forgotten after it.",
    incident="BrainDAO/adk-ts issue 651: after a restart the store looked for the memories to "
    "delete in an empty cache and reported success; the memories were still there.",
    about="facts",
    needs=[Forget, Reopening],
)
async def a_forgotten_fact_does_not_come_back(memory: Memory) -> None:
    facts, ann, ben = ExpectedFacts(memory), memory.session("ann"), memory.session("ben")
    name = await tell(facts, ann, OLD)
    await facts.tell(ann, *BESIDE[:2])
    await facts.tell(ben, *BESIDE)
    await memory.reopen()
    await memory.client.call("forget", ann, name)
    facts.drop(ann, OLD)
    await memory.reopen()
    await facts.expect()
    if memory.client.has("forget_all"):
        await memory.client.call("forget_all", ben)
        facts.drop(ben)
        await memory.reopen()
        await facts.expect()


@check(
    "REV50",
    "After a long fact is revised to a short one, its old ending no longer recalls it first.",
    incident="langgraph-checkpoint 4.3.1: when a value is replaced, the vectors of parts that the "
    "new value lacks stay behind, and it scores 1.0 for a text that it no longer holds.",
    about="facts",
    needs=[Revise, method("recall")],
)
async def the_old_end_of_a_long_fact_does_not_recall_it(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, MEETING * 9 + AT_THE_END)
    await ExpectedFacts(memory).tell(user, *KEYS)
    await client.call("revise", user, name, NEW)
    expect_not_ahead(await recall_texts(client, user, AT_THE_END), KEYS, AT_THE_END)


@check(
    "REV51",
    "A revision does not change the creation time of a fact.",
    incident="langgraph-checkpoint-sqlite 3.1.2 and InMemoryStore of langgraph-checkpoint 4.3.1: "
    "updating an item sets its creation time to the time of the update.",
    about="facts",
    needs=[Revise, SteadyIds],
)
async def a_revised_fact_is_as_old_as_it_was(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    before = await read_creation_time(client, user, OLD)
    await asyncio.sleep(TICK)
    if await read_creation_time(client, user, OLD) != before:
        raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, NO_TIME))
    await client.call("revise", user, name, NEW)
    if (after := await read_creation_time(client, user, NEW)) != before:
        raise Violation(f"wrong: a fact was created at {before}; once revised, at {after}")


@check(
    "REV52",
    "What a revision takes out of a fact is not recalled, listed or returned any more.",
    incident="rahilp/second-brain-cloudflare issue 208: an update wrote the new text, but not its "
    "vector, so the entry was found by words that it no longer had, and not by its own.",
    about="facts",
    needs=[Revise],
)
async def what_was_cut_from_a_fact_is_gone(memory: Memory) -> None:
    facts, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    await facts.tell(user, *BESIDE_CUT)
    name = await tell(facts, user, f"{SHORTENED} {CUT}")
    await client.call("revise", user, name, SHORTENED)
    note_revision(facts, user, f"{SHORTENED} {CUT}", SHORTENED)
    found = list[Any]()
    if client.has("recall"):
        found = await recall_texts(client, user, CUT)
        expect_not_ahead(found, BESIDE_CUT, CUT, SHORTENED)
    if client.has("get_fact"):
        found.append(read_text(await client.call("get_fact", user, name)))
    for text in [*found, *await facts.fetch(user)]:
        if "Mina" in str(text):
            raise Violation(
                f"stale: {quote(CUT)} was taken out of a fact, but {quote(text)} is still there"
            )
    await facts.expect(user)
    if client.has("recall"):
        expect_first(await recall_texts(client, user, SHORTENED), SHORTENED, SHORTENED)


async def read_creation_time(client: Client, user: str, text: str) -> Any:
    """Return the creation time of a fact; UnsupportedError if facts have none."""
    if (found := field(await find_fact(client, user, text), "created_at")) in (MISSING, None):
        raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, NO_TIME))
    return found


async def tell(facts: ExpectedFacts, user: str, text: str) -> Any:
    """Tell a fact, expect it from now on, and return its id."""
    name = await remember(facts.memory.client, user, text)
    facts.note(user, text)
    return name


def note_revision(facts: ExpectedFacts, user: str, before: str, after: str) -> None:
    """Expect the new text of a fact instead of the old one."""
    facts.drop(user, before)
    facts.note(user, after)


def expect_no_old(user: str, found: list[Any]) -> None:
    """Raise if the text from before the revision is there."""
    if OLD in found:
        raise Violation(
            f"stale: {quote(OLD)} of user {quote(user)} was revised to {quote(NEW)}, but is still "
            "there",
            f"found {quote_facts(found)}",
        )


async def expect_no_words_inherited(memory: Memory) -> None:
    """Forget the newest fact, tell another, and raise if the words of the one recall the other.

    A number that is given again leads whatever the forgotten fact left behind to the new one.
    """
    facts, user, client = ExpectedFacts(memory), memory.session("ben"), memory.client
    await facts.tell(user, *BESIDE)
    await client.call("forget", user, await tell(facts, user, OLD))
    facts.drop(user, OLD)
    await facts.tell(user, NEW)
    if is_ahead(found := await recall_texts(client, user, OLD), BESIDE[:2]):
        raise Violation(
            f"stale: {quote(OLD)} was forgotten, but its words recall {quote(NEW)}, which was told "
            "later, ahead of facts on that subject",
            f"recalled {quote_facts(found)}",
        )


def is_ahead(found: list[Any], rivals: list[str], text: str = NEW) -> bool:
    """Return True if the text was found before all of its rivals."""
    rival = min((found.index(each) for each in rivals if each in found), default=len(found))
    return text in found[:rival]


def expect_not_ahead(found: list[Any], rivals: list[str], query: str, revised: str = NEW) -> None:
    """Raise if the query, once part of the revised fact, recalls it ahead of its rivals."""
    if is_ahead(found, rivals, revised):
        raise Violation(
            f"stale: {quote(query)} was revised to {quote(revised)}, but still recalls it ahead of "
            "facts on that subject",
            f"recalled {quote_facts(found)}",
        )

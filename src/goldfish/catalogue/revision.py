"""REV: a revised fact says the new thing only, and a forgotten one says nothing any more."""

from typing import Any

from goldfish.catalogue.registry import Reopening, check, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    expect_first,
    fetch_facts,
    quote_facts,
    read_metadata,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
    unwrap_fact,
)
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory, field

Revise, Forget, ForgetAll = method("revise"), method("forget"), method("forget_all")
OLD, NEW = "Maria plays the cello in an orchestra", "The gym in Seaside Street opens at six"
BESIDE = [
    "Maria has a violin lesson on Mondays",
    "The orchestra rehearses in the town hall",
    "The bakery opens at five",
    "Seaside Street is closed for repairs",
]


@check(
    "REV01",
    "After a revision, the new text is listed and recalled, and the old text is nowhere.",
    incident=(
        "MemTensor/MemOS issue 881: the memories that a merge had replaced were not retired, so a "
        "recall returned both the old answer and the new one."
    ),
    about="facts",
    needs=[Revise],
    suite="smoke",
)
async def a_revised_fact_says_the_new_thing_only(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    knowledge.note(user, OLD)
    await knowledge.tell(user, *BESIDE)
    await client.call("revise", user, name, NEW)
    _note_revision(knowledge, user, OLD, NEW)
    if client.has("recall"):
        for query in (OLD, NEW):
            _expect_no_old(user, await recall_texts(client, user, query))
        expect_first(await recall_texts(client, user, NEW), NEW, NEW)
    found = await knowledge.fetch(user)
    _expect_no_old(user, found)
    knowledge.compare(user, found)


@check(
    "REV02",
    "The old words of a revised fact no longer recall it ahead of facts on that subject.",
    incident=(
        "Szotasz/marveen pull request 1352: an edit left the old embedding in place, so a search "
        "by meaning ranked the memory by a text that it no longer had."
    ),
    about="facts",
    needs=[Revise, method("recall")],
)
async def the_old_words_do_not_recall_the_revised_fact(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    await knowledge.tell(user, *BESIDE)
    await client.call("revise", user, name, NEW)
    found = await recall_texts(client, user, "Maria plays the cello in an orchestra")
    rival = min((found.index(text) for text in BESIDE[:2] if text in found), default=len(found))
    if NEW in found[:rival]:
        raise Violation(
            f"stale: {quote(OLD)} recalls {quote(NEW)}, which once said that, before others that "
            "are about it",
            f"recalled {quote_facts(found)}",
        )


@check(
    "REV03",
    "A revision keeps the id and the metadata of the fact.",
    incident=(
        "mem0ai/mem0 issue 5160: update() dropped every metadata field except the five it knew; "
        "issue 3966 had reported the same three months earlier."
    ),
    about="facts",
    needs=[Revise, method("remember", "metadata")],
)
async def a_revision_keeps_the_id_and_the_metadata(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    metadata = {"source": "chat", "weight": 0.5, "year": 2024, "sure": True}
    name = await remember(client, user, OLD, metadata=dict(metadata))
    await client.call("revise", user, name, NEW)
    items = await fetch_facts(client, user, [NEW])
    revised = [item for item in items if read_text(item) == NEW]
    if not revised:
        raise Violation(f"lost: {quote(OLD)} was revised to {quote(NEW)}, which is not there")
    if (now := field(unwrap_fact(revised[0]), "id")) != name:
        raise Violation(f"wrong: the fact {quote(name)} was revised and is now {quote(now)}")
    if (kept := read_metadata(revised[0])) != metadata:
        raise Violation(f"corrupted: the metadata {quote(metadata)} became {quote(kept)}")


@check(
    "REV04",
    "Revising an unknown or a forgotten fact raises and changes nothing.",
    incident=(
        "oceanbase/powercontext issue 295: updating a memory that does not exist was reported as a "
        "success; agigante80/actual-mcp-server issue 360: it also left a phantom row."
    ),
    about="facts",
    needs=[Revise],
)
async def revising_what_is_not_there_raises_and_changes_nothing(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    knowledge.note(user, OLD)
    unknown = [f"{name}0", "no-such-fact", "00000000-0000-4000-8000-000000000000"]
    if client.has("forget"):
        unknown.append(await remember(client, user, "It is forgotten"))
        await client.call("forget", user, unknown[-1])
    for each in unknown:
        try:
            await client.call("revise", user, each, NEW)
        except StoreError:
            await knowledge.expect(user)
        else:
            await knowledge.expect(user)
            raise Violation(f"swallowed: revising the unknown {quote(each)} was acknowledged")


@check(
    "REV05",
    "After five revisions and a reopen, only the last text of the fact is there.",
    incident=(
        "samvallad33/vestige issue 108: an update left the old vector in the table, and the next "
        "start loaded it again."
    ),
    about="facts",
    needs=[Revise, Reopening],
)
async def a_revision_lasts(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    versions = [f"Ann lives in {town}" for town in ("Rome", "Lima", "Oslo", "Bonn", "Kyoto")]
    name = await remember(memory.client, user, OLD)
    knowledge.note(user, OLD)
    for before, after in zip([OLD, *versions], versions, strict=False):
        await memory.client.call("revise", user, name, after)
        _note_revision(knowledge, user, before, after)
        await knowledge.expect(user)
    await memory.reopen()
    await knowledge.expect(user)


@check(
    "REV06",
    "The earlier texts of a revised fact can be read as its history, oldest first.",
    incident=(
        "NousResearch/hermes-agent issue 26045: a replace overwrote what others had written, and "
        "the text survived only in a prompt that a session had cached."
    ),
    about="facts",
    needs=[Revise, method("fact_history")],
)
async def the_earlier_texts_of_a_fact_are_its_history(memory: Memory) -> None:
    user, client = memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    for text in (BESIDE[0], NEW):
        await client.call("revise", user, name, text)
    found = unpack_facts(await client.call("fact_history", user, name), "fact_history")
    if (texts := [read_text(item) for item in found]) != [OLD, BESIDE[0]]:
        raise Violation(
            f"lost: the history of {quote(NEW)} is not what it said before",
            f"expected {quote_facts([OLD, BESIDE[0]])}",
            f"found {quote_facts(texts)}",
        )
    if list(await client.call("fact_history", user, "no-such-fact")):
        raise Violation("phantom: a fact that never was has a history")


@check(
    "REV07",
    "A forgotten fact is neither listed, recalled nor returned by its id; the others stay.",
    incident=(
        "ruvnet/ruflo issue 2815: a deleted memory was gone from the list, but the search kept "
        "returning its content; mem0ai/mem0 pull request 3610: deleting left the vector."
    ),
    about="facts",
    needs=[Forget],
    suite="smoke",
)
async def a_forgotten_fact_is_gone_everywhere(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    knowledge.note(user, OLD)
    await knowledge.tell(user, *BESIDE)
    await client.call("forget", user, name)
    knowledge.drop(user, OLD)
    await knowledge.expect(user)
    if client.has("recall"):
        knowledge.blame(user, await recall_texts(client, user, OLD))
    if client.has("get_fact") and (left := await client.call("get_fact", user, name)) is not None:
        raise Violation(
            f"resurrected: the forgotten {quote(OLD)} is got as {quote(read_text(left))}"
        )


@check(
    "REV08",
    "Forgetting a fact again, or one that never existed, is not an error and removes nothing else.",
    incident=(
        "mem0ai/mem0 pull request 4455: deleting a memory that was gone failed with \"'NoneType' "
        "object has no attribute 'payload'\"."
    ),
    about="facts",
    needs=[Forget],
)
async def forgetting_twice_is_forgetting_once(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    name = await remember(client, user, OLD)
    await knowledge.tell(user, *BESIDE)
    for each in (name, name, "no-such-fact", "%", "*", ""):
        try:
            await client.call("forget", user, each)
        except StoreError as error:
            raise Violation(f"refused: forgetting {quote(each)} again: {error}") from error
        await knowledge.expect(user)


@check(
    "REV09",
    "forget_all removes all 105 facts of a user, and facts told afterwards are kept.",
    incident=(
        "mem0ai deleted the memories that a list returned, and that list is limited to 100; the "
        'source of 2.2.1, where it was fixed, says that this "silently truncates deletes".'
    ),
    about="facts",
    needs=[ForgetAll],
)
async def forgetting_all_forgets_more_than_a_hundred(memory: Memory) -> None:
    knowledge, user, client = ExpectedFacts(memory), memory.session("ann"), memory.client
    await knowledge.tell(user, *(f"Locker {number}" for number in range(105)))
    await client.call("forget_all", user)
    knowledge.drop(user)
    await knowledge.expect(user)
    if client.has("recall"):
        knowledge.blame(user, await recall_texts(client, user, "Locker 7"))
    await knowledge.tell(user, "Locker 7", NEW)
    await knowledge.expect(user)


@check(
    "REV10",
    "A fact that was forgotten before a reopen stays forgotten after it.",
    incident=(
        "BrainDAO/adk-ts issue 651: after a restart the store looked for the memories to delete in "
        "an empty cache and reported success; the memories were still there."
    ),
    about="facts",
    needs=[Forget, Reopening],
)
async def a_forgotten_fact_does_not_come_back(memory: Memory) -> None:
    knowledge, ann, ben = ExpectedFacts(memory), memory.session("ann"), memory.session("ben")
    name = await remember(memory.client, ann, OLD)
    knowledge.note(ann, OLD)
    await knowledge.tell(ann, *BESIDE[:2])
    await knowledge.tell(ben, *BESIDE)
    await memory.reopen()
    await memory.client.call("forget", ann, name)
    knowledge.drop(ann, OLD)
    await memory.reopen()
    await knowledge.expect()
    if memory.client.has("forget_all"):
        await memory.client.call("forget_all", ben)
        knowledge.drop(ben)
        await memory.reopen()
        await knowledge.expect()


def _note_revision(knowledge: ExpectedFacts, user: str, before: str, after: str) -> None:
    knowledge.drop(user, before)
    knowledge.note(user, after)


def _expect_no_old(user: str, found: list[Any]) -> None:
    """Raise if the text from before the revision is given."""
    if OLD in found:
        raise Violation(
            f"stale: user {quote(user)} was given {quote(OLD)}, which was revised to {quote(NEW)}",
            f"found {quote_facts(found)}",
        )

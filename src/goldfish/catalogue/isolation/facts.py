"""ISO: facts stay with their user, whatever the ids look like."""

import asyncio
import time
from contextlib import suppress
from typing import Any, NamedTuple

from goldfish.catalogue.isolation.messages import quote_id
from goldfish.catalogue.registry import ScopedIds, TextIds, check, filters, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_texts,
    is_told_by_answer,
    offer,
    quote_facts,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
)
from goldfish.catalogue.support.lookalikes import ODD_USERS, USERS
from goldfish.catalogue.support.refusals import may_refuse_id
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, contents_of

# Each gets out of one way to paste a key into a statement; the rest are names of other places.
HOSTILE_KEYS = [
    *("') OR 1=1 --", "' OR '1'='1", "x') IS NULL OR ('1", "x' IS NULL OR '1", "x IS NULL OR '1'"),
    *("x\"') IS NULL OR ('1", 'x" IS NULL OR "1', '"] != "" or m["x', "x'] or True or m['x"),
    *("*", "$", "$.*", "a.b", "a[*]", "$or", "$where", "user_id", "__proto__", "", "x y", "%", "_"),
]
GUESTS = 2_000
LOOKING = 1.5  # seconds; a slow store is asked about fewer guests
SECRET = "The code of the garage door is 4711"


@check(
    "ISO23",
    "Users whose ids are prefixes, patterns or spellings of each other have their own facts.",
    incident="MemMachine/MemMachine issue 320: a search for test_user1 returned the memory of "
    "test_user.",
    about="facts",
    needs=[TextIds],
)
async def users_whose_ids_look_alike_are_apart(memory: Memory) -> None:
    facts = ExpectedFacts(memory)
    taken = await tell_users(facts, "Their favourite tea is number")
    for user in taken:
        facts.blame(user, await facts.fetch(user))
    await facts.expect()


@check(
    "ISO24",
    "Recalling the very words of another user's fact does not return that fact.",
    incident="CaviraOSS/LongMemory issue 97: a query with one user's id returned the memories of "
    "two.",
    about="facts",
    needs=[method("recall")],
)
async def a_recall_gives_the_facts_of_the_user_who_asks(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, ben, nobody = (memory.session(name) for name in ("ann", "ben", "nobody"))
    await facts.tell(ann, SECRET, "The garage is behind the house")
    await facts.tell(ben, "Ben rents a garage", "Ben likes jazz")
    options = {"limit": 50} if client.has("recall", "limit") else {}
    for user in (ben, nobody):
        for query in (SECRET, "garage", "code", "4711"):
            facts.blame(user, await recall_texts(client, user, query, **options))


@check(
    "ISO25",
    "Getting a fact by its id fails or returns nothing for any user but its own.",
    incident="ebongard/renfield issue 169: reading the history of a memory by its id did not check "
    "whose it was.",
    about="facts",
    needs=[method("get_fact"), ScopedIds],
)
async def a_fact_of_another_user_is_not_got_by_its_id(memory: Memory) -> None:
    client, ann, ben = memory.client, memory.session("ann"), memory.session("ben")
    name = await remember(client, ann, SECRET)
    try:
        found = await client.call("get_fact", ben, name)
    except StoreError:
        return  # an error is as good as nothing
    if found is not None:
        raise Violation(f"leaked: user {quote(ben)} was given {quote(read_text(found))} by its id")
    if read_text(await client.call("get_fact", ann, name)) != SECRET:
        raise Violation(f"lost: user {quote(ann)} was not given {quote(SECRET)} by its id")


@check(
    "ISO26",
    "Revising a fact by its id raises and changes nothing for any user but its own.",
    incident="BasedHardware/omi pull request 1238: a review found that a memory was looked up in "
    "the collections of all users, and updated wherever its id was found.",
    about="facts",
    needs=[method("revise"), ScopedIds],
)
async def a_fact_of_another_user_is_not_revised_by_its_id(memory: Memory) -> None:
    done = await _meddle(memory, "revise", "There is no garage")
    if done.refusal is not None:
        return
    if done.answer or not await is_told_by_answer(memory.client, memory.session("probe")):
        raise Violation("swallowed: revising another user's fact did nothing, but raised no error")


@check(
    "ISO27",
    "Forgetting a fact by its id removes nothing for any user but its own.",
    incident="1818TusculumSt/owui-adaptive-memory pull request 21: anyone who knew the id of a "
    "memory could delete it, together with its vector.",
    about="facts",
    needs=[method("forget"), ScopedIds],
)
async def a_fact_of_another_user_is_not_forgotten_by_its_id(memory: Memory) -> None:
    done = await _meddle(memory, "forget")  # REV08 is about whether it may be refused
    client = memory.client
    if client.has("recall") and SECRET not in await recall_texts(client, done.ann, SECRET):
        raise Violation(
            f"lost: after another user forgot it, {quote(SECRET)} is no longer recalled",
            str(done.refusal),
        )


class Meddling(NamedTuple):
    """The user whose fact it was, and what the call returned or raised."""

    ann: str
    answer: Any
    refusal: StoreError | None


async def _meddle(memory: Memory, method: str, *more: str) -> Meddling:
    """Let one user call a method with the id of another's fact; raise if a fact changes."""
    facts, client, answer, refusal = ExpectedFacts(memory), memory.client, None, None
    ann, ben = memory.session("ann"), memory.session("ben")
    # Where each user's facts are numbered from one, hers has a number that he has not.
    await facts.tell(ann, "Ann likes tea", "Ann has a bicycle", "Ann sings in a choir")
    name = await remember(client, ann, SECRET)
    facts.note(ann, SECRET)
    await facts.tell(ben, "Ben likes jazz")
    try:
        answer = await client.call(method, ben, name, *more)
    except StoreError as error:
        refusal = error
    await facts.expect()
    return Meddling(ann, answer, refusal)


@check(
    "ISO28",
    "Forgetting all facts of one user removes none of another, however alike their ids.",
    incident='mem0ai/mem0 issue 3928: delete_all(user_id="bob") reset the whole vector store, and '
    "the memories of every user were lost.",
    about="facts",
    needs=[TextIds, method("forget_all")],
    suite="smoke",
)
async def forgetting_one_user_leaves_the_others(memory: Memory) -> None:
    facts = ExpectedFacts(memory)
    taken = await tell_users(facts, "Their favourite tea is number")
    for user in ("al", "john_doe", "%", "a*", "_", "nobody"):
        if user in USERS and user not in taken:
            continue
        await memory.client.call("forget_all", user)
        facts.drop(user)
        for other in taken:
            found = await facts.fetch(other)
            if facts.texts[other] and not found:
                raise Violation(
                    f"lost: forgetting user {quote_id(user)} removed the facts of {quote_id(other)}"
                )
            facts.compare(other, found)


async def tell_users(facts: ExpectedFacts, text: str) -> list[str]:
    """Tell a fact about every user whose id the memory takes, and return those users."""
    taken = []
    for number, user in enumerate(USERS):
        refusal = await offer(facts.memory.client, user, told := f"{text} {number}")
        if refusal is None:
            facts.note(user, told)
            taken.append(user)
        elif not may_refuse_id(facts.memory, user, refusal):
            raise refusal
    return taken


@check(
    "ISO29",
    "User ids that are empty, '*', or hold NUL, controls or surrogates are exact or refused.",
    incident="C strings end at NUL, so a layer in C reads 'a\\0b' as 'a'; langgraph-checkpoint "
    "4.3.1 replaced a lone surrogate by '?', which is another valid name.",
    about="facts",
    needs=[TextIds],
)
async def odd_user_ids_are_told_apart_or_refused(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    await facts.tell("a", "A plain user")
    taken = []
    for number, user in enumerate(ODD_USERS):
        text = f"The odd number {number}"
        if await offer(client, user, text) is None:
            facts.note(user, text)
            taken.append(user)
    served = [user for user in ("a", *taken) if await _is_served(facts, user)]
    await facts.expect(*served)


async def _is_served(facts: ExpectedFacts, user: str) -> bool:
    """Return True if the store answers for a user; raise if it returns another user's fact."""
    try:
        facts.blame(user, await facts.fetch(user))
    except StoreError:
        # Some stores notice only on reading that a lone surrogate is not text.
        if not any("\ud800" <= each <= "\udfff" for each in user):
            raise
        return False
    return True


@check(
    "ISO30",
    "A filter that names another user, by whatever key, returns none of that user's facts.",
    incident="oceanbase/powercontext pull request 899: the user was one condition among those of "
    "the filter, and a key of the filter could override it.",
    about="facts",
    needs=[method("recall", "filter"), filters("equality")],
)
async def a_filter_does_not_reach_another_user(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    await facts.tell(ann, SECRET)
    await facts.tell(ben, "Ben rents a garage")
    for key in ("user_id", "user", "owner", "namespace", "userId"):
        try:
            found = await recall_texts(client, ben, "garage", filter={key: ann})
        except StoreError:
            continue  # a store may refuse such a key
        facts.blame(ben, found)
    await facts.expect()


@check(
    "ISO33",
    "A key of a filter with quotes, dots or SQL is refused, or matches nobody else's facts.",
    incident="SciPhi-AI/R2R issue 2308: the keys of a filter were pasted into the statement while "
    "its values were bound, so a quote in a key ended the condition on the user.",
    about="facts",
    needs=[filters("equality")],
)
async def a_hostile_key_reaches_nobody_else(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    await facts.tell(ann, SECRET)
    await facts.tell(ben, "Ben rents a garage")
    queries = {"list_facts": (ben,), "recall": (ben, "garage")}
    readers = {name: more for name, more in queries.items() if client.has(name, "filter")}
    if not readers:
        raise UnsupportedError(Reason.of(Why.LACKS_PARAMETERS, "list_facts", "recall", "filter"))
    for key in HOSTILE_KEYS:
        for name, more in readers.items():
            with suppress(StoreError):  # refused, as it may be
                found = unpack_facts(await client.call(name, *more, filter={key: "1"}), name)
                texts = [read_text(item) for item in found]
                facts.blame(ben, texts, f"found with the filter {quote({key: '1'})}")
    await facts.expect()


@check(
    "ISO34",
    "A user's facts are listed while thousands of others are looked up for the first time.",
    incident="MitchellChu/torndsession issue 18: a walk over all sessions failed with 'dictionary "
    "changed size during iteration', because another request had opened a new one.",
    about="facts",
)
async def newcomers_do_not_disturb_a_reader(memory: Memory) -> None:
    facts, ann = ExpectedFacts(memory), memory.session("ann")
    await facts.tell(ann, SECRET, "The garage is behind the house", "Ann likes jazz")
    reader, *others = await memory.callers(5)
    guests = iter([memory.session("guest") for _ in range(GUESTS)])
    until = time.monotonic() + LOOKING

    async def look_up(client: Client) -> None:
        for guest in guests:
            if found := await fetch_texts(client, guest, [SECRET]):
                facts.blame(guest, found)
                raise Violation(f"phantom: {quote(guest)} is new, and has {quote_facts(found)}")
            if time.monotonic() > until:
                return

    async def read() -> None:
        while not all(visit.done() for visit in visits):
            await facts.expect(ann, client=reader)
            await asyncio.sleep(0)

    visits = [asyncio.create_task(look_up(client)) for client in others]
    await asyncio.gather(read(), *visits)
    await facts.expect(ann)


@check(
    "ISO31",
    "A user about whom nothing was told has no facts, and reading does not change that.",
    incident="dtzp555-max/ocp pull request 86: all callers without an id of their own shared the "
    "default id.",
    about="facts",
)
async def of_an_unknown_user_nothing_is_known(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, nobody = memory.session("ann"), memory.session("nobody")
    await facts.tell(ann, SECRET)
    for _ in range(2):
        found = await fetch_texts(client, nobody, [SECRET])
        facts.blame(nobody, found)
        if found:
            raise Violation(
                f"phantom: nothing was told about {quote(nobody)}, who has {quote_facts(found)}"
            )
    await facts.expect()


@check(
    "ISO32",
    "When a user and a session share an id, clearing or forgetting one leaves the other.",
    incident="supermemoryai/supermemory issue 658: a user and a conversation had the same id; all "
    "its memories were deleted, and came back from what the conversation still had.",
    about="facts",
    needs=[method(name) for name in ("add_messages", "get_history", "clear", "forget_all")],
)
async def a_user_and_a_session_of_one_name_are_apart(memory: Memory) -> None:
    facts, client, name = ExpectedFacts(memory), memory.client, memory.session("ann")
    batch = memory.messages(2)
    await facts.tell(name, SECRET)
    await client.add(name, batch)
    await client.expect(name, contents_of(batch))
    await client.call("clear", name)
    await facts.expect(name)
    await client.add(name, again := memory.messages(2))
    await client.call("forget_all", name)
    facts.drop(name)
    await client.expect(name, contents_of(again), gone=contents_of(batch))
    await facts.tell(name, SECRET)
    if client.has("clear_all"):
        await client.call("clear_all")
    await facts.expect(name)

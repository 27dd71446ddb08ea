"""ISO, continued: what is known of one user is known of nobody else, whatever the ids contain."""

from goldfish.catalogue.isolation.messages import called
from goldfish.catalogue.registry import ScopedIds, check, filters, method
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_texts,
    offer,
    quote_facts,
    read_text,
    recall_texts,
    remember,
)
from goldfish.catalogue.support.lookalikes import ODD_CHARACTERS
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory, contents_of

USERS = [
    *("al", "alice", "alice2", "malice", "Alice", "john_doe", "john-doe", "johnXdoe", "john.doe"),
    *(
        "%",
        "_",
        "a*",
        "a%",
        "o'brien",
        "x'OR'1'='1",
        "user:1",
        "user:10",
        "user/1",
    ),
    *("1", "01", "null", "default", "caf\N{LATIN SMALL LETTER E WITH ACUTE}", "用户", "😀"),
]
ODD_USERS = [
    *ODD_CHARACTERS,
    "user 1",  # some want no spaces
    "*",  # some have it for everybody: then nobody may be called so
]
SECRET = "The code of the garage door is 4711"


@check(
    "ISO23",
    "Users whose ids are prefixes, patterns or spellings of each other have each their own facts.",
    incident=(
        "MemMachine/MemMachine issue 320: a search for test_user1 gave the memory of test_user."
    ),
    about="facts",
)
async def users_whose_ids_look_alike_are_apart(memory: Memory) -> None:
    knowledge = ExpectedFacts(memory)
    for number, user in enumerate(USERS):
        await knowledge.tell(user, f"Their favourite tea is number {number}")
    for user in USERS:
        knowledge.blame(user, await knowledge.fetch(user))
    await knowledge.expect()


@check(
    "ISO24",
    "A recall by the very words of another user's fact never gives it, however few there are.",
    incident=(
        "CaviraOSS/LongMemory issue 97: a query with the id of one user gave the memories of both."
    ),
    about="facts",
    needs=[method("recall")],
)
async def a_recall_gives_the_facts_of_the_user_who_asks(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    ann, ben, nobody = (memory.session(name) for name in ("ann", "ben", "nobody"))
    await knowledge.tell(ann, SECRET, "The garage is behind the house")
    await knowledge.tell(ben, "Ben rents a garage", "Ben likes jazz")
    options = {"limit": 50} if client.has("recall", "limit") else {}
    for user in (ben, nobody):
        for query in (SECRET, "garage", "code", "4711"):
            knowledge.blame(user, await recall_texts(client, user, query, **options))


@check(
    "ISO25",
    "Who knows the id of another user's fact does not get it.",
    incident=(
        "ebongard/renfield issue 169: reading the history of a memory by its id did not ask whose "
        "it was."
    ),
    about="facts",
    needs=[method("get_fact"), ScopedIds],
)
async def a_fact_of_another_user_is_not_got_by_its_id(memory: Memory) -> None:
    client, ann, ben = memory.client, memory.session("ann"), memory.session("ben")
    name = await remember(client, ann, SECRET)
    try:
        found = await client.call("get_fact", ben, name)
    except StoreError:
        return  # to say that there is none is as good
    if found is not None:
        raise Violation(f"leaked: user {quote(ben)} got {quote(read_text(found))} by its id")
    if read_text(await client.call("get_fact", ann, name)) != SECRET:
        raise Violation(f"lost: user {quote(ann)} does not get {quote(SECRET)} by its id")


@check(
    "ISO26",
    "Who knows the id of another user's fact cannot change it, and is told so.",
    incident=(
        "BasedHardware/omi pull request 1238: a review found that a memory was looked for in the "
        "collections of all users, and updated wherever its id was found."
    ),
    about="facts",
    needs=[method("revise"), ScopedIds],
)
async def a_fact_of_another_user_is_not_revised_by_its_id(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    name = await remember(client, ann, SECRET)
    knowledge.note(ann, SECRET)
    await knowledge.tell(ben, "Ben likes jazz")
    refused = False
    try:
        await client.call("revise", ben, name, "There is no garage")
    except StoreError:
        refused = True
    await knowledge.expect()
    if not refused:
        raise Violation("swallowed: revising another user's fact was acknowledged")


@check(
    "ISO27",
    "Who knows the id of another user's fact cannot make it be forgotten.",
    incident=(
        "1818TusculumSt/owui-adaptive-memory pull request 21: whoever gave the id of a memory "
        "could delete it, with its vector, whose ever it was."
    ),
    about="facts",
    needs=[method("forget"), ScopedIds],
)
async def a_fact_of_another_user_is_not_forgotten_by_its_id(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    name = await remember(client, ann, SECRET)
    knowledge.note(ann, SECRET)
    await knowledge.tell(ben, "Ben likes jazz")
    refusal = None
    try:
        await client.call("forget", ben, name)
    except StoreError as error:
        refusal = error  # REV08 says whether it may
    await knowledge.expect()
    if client.has("recall"):
        found = await recall_texts(client, ann, SECRET)
        if SECRET not in found:
            raise Violation(f"lost: {quote(SECRET)} is no longer recalled", str(refusal))


@check(
    "ISO28",
    "Forgetting all about one user takes nothing from any other, however alike their ids.",
    incident=(
        'mem0ai/mem0 issue 3928: delete_all(user_id="bob") reset the whole vector store, and the '
        "memories of every user were gone."
    ),
    about="facts",
    needs=[method("forget_all")],
    suite="smoke",
)
async def forgetting_one_user_leaves_the_others(memory: Memory) -> None:
    knowledge = ExpectedFacts(memory)
    for number, user in enumerate(USERS):
        await knowledge.tell(user, f"Their favourite tea is number {number}")
    for user in ("al", "john_doe", "%", "a*", "_", "nobody"):
        await memory.client.call("forget_all", user)
        knowledge.drop(user)
        for other in USERS:
            found = await knowledge.fetch(other)
            if knowledge.texts[other] and not found:
                raise Violation(
                    f"lost: forgetting user {called(user)} took the facts of {called(other)}"
                )
            knowledge.compare(other, found)


@check(
    "ISO29",
    "User ids that are empty, '*', or hold NUL, controls or surrogates are exact or refused.",
    incident=(
        "C strings end at NUL, so a layer in C reads 'a\\0b' as 'a'; langgraph-checkpoint 4.3.1 "
        "replaced a lone surrogate by '?', which is another valid name."
    ),
    about="facts",
)
async def odd_user_ids_are_told_apart_or_refused(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    await knowledge.tell("a", "A plain user")
    taken = []
    for number, user in enumerate(ODD_USERS):
        text = f"The odd number {number}"
        if await offer(client, user, text) is None:
            knowledge.note(user, text)
            taken.append(user)
    heard = [user for user in ("a", *taken) if await _is_heard(knowledge, user)]
    await knowledge.expect(*heard)


async def _is_heard(knowledge: ExpectedFacts, user: str) -> bool:
    """Whether the store answers for a user, and gives nothing of anybody else's."""
    try:
        knowledge.blame(user, await knowledge.fetch(user))
    except StoreError:
        # Half a character is no text, and some notice that only when they are asked for it.
        if not any("\ud800" <= each <= "\udfff" for each in user):
            raise
        return False
    return True


@check(
    "ISO30",
    "A filter that names another user, by whatever key, gives nothing of that user's.",
    incident=(
        "oceanbase/powercontext pull request 899: the user was one condition among those of the "
        "filter, and a key of the filter could undo it."
    ),
    about="facts",
    needs=[method("recall", "filter"), filters("equality")],
)
async def a_filter_does_not_reach_another_user(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    ann, ben = memory.session("ann"), memory.session("ben")
    await knowledge.tell(ann, SECRET)
    await knowledge.tell(ben, "Ben rents a garage")
    for key in ("user_id", "user", "owner", "namespace", "userId"):
        try:
            found = await recall_texts(client, ben, "garage", filter={key: ann})
        except StoreError:
            continue  # such a key may be refused
        knowledge.blame(ben, found)
    await knowledge.expect()


@check(
    "ISO31",
    "Of a user about whom nothing was told nothing is known, and asking does not change that.",
    incident=(
        "dtzp555-max/ocp pull request 86: callers without an id of their own all shared that of "
        "the default."
    ),
    about="facts",
)
async def of_an_unknown_user_nothing_is_known(memory: Memory) -> None:
    knowledge, client = ExpectedFacts(memory), memory.client
    ann, nobody = memory.session("ann"), memory.session("nobody")
    await knowledge.tell(ann, SECRET)
    for _ in range(2):
        found = await fetch_texts(client, nobody, [SECRET])
        knowledge.blame(nobody, found)
        if found:
            raise Violation(f"phantom: of {quote(nobody)} {quote_facts(found)} is known")
    await knowledge.expect()


@check(
    "ISO32",
    "Clearing a session leaves the facts of a user of that name, and forgetting the messages.",
    incident=(
        "supermemoryai/supermemory issue 658: user and conversation had one id; all memories of it "
        "were deleted, and what the conversation still had came back as memories."
    ),
    about="facts",
    needs=[method(name) for name in ("add_messages", "get_history", "clear", "forget_all")],
)
async def a_user_and_a_session_of_one_name_are_apart(memory: Memory) -> None:
    knowledge, client, name = ExpectedFacts(memory), memory.client, memory.session("ann")
    batch = memory.messages(2)
    await knowledge.tell(name, SECRET)
    await client.add(name, batch)
    await client.expect(name, contents_of(batch))
    await client.call("clear", name)
    await knowledge.expect(name)
    await client.add(name, again := memory.messages(2))
    await client.call("forget_all", name)
    knowledge.drop(name)
    await client.expect(name, contents_of(again), gone=contents_of(batch))
    await knowledge.tell(name, SECRET)
    if client.has("clear_all"):
        await client.call("clear_all")
    await knowledge.expect(name)

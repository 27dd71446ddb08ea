"""DUP: a fact is stored once, and facts that merely look alike are all stored."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Reopening, check, method, trait
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    fetch_facts,
    quote_facts,
    read_metadata,
    read_text,
    remember,
    unwrap_fact,
)
from goldfish.catalogue.support.openings import do_at_once, require_several_writers
from goldfish.catalogue.support.sizes import choose_count
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import Client, Memory, field

EqualFacts = trait("equal_facts")
FACT = "Ann lives in Berlin"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "in small letters": str.lower,
    "in capitals": str.upper,
    "with a full stop": lambda text: f"{text}.",
    "with two spaces": lambda text: text.replace(" ", "  ", 1),
    "with spaces around": lambda text: f" {text} ",
    "on two lines": lambda text: text.replace(" ", "\n", 1),
}
EASY = "The lamp is green"
KEPT_APART = "equal facts are kept apart, also in the quiet: see DUP05"
PUNCTUATED = [
    ("Ben likes C", "Ben likes C++", "Ben likes C#"),
    ("The piece is in F", "The piece is in F#"),
    ("The dose is 1.5 grams", "The dose is 15 grams"),
    ("It is 5 degrees outside", "It is -5 degrees outside"),
    ("The grade was A", "The grade was A+", "The grade was A-"),
    ("Ben works on NET", "Ben works on .NET"),
    ("Ben wants to resign", "Ben wants to re-sign"),
]
LOOK_ALIKE = [
    ("Ben prefers tea over coffee", "Ben prefers coffee over tea"),
    ("The order number is 8892", "The order number is 8893"),
    ("The alarm is enabled", "The alarm is disabled"),
    ("Ben is allergic to nuts", "Ben is not allergic to nuts"),
    ("Ben is married to Maria", "Ben is married to Marta"),
    ("The train leaves at 9:15", "The train leaves at 9:51"),
]


@check(
    "DUP05",
    "A fact that is told five times is stored once.",
    incident="mem0ai 2.2.1 with infer=False stores a fact that is told five times as five "
    "memories; woogiekim/agent-crew issue 28: equal contents got a new id with every capture.",
    about="facts",
    suite="smoke",
)
async def the_same_fact_told_five_times_is_one(memory: Memory) -> None:
    if memory.target.disclaims("equal_facts"):  # the interview alone would leave this finding
        raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, "equal facts are kept apart"))
    user, client = memory.session("ann"), memory.client
    names = [await remember(client, user, FACT) for _ in range(3)]
    await client.call("remember", user, "Ann plays the cello")
    names += [await remember(client, user, FACT) for _ in range(2)]
    await expect_once(client, user, FACT)
    if len(set(map(str, names))) > 1:
        raise Violation(f"wrong: {quote(FACT)} is one fact but got several ids", str(names))


@check(
    "DUP06",
    "A spelling of a fact that the store takes for the same is so among many facts, too.",
    incident="danieljustus/symaira-memory issue 228: a memory and the fact extracted from it were "
    "both stored, because contents were not normalised and compared before saving.",
    about="facts",
    needs=[EqualFacts],
)
async def a_spelling_that_is_the_same_is_so_among_many(memory: Memory) -> None:
    client, user = memory.client, memory.session("ann")
    known = [name for name in SPELLINGS if await is_same(memory, EASY, SPELLINGS[name](EASY))]
    if not known:
        raise UnsupportedError(Reason.stated("a fact in another spelling is another fact"))
    await client.call("remember", user, FACT)
    for number in range(
        await choose_count(memory, least=25, wanted=(100, 500))
    ):  # some compare a fact with the newest only
        await client.call("remember", user, f"Ann has visited museum {number}")
    for name in known:
        await client.call("remember", user, SPELLINGS[name](FACT))
    await expect_once(client, user, FACT)


@check(
    "DUP07",
    "A fact that three processes tell at the same moment is stored once.",
    incident="hanamorix/companion-emergence issue 66: a rerun called the same tool twice in one "
    "turn, and the memory that it wrote was there twice.",
    about="facts",
    needs=[OtherProcess, EqualFacts],
)
async def the_same_fact_from_three_processes_at_once_is_one(memory: Memory) -> None:
    require_several_writers(memory)
    await require_equal_facts(memory)
    user, clients = memory.session("ann"), [await memory.elsewhere() for _ in range(3)]
    texts = [f"Ann has been to {town}" for town in ("Rome", "Lima", "Oslo", "Bonn")]
    for text in texts:
        await do_at_once(client.call("remember", user, text) for client in clients)
    for text in texts:
        await expect_once(memory.client, user, text)


@check(
    "DUP08",
    "Facts that differ only in a number, a name, a 'not' or the order of words are all kept.",
    incident="buildingjoshbetter/TrueMemory issue 687: a deadline on the 16th was taken for the "
    "one on the 15th, with a cosine of 0.991, and silently dropped.",
    about="facts",
    suite="smoke",
)
async def facts_that_differ_in_a_number_a_name_or_a_not_stay_apart(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ben")
    for pair in LOOK_ALIKE:
        await facts.tell(user, *pair)
    await facts.expect(user)


@check(
    "DUP09",
    "A fact that is told about several users is known about each of them.",
    incident="microsoft/agent-framework issue 4682: items were identified by a hash of their "
    "text, so the second one with the same text was dropped.",
    about="facts",
)
async def the_same_fact_of_two_users_is_two(memory: Memory) -> None:
    facts = ExpectedFacts(memory)
    users = [memory.session(name) for name in ("ann", "ben", "cem")]
    for user in users:
        await facts.tell(user, "Works from home on Fridays")
    await facts.expect()


@check(
    "DUP10",
    "A fact that is told again keeps its metadata or takes the new, and loses none of both.",
    incident="cyzus/suzent issue 34: a fact that was taken for known was reported as updated, "
    "although nothing was; a repetition must do one thing, and do it whole.",
    about="facts",
    needs=[method("remember", "metadata"), trait("fact_metadata"), EqualFacts],
)
async def a_repeated_fact_keeps_or_renews_its_metadata(memory: Memory) -> None:
    await require_equal_facts(memory)
    user, client = memory.session("ann"), memory.client
    told = [{"heard in": source, f"via {source}": True} for source in ("chat", "mail", "call")]
    for metadata in told:
        await client.call("remember", user, FACT, metadata=dict(metadata))
    kept = read_metadata(await expect_once(client, user, FACT))
    first_wins, last_wins = dict[str, Any](), dict[str, Any]()
    for metadata in told:
        last_wins |= metadata
        first_wins = metadata | first_wins
    if kept not in (told[0], told[-1], first_wins, last_wins):
        raise Violation(
            f"corrupted: {quote(FACT)} was told {len(told)} times, and its metadata is now "
            f"{quote(kept)}",
            f"told with {quote_facts(told)}",
        )


@check(
    "DUP11",
    "A fact that is told again after a reopen is stored once.",
    incident="netclaw-dev/netclaw issue 379: one fact was stored turn after turn, because no "
    "proposal was compared with what was already stored.",
    about="facts",
    needs=[Reopening, EqualFacts],
)
async def a_fact_is_the_same_after_reopening(memory: Memory) -> None:
    await require_equal_facts(memory)
    user = memory.session("ann")
    for _ in range(3):
        await memory.client.call("remember", user, FACT)
        await memory.reopen()
    await expect_once(memory.client, user, FACT)


@check(
    "DUP12",
    "A forgotten fact that is told again is there, once.",
    incident="rohitg00/agentmemory issue 632: deleted memories stayed in the search index as "
    "ghosts and took the places of live ones.",
    about="facts",
    needs=[method("forget")],
)
async def a_forgotten_fact_is_new_when_told_again(memory: Memory) -> None:
    facts, client, user = ExpectedFacts(memory), memory.client, memory.session("ann")
    name = await remember(client, user, FACT)
    await client.call("forget", user, name)
    await facts.tell(user, FACT, "Ann plays the cello")
    await facts.expect(user)


@check(
    "DUP13",
    "Facts that differ only in punctuation that matters, as C, C++ and C#, are all kept.",
    incident="Lyellr88/marm-memory pull request 217: memories were compared by their letters and "
    "digits alone, so all that differ in signs were one.",
    about="facts",
)
async def facts_that_differ_in_a_sign_stay_apart(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ben")
    for alike in PUNCTUATED:
        await facts.tell(user, *alike)
    await facts.expect(user)


@check(
    "DUP14",
    "A fact that another user has, too, keeps its own metadata, and outlives the other's.",
    incident="doobidoo/mcp-memory-service issue 522: a memory was known by a hash of its content "
    "alone, so an equal one with other tags was refused or changed the first.",
    about="facts",
    needs=[method("remember", "metadata"), trait("fact_metadata")],
)
async def an_equal_fact_of_another_user_has_its_own_metadata(memory: Memory) -> None:
    facts, client = ExpectedFacts(memory), memory.client
    ann, ben, cem = (memory.session(name) for name in ("ann", "ben", "cem"))
    for user in (ann, ben, cem):  # what is given by nobody may have been left by somebody else
        facts.note(user, EASY)
        await remember(client, user, EASY)
        _expect_nobody_else(user, await expect_once(client, user, EASY), (ann, ben, cem))
    ids = {}
    for user in (ann, ben, cem):
        ids[user] = await remember(client, user, FACT, metadata={"told by": user})
        facts.note(user, FACT)
    if client.has("forget"):
        await client.call("forget", ann, ids[ann])
        facts.drop(ann, FACT)
    await facts.expect()
    for user in (ben, cem):
        kept = read_metadata(await expect_once(client, user, FACT))
        if kept != {"told by": user}:
            raise Violation(
                f"leaked: of user {quote(user)}, {quote(FACT)} has the metadata {quote(kept)}",
                f"it was told with {quote({'told by': user})}",
            )


def _expect_nobody_else(user: str, item: Any, users: Iterable[str]) -> None:
    kept = field(unwrap_fact(item), "metadata")
    if not isinstance(kept, Mapping):
        return
    if named := [each for each in users if each != user and each in map(str, kept.values())]:
        raise Violation(
            f"leaked: a fact of user {quote(user)} has the metadata {quote(kept)}, which name "
            f"{quote(named[0])}",
            "it was told without metadata",
        )


async def is_same(memory: Memory, one: str, other: str) -> bool:
    """Return True if two texts, told about a new user, are kept as one fact."""
    client, user = memory.client, memory.session("probe")
    await client.call("remember", user, one)
    if not await fetch_facts(client, user, [one]):
        return False  # what is not there at all has no like
    await client.call("remember", user, other)
    return len(await fetch_facts(client, user, [one, other])) == 1


async def require_equal_facts(memory: Memory) -> None:
    """Skip the check if the store keeps equal facts apart when nothing goes wrong."""
    if not await is_same(memory, EASY, EASY):
        raise UnsupportedError(Reason.stated(KEPT_APART))


async def expect_once(client: Client, user: str, text: str) -> Any:
    """Return the fact; raise unless the user has it, in any spelling, exactly once."""
    found = await fetch_facts(client, user, [text])
    alike = [item for item in found if normalize(read_text(item)) == normalize(text)]
    if not alike:
        raise Violation(
            f"lost: {quote(text)} was acknowledged for user {quote(user)}, but a later read does "
            "not return it",
            f"found {quote_facts([read_text(item) for item in found])}",
        )
    if len(alike) > 1:
        raise Violation(
            f"duplicated: user {quote(user)} has {quote(text)} {len(alike)} times",
            f"found {quote_facts([read_text(item) for item in alike])}",
        )
    return alike[0]


def normalize(text: Any) -> str:
    """Return a text without its Unicode form, case, extra space and final full stop."""
    folded = " ".join(unicodedata.normalize("NFKC", str(text)).casefold().split())
    return folded.removesuffix(".").rstrip()

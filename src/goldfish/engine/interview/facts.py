"""What the interview asks about facts."""

import asyncio
import time
from typing import Any

from goldfish.catalogue.support.facts import (
    fetch_facts,
    find_id,
    offer,
    read_metadata,
    read_text,
    remember,
    unwrap_fact,
)
from goldfish.catalogue.support.refusals import is_rule, is_rule_about_ids
from goldfish.engine.interview.messages import IDS, name_additions
from goldfish.harness.dialect import fold
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory

FACT = "Ann keeps bees in Lisbon"
SIZES = (250, 500, 1_000, 2_000, 4_000, 8_000)  # characters, more than any check says
MANY = (5, 10, 20, 50, 100, 200, 500, 1_000)  # facts to ask for at once
SETTLED = 10.0  # seconds after which a fact that is not known is lost
TOLD = (FACT, "The spare key is blue", "Monday is for chess", "A cello stands in the hall")


async def count_facts(memory: Memory, user: str, text: str) -> int:
    """Return how many facts a user has that are this text, in any spelling."""
    found = [read_text(each) for each in await fetch_facts(memory.client, user, [text])]
    return sum(fold(each) == fold(text) for each in found)


async def are_all_ids_taken(memory: Memory) -> bool | None:
    """Return False if a rule refuses some users before anything is written."""
    for user in IDS:
        refusal = await offer(memory.client, user, memory.text(FACT))
        if refusal is not None and is_rule_about_ids(refusal):
            return False
    return True


async def find_largest(memory: Memory) -> int | None:
    """Return the length of the longest fact that is taken, if a rule refuses longer ones."""
    if not await _is_too_large(memory, SIZES[-1]):
        return None
    taken = [size for size in SIZES if not await _is_too_large(memory, size)]
    return max(taken, default=None)


async def _is_too_large(memory: Memory, size: int) -> bool:
    words = "Ann keeps bees in Lisbon and sells honey " * (size // 40 + 1)
    refusal = await offer(memory.client, memory.session("user"), words[:size])
    return refusal is not None and is_rule(refusal)


async def find_highest_limits(memory: Memory) -> dict[str, int]:
    """Return, by method, the highest limit that is taken, if a rule refuses higher ones."""
    client, user = memory.client, memory.session("user")
    if not client.has("remember"):
        return {}
    await client.call("remember", user, FACT)
    arguments = {"recall": [user, FACT], "list_facts": [user]}
    found = {}
    for method, given in arguments.items():
        if client.has(method, "limit"):
            taken = [each for each in MANY if await _is_limit_taken(client, method, given, each)]
            if taken and max(taken) < MANY[-1]:
                found[method] = max(taken)
    return found


async def _is_limit_taken(client: Client, method: str, given: list[str], limit: int) -> bool:
    try:
        await client.call(method, *given, limit=limit)
    except StoreError as refusal:
        return not is_rule(refusal)
    return True


async def are_equal_facts_one(memory: Memory) -> bool | None:
    """Return False if a fact that is told three times is there three times."""
    user = memory.session("user")
    for _ in range(3):
        await memory.client.call("remember", user, FACT)
    return await count_facts(memory, user, FACT) != 3


async def are_metadata_kept(memory: Memory) -> bool | None:
    """Return False if a fact comes back without its metadata."""
    user = memory.session("user")
    await memory.client.call("remember", user, FACT, metadata={"asked in": "interview"})
    found = await fetch_facts(memory.client, user, [FACT])
    if len(found) != 1:
        return None
    return bool(read_metadata(found[0]))


async def find_stamps(memory: Memory) -> frozenset[str]:
    """Return the names of what the memory adds to the metadata of every fact."""
    client, user = memory.client, memory.session("user")
    given: list[dict[str, str]] = [{}, {"asked in": "interview"}]
    for text, metadata in zip(TOLD, given, strict=False):
        await client.call("remember", user, text, metadata=dict(metadata))
    found = [unwrap_fact(each) for each in await fetch_facts(client, user, TOLD[: len(given)])]
    return name_additions(given, found) if len(found) == len(given) else frozenset()


async def are_facts_in_order(memory: Memory) -> bool | None:
    """Return False if facts are all listed, but not in the order of their first telling."""
    user = memory.session("user")
    for text in (*TOLD, TOLD[1]):
        await memory.client.call("remember", user, text)
    found = [read_text(each) for each in await fetch_facts(memory.client, user)]
    once = list(dict.fromkeys(map(str, found)))
    return None if sorted(once) != sorted(TOLD) else once == list(TOLD)


async def find_time_to_settle(memory: Memory) -> float:
    """Return after how many seconds facts are surely known that are not known at once; or 0.

    Several are told: on a machine that is busy, one that is known late may be so before it is read.
    """
    longest = 0.0
    for _ in range(4):
        user, began = memory.session("user"), time.monotonic()
        await memory.client.call("remember", user, FACT)
        is_prompt = True
        while not await count_facts(memory, user, FACT):
            if time.monotonic() > began + SETTLED:
                return 0.0  # it is lost, which the checks tell
            is_prompt = False
            await asyncio.sleep(0.02)
        longest = longest if is_prompt else max(longest, time.monotonic() - began)
    return 2 * longest + 0.1 if longest else 0.0


async def are_facts_verbatim(memory: Memory) -> bool | None:
    """Return False if a fact comes back in another case or with other spaces, and else whole."""
    user, text = memory.session("user"), " Ann keeps  Bees in Lisbon "
    await memory.client.call("remember", user, text)
    found = [read_text(each) for each in await fetch_facts(memory.client, user, [text])]
    return None if len(found) != 1 or fold(found[0]) != fold(text) else found == [text]


async def do_revised_facts_keep_ids(memory: Memory) -> bool | None:
    """Return False if a fact that was revised is there under another id only."""
    client, user = memory.client, memory.session("user")
    name = await remember(client, user, FACT)
    await client.call("revise", user, name, TOLD[1])
    if await count_facts(memory, user, TOLD[1]) != 1:
        return None
    return bool(await find_id(client, user, TOLD[1]) == name)


async def do_filters_filter(memory: Memory) -> bool | None:
    """Return False if facts that do not match a filter come back with those that do."""
    client, user = memory.client, memory.session("user")
    texts = {"a": "The red cup is in the kitchen", "b": "The blue cup is in the kitchen"}
    for topic, text in texts.items():
        await client.call("remember", user, text, metadata={"topic": topic})
    answers = []
    if client.has("list_facts", "filter"):
        answers.append(await client.call("list_facts", user, filter={"topic": "a"}))
    if client.has("recall", "filter"):
        answers.append(await client.call("recall", user, "cup kitchen", filter={"topic": "a"}))
    found = [{read_text(item) for item in answer} for answer in answers]
    return None if not found else any(each != set(texts.values()) for each in found)


async def are_ids_scoped(memory: Memory) -> bool | None:
    """Return False if every method that takes the id of a fact serves another user with it."""
    client, ann, ben = memory.client, memory.session("ann"), memory.session("ben")
    answers = []
    if client.has("get_fact"):
        name = await remember(client, ann, FACT)
        answers.append(await _is_refused(memory, "get_fact", ben, name))
    if client.has("revise"):
        name = await remember(client, ann, TOLD[1])
        await _is_refused(memory, "revise", ben, name, TOLD[2])
        answers.append(await count_facts(memory, ann, TOLD[2]) == 0)
    if client.has("forget"):
        name = await remember(client, ann, TOLD[3])
        if await count_facts(memory, ann, TOLD[3]):  # what is not there cannot be forgotten
            await _is_refused(memory, "forget", ben, name)
            answers.append(await count_facts(memory, ann, TOLD[3]) == 1)
    return any(answers) if answers else None


async def _is_refused(memory: Memory, method: str, *arguments: Any) -> bool:
    try:
        return await memory.client.call(method, *arguments) is None
    except StoreError:
        return True

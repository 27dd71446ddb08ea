"""The simplest use of each power over facts: whether it works when nothing goes wrong."""

from goldfish.catalogue.sequences.powers import Quiet
from goldfish.catalogue.support.facts import (
    ENOUGH,
    fetch_texts,
    read_metadata,
    read_text,
    recall_texts,
    remember,
    unpack_facts,
    unwrap_fact,
)
from goldfish.harness.memory import MISSING, field


async def remembers(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    if not client.has("remember") or not (client.has("list_facts") or client.has("recall")):
        return False
    one, two = "Ann lives in Berlin", "The cat is called Schnurri"
    await remember(client, user, one)
    await remember(client, user, two)
    if sorted(map(str, await fetch_texts(client, user, [one, two]))) != [one, two]:
        return False
    await remember(client, user, one)
    again = await fetch_texts(client, user, [one, two])
    quiet.decide(equal_facts_are_one=again.count(one) == 1)
    return True


async def returns_ids(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    answer = await client.call("remember", user, "Ann lives in Berlin")
    name = field(unwrap_fact(answer), "id") if answer is not None else MISSING
    return name not in (MISSING, None)


async def lists_facts(quiet: Quiet) -> bool:
    return quiet.client.has("list_facts")


async def revises(quiet: Quiet) -> bool:
    return await _changes_fact(quiet, "revise", ["Ann lives in Bonn"])


async def forgets(quiet: Quiet) -> bool:
    return await _changes_fact(quiet, "forget", [])


async def _changes_fact(quiet: Quiet, method: str, after: list[str]) -> bool:
    if not quiet.client.has(method):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    name = await remember(client, user, told)
    await client.call(method, user, name, *after)
    if method == "revise" and not quiet.memory.target.holds("steady_fact_ids"):
        return False
    return await fetch_texts(client, user, [told, *after]) == after


async def forgets_all(quiet: Quiet) -> bool:
    if not quiet.client.has("forget_all"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    await remember(client, user, told)
    await client.call("forget_all", user)
    return await fetch_texts(client, user, [told]) == []


async def gets_facts(quiet: Quiet) -> bool:
    if not quiet.client.has("get_fact"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    name = await remember(client, user, told)
    return bool(read_text(await client.call("get_fact", user, name)) == told)


async def recalls(quiet: Quiet) -> bool:
    if not quiet.client.has("recall", "limit"):
        return False
    client, user, told = quiet.client, quiet.memory.session("ann"), "Ann lives in Berlin"
    await remember(client, user, told)
    await remember(client, user, "The cat is called Schnurri")
    return told in await recall_texts(client, user, told, limit=ENOUGH)


async def pages(quiet: Quiet) -> bool:
    if not quiet.client.has("list_facts", "limit", "offset"):
        return False
    client, user = quiet.client, quiet.memory.session("ann")
    for text in ("Ann lives in Berlin", "The cat is called Schnurri", "The flat has a balcony"):
        await remember(client, user, text)
    whole = await fetch_texts(client, user)
    page = unpack_facts(await client.call("list_facts", user, limit=1, offset=1), "list_facts")
    return [read_text(each) for each in page] == whole[1:2]


async def filters(quiet: Quiet) -> bool:
    client, user = quiet.client, quiet.memory.session("ann")
    if quiet.memory.target.filters is None or not client.has("remember", "metadata"):
        return False
    if not client.has("list_facts", "filter"):
        return False
    await remember(client, user, "Ann lives in Berlin", metadata={"kind": "home", "n": 1})
    await remember(client, user, "The cat is called Schnurri", metadata={"kind": "pet", "n": 2})
    found = unpack_facts(
        await client.call("list_facts", user, filter={"kind": "pet"}), "list_facts"
    )
    metadata = [dict(read_metadata(each)) for each in found]
    return metadata == [{"kind": "pet", "n": 2}]

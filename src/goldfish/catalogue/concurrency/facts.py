"""CON: facts that are told, revised and refused at the same time do not harm each other."""

import asyncio
from contextlib import suppress
from itertools import cycle
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Reopening, check, method, trait
from goldfish.catalogue.support.facts import (
    ExpectedFacts,
    quote_facts,
    read_text,
    remember,
    unpack_facts,
)
from goldfish.catalogue.support.openings import (
    call_at_once,
    do_at_once,
    read_during,
    require_several_writers,
)
from goldfish.catalogue.support.sizes import choose_count
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory

TOWNS = ["Rome", "Lima", "Oslo", "Bonn", "Kyoto", "Cairo", "Quito", "Turku", "Perth", "Accra"]
ROUNDS = 10  # of a race that may be won


@check(
    "CON18",
    "Facts that three processes tell about one user at once are all known.",
    incident="modelcontextprotocol/servers issue 4797: two processes on one memory file discarded "
    "each other's writes; yvgude/lean-ctx issue 326: of seven facts told at once, two were left.",
    about="facts",
    needs=[OtherProcess],
)
async def processes_that_tell_at_once_lose_nothing(memory: Memory) -> None:
    require_several_writers(memory)
    facts, user = ExpectedFacts(memory), memory.session("ann")
    # One is of another program: what is forked from one hashes alike, as two replicas do not.
    clients = [await memory.elsewhere(), await memory.anew(), await memory.elsewhere()]
    try:
        await do_at_once(
            facts.tell(user, *(f"Client {place} was in {town}" for town in TOWNS[:5]), client=each)
            for place, each in enumerate(clients)
        )
        await facts.expect(user)
    except (StoreError, Violation):
        await _try_with_two(memory, clients[:2])
        raise


async def _try_with_two(memory: Memory, clients: list[Client]) -> None:
    """Raise what is lost where two processes tell one fact each: the smallest case."""
    for number in range(ROUNDS):
        facts, user = ExpectedFacts(memory), memory.session("ann")
        again = f" ({number + 1})" if number else ""  # no text twice: evidence goes by texts
        texts = [f"Ann was in {town}{again}" for town in TOWNS[:2]]
        telling = zip(clients, texts, strict=True)
        with suppress(StoreError):  # then the larger case is told
            await do_at_once(facts.tell(user, text, client=each) for each, text in telling)
            await facts.expect(user)


@check(
    "CON19",
    "Ten facts that one process tells at once are all known.",
    incident="agent0ai/agent-zero pull request 1536: two coroutines that stored at once left an "
    "index that did not match its documents, and every later turn failed.",
    about="facts",
)
async def facts_that_one_process_tells_at_once_are_all_kept(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    texts = [f"Ann has been to {town}" for town in TOWNS]
    await call_at_once(memory, [("remember", user, text) for text in texts])
    for text in texts:
        facts.note(user, text)
    await facts.expect(user)


@check(
    "CON20",
    "Facts told at the same time as some that cannot be stored are acknowledged and known.",
    incident="bobmatnyc/trusty-tools issue 27: one embedding that could not be stored made a "
    "batch of 128 files disappear.",
    about="facts",
    needs=[method("remember", "metadata")],
)
async def a_refused_neighbour_takes_nobody_down(memory: Memory) -> None:
    facts, user = ExpectedFacts(memory), memory.session("ann")
    callers = cycle(await memory.callers(4))
    good = [f"Ann has been to {town}" for town in TOWNS[:6]]
    bad = [f"This cannot be kept, {town}" for town in TOWNS[:6]]
    calls = []
    for at, (fine, poor) in enumerate(zip(good, bad, strict=True)):
        calls.append(next(callers).call("remember", user, fine, metadata={"n": at}))
        calls.append(next(callers).call("remember", user, poor, metadata={"odd": object()}))
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for text, answer in zip(good, answers[::2], strict=True):
        if isinstance(answer, StoreError):
            raise Violation(f"refused: {quote(text)}, beside facts that cannot be kept: {answer}")
        if isinstance(answer, BaseException):
            raise answer
        facts.note(user, text)
    for text, answer in zip(bad, answers[1::2], strict=True):
        if not isinstance(answer, BaseException):
            facts.note(user, text)  # FID35 is about whether it came back unchanged
    await facts.expect(user)


@check(
    "CON21",
    "While one process revises a fact, every read by another returns one version of it.",
    incident="ourmem/omem pull request 20: an update was a delete and then an add, committed one "
    "by one: a reader in between, or a crash there, lost the memory.",
    about="facts",
    needs=[OtherProcess, method("revise"), method("list_facts"), trait("steady_fact_ids")],
)
async def a_fact_under_revision_is_always_one(memory: Memory) -> None:
    require_several_writers(memory)
    user, here, other = memory.session("ann"), memory.client, await memory.elsewhere()
    versions = [f"Ann lives in {town}" for town in TOWNS]
    name = await remember(here, user, versions[0])
    revising = _revise(other, user, name, versions[1:])
    await read_during(revising, lambda: _expect_one_version(here, user, versions))
    await _expect_one_version(here, user, versions[-1:])


@check(
    "CON23",
    "Facts that eight tasks of one process tell at once are all known after a reopen.",
    incident="odysseus-dev/odysseus issue 1940: saves of one memory file that overlapped put an "
    "older copy back, and memories were erased; mem0ai/mem0 issue 4892: adding at once from "
    "several tasks left an index that did not match.",
    about="facts",
    needs=[Reopening],
)
async def facts_that_eight_tasks_tell_outlive_a_reopen(memory: Memory) -> None:
    facts, users = ExpectedFacts(memory), [memory.session("ann"), memory.session("ben")]
    each = await choose_count(memory, least=80, wanted=(160, 160)) // 8
    callers = await memory.callers(8)
    await do_at_once(
        facts.tell(
            users[place % 2],
            *(f"Task {place} saw bird {number}" for number in range(each)),
            client=client,
        )
        for place, client in enumerate(callers)
    )
    await facts.expect()
    await memory.reopen()
    await facts.expect()


async def _revise(client: Client, user: str, name: Any, versions: list[str]) -> None:
    for text in versions:
        await client.call("revise", user, name, text)


async def _expect_one_version(client: Client, user: str, versions: list[str]) -> None:
    listed = unpack_facts(await client.call("list_facts", user), "list_facts")
    found = [read_text(item) for item in listed]
    if not found:
        raise Violation(
            f"lost: while a fact of {quote(user)} was revised, a read did not return it"
        )
    if len(found) > 1:
        raise Violation(
            f"duplicated: while a fact of {quote(user)} was revised, a read returned {len(found)}",
            f"listed {quote_facts(found)}",
        )
    if found[0] not in versions:
        raise Violation(f"stale: the fact was revised, but a read returned {quote(found[0])}")

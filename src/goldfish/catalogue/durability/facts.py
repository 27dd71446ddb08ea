"""DUR, continued: a fact that was acknowledged outlives its process, and every process knows it."""

from goldfish.catalogue.registry import OtherProcess, Reopening, Server, check, method
from goldfish.catalogue.support.facts import ExpectedFacts, recall_texts, remember
from goldfish.catalogue.support.freshness import choose_writers
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.findings.comparison import quote
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory

FACTS = [
    "Ann lives in Berlin",
    "The cat is called Schnurri",
    "Order 8892 is a red bicycle",
    "Dinner with Tomasz is on Friday",
]
LATER = "The flat has a balcony"


@check(
    "DUR23",
    "Facts are there, and are recalled, after the store is closed and opened again.",
    incident=(
        "mem0ai 0.1.40 with its default on_disk=False deleted its folder on every open: three "
        "memories, a restart, none left."
    ),
    about="facts",
    needs=[Reopening],
    suite="smoke",
)
async def facts_survive_reopening(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    await knowledge.tell(user, *FACTS)
    await memory.reopen()
    await _expect_known(knowledge, user, memory.client)
    await knowledge.tell(user, LATER)
    await memory.reopen()
    await _expect_known(knowledge, user, memory.client)


@check(
    "DUR24",
    "A fact that one process was told is recalled by the next call of another that was open.",
    incident=(
        "chroma-core/chroma issue 3792: of what another process had added, get gave all and query "
        "nothing, until the process was started again."
    ),
    about="facts",
    needs=[OtherProcess],
    suite="smoke",
)
async def another_process_recalls_a_fact_at_once(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    here, other = memory.client, await memory.elsewhere()
    await knowledge.expect(user, client=other)  # so that what it keeps in memory is from before
    for place, text in enumerate(FACTS):
        teller = choose_writers(memory, here, other)[place % 2]
        await knowledge.tell(user, text, client=teller)
        for client in (here, other):
            await _expect_fresh(memory, knowledge, user, client)


@check(
    "DUR25",
    "What one process forgot or revised, another that was open gives back no more.",
    incident=(
        "MemPalace/mempalace issue 2002: a process kept its view of the index while another "
        "changed it, and with its next save wrote the old one over the new."
    ),
    about="facts",
    needs=[OtherProcess, method("forget")],
)
async def a_process_knows_what_others_forgot_or_revised(memory: Memory) -> None:
    knowledge, user, here = ExpectedFacts(memory), memory.session("ann"), memory.client
    names = {text: await remember(here, user, text) for text in FACTS}
    for text in FACTS:
        knowledge.note(user, text)
    other = await memory.elsewhere()
    await knowledge.expect(user, client=other)
    await here.call("forget", user, names[FACTS[0]])
    knowledge.drop(user, FACTS[0])
    await _expect_fresh(memory, knowledge, user, other)
    if here.has("revise"):
        await here.call("revise", user, names[FACTS[1]], LATER)
        knowledge.drop(user, FACTS[1])
        knowledge.note(user, LATER)
        await _expect_fresh(memory, knowledge, user, other)
    await _expect_fresh(memory, knowledge, user, here)


@check(
    "DUR26",
    "What a process was told is known after kill -9, and more can be told.",
    incident=(
        "rohitg00/agentmemory pull request 122: memories were written to disk when the process was "
        "asked to end; one that was killed had saved nothing."
    ),
    about="facts",
    needs=[OtherProcess],
)
async def facts_survive_a_kill(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    await memory.close()  # so that one that allows one opening at a time can be asked, too
    victim = await memory.elsewhere()
    await knowledge.tell(user, *FACTS, client=victim)
    memory.kill(victim)
    client = await memory.open()
    await _expect_known(knowledge, user, client)
    await knowledge.tell(user, LATER, client=client)
    client = await memory.reopen()
    await _expect_known(knowledge, user, client)


@check(
    "DUR27",
    "Facts that two processes told, one after the other had ended, are all known to a third.",
    incident=(
        "mem0ai 2.2.1 with faiss: of two processes one after the other, the memories of the first "
        "were gone."
    ),
    about="facts",
    needs=[OtherProcess],
)
async def facts_of_one_process_after_another_add_up(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    await memory.close()
    for text in FACTS[:2]:
        other = await memory.elsewhere()
        await knowledge.tell(user, text, client=other)
        await other.close()
    await _expect_known(knowledge, user, await memory.open())


@check(
    "DUR28",
    "After kill -9 of the server and a restart on its data, all facts are known.",
    incident=(
        "the Redis documentation on persistence: without an append-only file, what was written "
        "since the last snapshot is lost with the server."
    ),
    about="facts",
    needs=[Server],
    own_servers=True,
)
async def a_killed_server_still_has_the_facts(memory: Memory) -> None:
    knowledge, user = ExpectedFacts(memory), memory.session("ann")
    server = memory.sandbox.faults.server(memory.target.services[0])
    for text in FACTS[:3]:
        await knowledge.tell(user, text)
        with server.kill():
            pass
        client = await memory.open()
        with blame_forgetful_server(memory):
            await knowledge.expect(user, client=client)


async def _expect_known(knowledge: ExpectedFacts, user: str, client: Client) -> None:
    """Raise unless the facts are there, and a recall by its words gives each."""
    await knowledge.expect(user, client=client)
    if client.has("recall"):
        for text in knowledge.texts[user]:
            if text not in (found := await recall_texts(client, user, text)):
                raise Violation(f"lost: {quote(text)} is not recalled by its words", str(found))


async def _expect_fresh(
    memory: Memory, knowledge: ExpectedFacts, user: str, client: Client
) -> None:
    """Raise if the client does not know this; as stale, if a new process does."""
    try:
        await _expect_known(knowledge, user, client)
    except Violation as violation:
        if violation.finding not in {"lost", "resurrected", "corrupted"}:
            raise
        newcomer = await memory.elsewhere()
        await _expect_known(knowledge, user, newcomer)
        raise Violation(
            f"stale: {violation.summary}; a new process knows better", *violation.evidence
        ) from violation

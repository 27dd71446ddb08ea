"""DUR: what one process writes or removes is so for every other process at once."""

from goldfish.catalogue.registry import OtherProcess, Reopening, check, method
from goldfish.catalogue.support.facts import remember
from goldfish.catalogue.support.openings import choose_writers, expect_fresh, refill
from goldfish.catalogue.support.subjects import FACTS, Facts, Messages, State, Subject
from goldfish.harness.memory import Memory, contents_of


async def _write_by_turns(memory: Memory, subject: Subject, count: int = 1) -> None:
    """Let two open processes write by turns, and each read what both wrote."""
    here, other = memory.client, await memory.elsewhere()
    await subject.expect(other)  # whatever it caches is then from before the writes
    for turn in range(4):
        await subject.write(choose_writers(memory, here, other)[turn % 2], count)
        for client in (here, other):
            await subject.expect_fresh(client)


async def _write_one_after_the_other(memory: Memory, subject: Subject) -> None:
    """Let two processes write and end, one after the other, and a third opening read."""
    for _ in range(2):
        other = await memory.elsewhere()
        await subject.write(other, 3)
        await other.close()
    await subject.expect(await memory.open())


async def _restart(memory: Memory, subject: Subject) -> None:
    """Write, let a program that was started anew read and write, and read what both wrote."""
    await subject.write(memory.client, 3)
    await memory.close()
    fresh = await memory.anew()
    await subject.expect(fresh)
    await subject.write(fresh)
    await fresh.close()
    await subject.expect(await memory.open())


@check(
    "DUR03",
    "A second process reads every acknowledged message at once.",
    incident="langchain-core's InMemoryChatMessageHistory keeps messages in the process: behind "
    "two workers, every second question finds no history.",
    needs=[OtherProcess],
    suite="smoke",
    basic=True,
)
async def another_process_sees_what_was_acknowledged(memory: Memory) -> None:
    messages = Messages(memory)
    await messages.write(memory.client, 3)
    await messages.expect(await memory.elsewhere())


@check(
    "DUR14",
    "A process that has read a session sees what other processes write to it later.",
    incident="botframework-sdk issue 4776: with two worker processes, items cached in the memory "
    "of one were missing or old in the other.",
    needs=[OtherProcess],
    basic=True,
)
async def a_process_sees_what_others_wrote_since(memory: Memory) -> None:
    await _write_by_turns(memory, Messages(memory), 2)


@check(
    "DUR24",
    "A fact that one process was told is listed and recalled by another open process at once.",
    incident="chroma-core/chroma issue 3792: of what another process had added, get returned "
    "everything and query nothing, until the process was restarted.",
    about="facts",
    needs=[OtherProcess],
    suite="smoke",
)
async def another_process_recalls_a_fact_at_once(memory: Memory) -> None:
    await _write_by_turns(memory, Facts(memory))


@check(
    "DUR41",
    "A value that one process set is returned by another open process at once.",
    incident="BrainDAO/adk-ts issue 637: after an event had changed the state in the database, an "
    "open session still returned the old values.",
    about="state",
    needs=[OtherProcess],
    suite="smoke",
)
async def another_process_sees_a_value_at_once(memory: Memory) -> None:
    await _write_by_turns(memory, State(memory))


@check(
    "DUR11",
    "Messages that two processes wrote, one after the other, are there when both have ended.",
    incident="mem0ai 2.2.1 with faiss: when two processes wrote one after the other, the memories "
    "of the first were lost.",
    needs=[OtherProcess],
    basic=True,
)
async def what_an_ended_process_wrote_is_there(memory: Memory) -> None:
    await _write_one_after_the_other(memory, Messages(memory))


@check(
    "DUR27",
    "Facts that two processes were told, one after the other, are known when both have ended.",
    incident="mem0ai 2.2.1 with faiss: when two processes wrote one after the other, the memories "
    "of the first were lost.",
    about="facts",
    needs=[OtherProcess],
)
async def facts_of_one_process_after_another_add_up(memory: Memory) -> None:
    await memory.close()  # a store that allows one opening at a time can be asked, too
    await _write_one_after_the_other(memory, Facts(memory))


@check(
    "DUR44",
    "A program that was started anew has the messages of the run before, and that one has its own.",
    incident="the Python documentation on PYTHONHASHSEED: hash() of a text differs in every run, "
    "so a key, a shard or a file name made of it is found only by the run that wrote it.",
    needs=[Reopening],
    basic=True,
)
async def messages_survive_a_restart_of_the_program(memory: Memory) -> None:
    await _restart(memory, Messages(memory))


@check(
    "DUR45",
    "A program that was started anew knows the facts of the run before, and that one its own.",
    incident="the Python documentation on PYTHONHASHSEED: hash() of a text differs in every run; "
    "vectors that were made of it are compared with those of another run.",
    about="facts",
    needs=[Reopening],
)
async def facts_survive_a_restart_of_the_program(memory: Memory) -> None:
    await _restart(memory, Facts(memory))


@check(
    "DUR13",
    "Two processes that write by turns read the same history, in the order of the writes.",
    incident="langchain-core's InMemoryChatMessageHistory behind two workers: each has the half "
    "of the conversation that it happened to serve.",
    needs=[OtherProcess],
    basic=True,
)
async def processes_that_take_turns_share_one_order(memory: Memory) -> None:
    here, other, messages = memory.client, await memory.elsewhere(), Messages(memory)
    for turn in range(8):
        await messages.write(choose_writers(memory, here, other)[turn % 2], 1 + turn % 2)
    for client in (here, other):
        await messages.expect(client)


@check(
    "DUR15",
    "When one process clears a session, no process returns its messages or brings them back.",
    incident="luke pull request 589: a window that still had the conversation saved it again after "
    "another one had cleared it.",
    needs=[OtherProcess, method("clear")],
)
async def a_process_sees_what_others_cleared(memory: Memory) -> None:
    here, other = memory.client, await memory.elsewhere()
    session, batch = memory.session(), memory.messages(3)
    await here.add(session, batch)
    for client in (here, other):
        await client.expect(session, contents_of(batch))
    await choose_writers(memory, here, other)[1].call("clear", session)
    gone = contents_of(batch)
    for client in (here, other):
        await expect_fresh(memory, client, session, [], gone=gone, elsewhere=True)
    later = memory.messages(2)
    await here.add(session, later)
    for client in (here, other):
        await expect_fresh(memory, client, session, contents_of(later), gone=gone, elsewhere=True)
    gone += contents_of(later)
    later = await refill(memory, here, session, 2)
    await expect_fresh(memory, other, session, contents_of(later), gone=gone, elsewhere=True)


@check(
    "DUR25",
    "When one process forgets or revises a fact, no open process returns the old one.",
    incident="MemPalace/mempalace issue 2002: a process kept its view of the index while another "
    "changed it, and with its next save wrote the old index over the new one.",
    about="facts",
    needs=[OtherProcess, method("forget")],
)
async def a_process_knows_what_others_forgot_or_revised(memory: Memory) -> None:
    facts, here, later = Facts(memory), memory.client, FACTS[-1]
    user, known = facts.user, facts.known
    names = {text: await remember(here, user, text) for text in FACTS[:-1]}
    for text in names:
        known.note(user, text)
    other = await memory.elsewhere()
    await known.expect(user, client=other)
    await here.call("forget", user, names[FACTS[0]])
    known.drop(user, FACTS[0])
    await facts.expect_fresh(other)
    if here.has("revise"):
        await here.call("revise", user, names[FACTS[1]], later)
        known.drop(user, FACTS[1])
        known.note(user, later)
        await facts.expect_fresh(other)
    await facts.expect_fresh(here)

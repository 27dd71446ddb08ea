"""DUR: what was acknowledged survives kill -9 of its writers and of its server."""

from goldfish.catalogue.registry import OtherProcess, check, method, trait
from goldfish.catalogue.support.killing import Aim, kill_during
from goldfish.catalogue.support.servers import blame_forgetful_server, check_on_server, get_server
from goldfish.catalogue.support.sizes import draw_size
from goldfish.catalogue.support.subjects import Facts, Messages, State, Subject
from goldfish.catalogue.support.trials import Batch, LargeTrial
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, contents_of
from goldfish.stress.nemesis import add_pods, kill_all_pods, kill_pods
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

KILLS = 8
MANY = 60
WRITING = {"add": 8, "read": 2}


async def _kill_a_writer(memory: Memory, subject: Subject) -> None:
    """Let a process write, kill it, and go on reading and writing in another one."""
    victim = await memory.elsewhere()
    for count in (1, 1, 5):
        await subject.write(victim, count)
    memory.kill(victim)
    client = await memory.open()
    await subject.expect(client)
    await subject.write(client)
    await subject.expect(client)
    await subject.expect(await memory.reopen())


async def _kill_the_server(memory: Memory, subject: Subject) -> None:
    """Write, kill the server, restart it on its data and read, three times."""
    server = get_server(memory)
    for _ in range(3):
        for count in (1, 3):
            await subject.write(memory.client, count)
        with server.kill():
            pass
        client = await memory.open()
        with blame_forgetful_server(memory):
            await subject.expect(client)


@check(
    "DUR12",
    "Acknowledged messages survive kill -9 of the process that wrote them, and writing goes on.",
    incident="mem0ai 2.2.1 with faiss: 62 memories were acknowledged; after kill -9 and a restart "
    "there were none.",
    needs=[OtherProcess],
    suite="smoke",
    basic=True,
)
async def acknowledged_messages_survive_a_kill(memory: Memory) -> None:
    await _kill_a_writer(memory, Messages(memory))


@check(
    "DUR26",
    "Acknowledged facts survive kill -9 of the process that was told them, and telling goes on.",
    incident="rohitg00/agentmemory pull request 122: memories were written to disk when the "
    "process was asked to end; a process that was killed had saved nothing.",
    about="facts",
    needs=[OtherProcess],
)
async def facts_survive_a_kill(memory: Memory) -> None:
    await memory.close()  # a store that allows one opening at a time can be asked, too
    await _kill_a_writer(memory, Facts(memory))


@check(
    "DUR42",
    "Acknowledged values survive kill -9 of the process that set them, and setting goes on.",
    incident="agno-agi/agno issue 7317: a session was kept in memory until its run was complete; "
    "what happened before that was in no database.",
    about="state",
    needs=[OtherProcess],
)
async def values_survive_a_kill(memory: Memory) -> None:
    await memory.close()
    await _kill_a_writer(memory, State(memory))


@check(
    "DUR16",
    "Processes that are killed over and over while they write lose no acknowledged message.",
    incident="langchain-community 0.4.2 FileChatMessageHistory: kill -9 in the middle of a write "
    "left a file that no read could parse.",
    needs=[OtherProcess],
    basic=True,
)
async def killed_writers_lose_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=3, processes=4, batch=1, mix=WRITING, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=kill_pods)


@check(
    "DUR17",
    "A batch whose writer was killed is stored whole or not at all.",
    incident="langchain-community 0.4.2 RedisChatMessageHistory: a batch that failed half-way "
    "left the question without its answer.",
    needs=[OtherProcess, trait("whole_batches")],
    basic=True,
)
async def a_killed_writer_leaves_no_half_of_a_batch(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=8, mix={"add": 8, "read": 1}, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=kill_pods)


@check(
    "DUR18",
    "When all processes are killed at once, the next opening has every acknowledged message.",
    incident="canopy issue 24: a crash during a save left a file that decoded to nothing, and the "
    "next save made that permanent.",
    needs=[OtherProcess],
    basic=True,
)
async def a_power_cut_loses_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=3, processes=6, batch=1, mix=WRITING, operations=90)
    await withstand(memory, crowd, rounds=3, nemesis=kill_all_pods)


@check(
    "DUR19",
    "Processes killed while they trim and clear lose no message that was kept and restore none.",
    incident="agent-of-empires issue 3080: after a clear the worker was restarted, and the "
    "conversation from before the clear was back.",
    needs=[OtherProcess, method("clear")],
)
async def a_kill_during_removals_brings_nothing_back(memory: Memory) -> None:
    mix = {"add": 6, "read": 3, "clear": 1, "trim": 1}
    crowd = Workload(pods=3, processes=4, batch=1, mix=mix)
    await withstand(memory, crowd, rounds=4, nemesis=kill_pods)


@check(
    "DUR20",
    "A process that starts while others write reads every acknowledged message at once.",
    incident="jcode issue 1065: the file of a running session was hours behind the conversation, "
    "and complete only after the process had ended in good order.",
    needs=[OtherProcess],
    basic=True,
)
async def a_new_process_sees_everything_at_once(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, sessions=2, batch=1, operations=48)
    await withstand(memory, crowd, rounds=2, nemesis=add_pods)


@check(
    "DUR21",
    "Processes killed while they open a new storage leave one that can be opened and used.",
    incident="kern-ai issue 300: a process killed during its first write left an empty file, and "
    "every start after that crashed on it.",
    needs=[OtherProcess],
    basic=True,
)
async def a_kill_during_the_first_opening_leaves_a_usable_storage(memory: Memory) -> None:
    for _ in range(6):
        async with memory.afresh() as fresh:
            await fresh.kill_while_opening(3)
            client, messages = await fresh.open(), Messages(fresh)
            await messages.write(client, 2)
            await messages.expect(client)


@check_on_server(
    "DUR22",
    "After kill -9 of the server and a restart on its data, every acknowledged message is there.",
    incident="the Redis documentation on persistence: with appendfsync everysec, what was "
    "acknowledged in the second before a crash is lost.",
    basic=True,
)
async def a_killed_server_has_what_was_acknowledged(memory: Memory) -> None:
    await _kill_the_server(memory, Messages(memory))


@check_on_server(
    "DUR28",
    "After kill -9 of the server and a restart on its data, every acknowledged fact is there.",
    incident="the Redis documentation on persistence: without an append-only file, what was "
    "written since the last snapshot is lost with the server.",
    about="facts",
)
async def a_killed_server_still_has_the_facts(memory: Memory) -> None:
    await _kill_the_server(memory, Facts(memory))


@check_on_server(
    "DUR43",
    "After kill -9 of the server and a restart on its data, every acknowledged value is there.",
    incident="the Redis documentation on persistence: without an append-only file, what was "
    "written since the last snapshot is lost with the server.",
    about="state",
)
async def a_killed_server_still_has_the_values(memory: Memory) -> None:
    await _kill_the_server(memory, State(memory))


@check(
    "DUR36",
    "A kill amid a large message, or a session's first one, loses no other and leaves all usable.",
    incident="github/copilot-cli issue 4098: a writer that was ended in the middle of an event "
    "left half a line; the next event was written behind it, and the session could not be resumed.",
    needs=[OtherProcess],
    basic=True,
)
async def a_kill_amid_a_large_message_bricks_no_session(memory: Memory) -> None:
    known, aim = await LargeTrial.begin(memory), Aim(memory)
    known.size, known.amid = draw_size(memory, 20_000, 400_000), "kill -9"
    quiet = memory.session("undisturbed"), known.make_batch(MANY)
    try:
        await aim.measure(memory.client, "add_messages", *quiet)
        await memory.client.expect(quiet[0], contents_of(quiet[1]))
    except (StoreError, Violation) as error:
        raise UnsupportedError(
            Reason.stated("large batches are not kept even if nobody is killed")
        ) from error
    for turn in range(round(KILLS * memory.effort)):
        trial = known if turn % 2 else LargeTrial(memory)
        trial.size, trial.amid, trial.missing = known.size, "kill -9", "lost"
        # One large message, or so many that writing them takes more than one step.
        batch = trial.make_batch(MANY if turn % 4 else 1)
        call = "add_messages", trial.session, batch
        answered, _ = await kill_during(memory, aim, *call)
        trial.batches.append(Batch(contents_of(batch), answered, trial.amid))
        trial.amid = ""
        trial.client = await memory.open()
        await trial.read(strict=True)
        await trial.write(strict=True)
        await trial.read(strict=True)

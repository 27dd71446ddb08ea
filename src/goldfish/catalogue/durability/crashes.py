"""DUR, continued: what was acknowledged outlives kill -9 of its writer and of its server."""

from goldfish.catalogue.registry import OtherProcess, Server, check, method
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.harness.memory import Memory, contents_of
from goldfish.stress.nemesis import adding_pods, killing_all_pods, killing_pods
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

WRITING = {"add": 8, "read": 2}


@check(
    "DUR16",
    "Processes are killed again and again while they write; nothing acknowledged is lost.",
    incident=(
        "langchain-community 0.4.2 FileChatMessageHistory: kill -9 in the middle of a write left a "
        "file that no read could parse."
    ),
    needs=[OtherProcess],
)
async def killed_writers_lose_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=3, processes=4, batch=1, mix=WRITING, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=killing_pods)


@check(
    "DUR17",
    "A batch whose writer was killed is there as a whole or not at all.",
    incident=(
        "langchain-community 0.4.2 RedisChatMessageHistory: a batch that failed half-way left the "
        "question without its answer."
    ),
    needs=[OtherProcess],
)
async def a_killed_writer_leaves_no_half_of_a_batch(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=8, mix={"add": 8, "read": 1}, operations=60)
    await withstand(memory, crowd, rounds=4, nemesis=killing_pods)


@check(
    "DUR18",
    "All processes are killed at once while they write; what opens next has all of it.",
    incident=(
        "canopy issue 24: a crash during a save left a file that decoded to nothing, and the next "
        "save made that permanent."
    ),
    needs=[OtherProcess],
)
async def a_power_cut_loses_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=3, processes=6, batch=1, mix=WRITING, operations=90)
    await withstand(memory, crowd, rounds=3, nemesis=killing_all_pods)


@check(
    "DUR19",
    "Killed while they trim and clear, processes leave what was kept, and nothing that was not.",
    incident=(
        "agent-of-empires issue 3080: after a clear the worker was restarted, and the conversation "
        "from before it was there again."
    ),
    needs=[OtherProcess, method("clear")],
)
async def a_kill_during_removals_brings_nothing_back(memory: Memory) -> None:
    mix = {"add": 6, "read": 3, "clear": 1, "trim": 1}
    crowd = Workload(pods=3, processes=4, batch=1, mix=mix)
    await withstand(memory, crowd, rounds=4, nemesis=killing_pods)


@check(
    "DUR20",
    "A process that starts while others write reads at once all that was acknowledged.",
    incident=(
        "jcode issue 1065: the file of a running session was hours behind the conversation, and "
        "complete only after the process had ended in good order."
    ),
    needs=[OtherProcess],
)
async def a_new_process_sees_everything_at_once(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, sessions=2, batch=1, operations=48)
    await withstand(memory, crowd, rounds=2, nemesis=adding_pods)


@check(
    "DUR21",
    "Processes killed while they open a new storage leave one that others can open and use.",
    incident=(
        "kern-ai issue 300: a process killed during its first write left an empty file, and every "
        "start after that crashed on it."
    ),
    needs=[OtherProcess],
)
async def a_kill_during_the_first_opening_leaves_a_usable_storage(memory: Memory) -> None:
    for _ in range(6):
        async with memory.afresh() as fresh:
            await fresh.kill_while_opening(3)
            client, session, batch = await fresh.open(), fresh.session(), fresh.messages(2)
            await client.add(session, batch)
            await client.expect(session, contents_of(batch))


@check(
    "DUR22",
    "After kill -9 of the server and a restart on its data, all that was acknowledged is there.",
    incident=(
        "the Redis documentation on persistence: with appendfsync everysec, the second before a "
        "crash is lost though it was acknowledged."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_killed_server_has_what_was_acknowledged(memory: Memory) -> None:
    server = memory.sandbox.faults.server(memory.target.services[0])
    session, there = memory.session(), list[object]()
    for _ in range(3):
        for size in (1, 1, 3):
            batch = memory.messages(size)
            await memory.client.add(session, batch)
            there += contents_of(batch)
        with server.kill():
            pass
        client = await memory.open()
        with blame_forgetful_server(memory):
            await client.expect(session, there)

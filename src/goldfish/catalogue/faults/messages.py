"""FLT: what is wrong with the network, the server or the disk is told, survived, and over after."""

from collections.abc import Callable
from pathlib import Path

from goldfish.catalogue.registry import OtherProcess, Reopening, Retries, Server, check, service
from goldfish.catalogue.support.adversity import BRIEF, Adversity, list_files, wait_for_recovery
from goldfish.catalogue.support.persistence import blame_forgetful_server
from goldfish.findings.result import Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import Memory, OpeningError, contents_of
from goldfish.harness.pods import Pod
from goldfish.stress.nemesis import cutting_connections, killing_server
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload
from goldfish.world.faults import Fault, PostgresFaults, Proxy, RedisFaults

WRITING = {"add": 8, "read": 3}


def _network(memory: Memory) -> Proxy:
    return memory.sandbox.faults.network(memory.target.services[0])


def _server(memory: Memory) -> RedisFaults | PostgresFaults:
    return memory.sandbox.faults.server(memory.target.services[0])


async def _survive(
    memory: Memory, begin: Callable[[], Fault], *, patience: float | None = None, times: int = 1
) -> None:
    """Live through a fault: nothing lies while it lasts, and all is well once it is over."""
    story = await Adversity.prepared(memory)
    for _ in range(times):
        await story.during(begin, patience=patience)
        await story.recover()


@check(
    "FLT01",
    "While nobody answers at the server's port, no call looks like success or an empty memory.",
    incident=(
        "the goldfish bot: the pool to Redis was exhausted, a save returned without saving, and "
        "the next turn began with an empty history."
    ),
    needs=[Server],
    own_servers=True,
    suite="smoke",
)
async def a_server_that_cannot_be_reached_is_an_error(memory: Memory) -> None:
    await _survive(memory, _network(memory).refuse)


@check(
    "FLT02",
    "Connections that are reset, also new ones, cost at most errors, and only while it lasts.",
    incident=(
        "redis-py 8.1 does not notice that the server closed an idle connection while it waits for "
        "maintenance notices, its default: the next command fails."
    ),
    needs=[Server],
    own_servers=True,
)
async def connections_that_are_reset_lose_nothing(memory: Memory) -> None:
    await _survive(memory, _network(memory).reset, times=2)


@check(
    "FLT03",
    "While nothing passes, no call returns; afterwards everything acknowledged is there.",
    incident=(
        "the redis-py documentation: without socket_timeout a call on a silent connection waits "
        "for ever."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_silent_network_is_not_an_empty_memory(memory: Memory) -> None:
    await _survive(memory, _network(memory).hang, patience=BRIEF)


@check(
    "FLT04",
    "On a slow network calls succeed, also at once, and each gets its own answer.",
    incident=(
        "redis-py issue 2624 and OpenAI's report of 20 March 2023: after a cancelled call, a "
        "connection gave the answer for one user to the next."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_slow_network_changes_no_answer(memory: Memory) -> None:
    with _network(memory).delay(0.02):
        story = await Adversity.prepared(memory)
        await story.write(3, strict=True)
        await story.read(strict=True)
        await withstand(memory, Workload(pods=0, sessions=4, operations=24, batch=2), rounds=1)


@check(
    "FLT05",
    "Replies that arrive a few bytes at a time are read as the whole that they are.",
    incident=(
        "TCP is a stream, as RFC 9293 says: a reader that takes one recv for one answer works "
        "until an answer is longer than a packet."
    ),
    needs=[Server],
    own_servers=True,
)
async def answers_in_pieces_are_put_together(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    with _network(memory).trickle():
        for size in (1, 12):
            await story.write(size, strict=True)
            await story.read(strict=True)


@check(
    "FLT06",
    "A write that reached the server, and whose answer was lost, is there whole, once or not.",
    incident=(
        "a client that sends a command again after a lost connection, as redis.Redis(host=…) of "
        "redis-py 8.1 does, runs an RPUSH twice: the message is there twice."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_write_whose_answer_was_lost_happens_at_most_once(memory: Memory) -> None:
    network = _network(memory)
    story = await Adversity.prepared(memory)
    for skip in range(5):
        await story.during(lambda skip=skip: network.cut_before_reply(skip=skip))  # type: ignore[misc]
        await story.recover()


@check(
    "FLT07",
    "A caller that sends a batch again because its answer was lost finds it there once.",
    incident=(
        "Amazon documents that a standard SQS queue delivers at least once: the turn that a worker "
        "had stored before it lost its connection is stored by the next one again."
    ),
    needs=[Server, Retries],
    own_servers=True,
)
async def a_retry_after_a_lost_answer_is_stored_once(memory: Memory) -> None:
    network, client = _network(memory), memory.client
    for skip in range(4):
        session, batch = memory.session(), memory.messages(2)
        await client.expect(session, [])  # so that there is a connection to be cut
        with network.cut_before_reply(skip=skip):
            await client.offer(session, batch)
        await Adversity(memory, client, memory.session()).recover()
        await client.add(session, batch)
        await client.expect(session, contents_of(batch))


@check(
    "FLT08",
    "A read whose answer is cut off in the middle raises or is whole, never a shorter history.",
    incident=(
        "RFC 9112 section 8: an answer that ends before its announced length is incomplete, and a "
        "reader that ignores the length takes it for the whole."
    ),
    needs=[Server],
    own_servers=True,
)
async def half_an_answer_is_never_taken_for_a_whole(memory: Memory) -> None:
    network = _network(memory)
    story = await Adversity.prepared(memory)
    await story.write(40, strict=True)
    for after, skip in ((1, 0), (200, 0), (1500, 0), (200, 1), (200, 2)):
        with network.cut_in_reply(after_bytes=after, skip=skip) as fault:
            story.amid = fault.what
            await story.read()
        story.amid = ""
        await story.recover()


@check(
    "FLT09",
    "When connections went dead without a word, an opening made afterwards works.",
    incident=(
        "the Linux default of tcp_retries2 lets a dead connection live for some fifteen minutes: a "
        "pool that is shared by all goes on handing it out."
    ),
    needs=[Server, Reopening],
    own_servers=True,
)
async def dead_connections_do_not_stop_a_new_opening(memory: Memory) -> None:
    old = await Adversity.prepared(memory)
    with _network(memory).half_open():
        await old.read(patience=BRIEF)
        old.client.abandon()
        client = await memory.open()
        new = await Adversity.prepared(memory, client)
        await new.recover()
        await client.expect(old.session, old.log[0].contents + old.log[1].contents)


@check(
    "FLT10",
    "A server that hangs up on idle connections costs no message and no lasting error.",
    incident=(
        "the Redis setting timeout, and most load balancers, close idle connections: the first "
        "user of the morning gets the error."
    ),
    needs=[Server],
    own_servers=True,
)
async def connections_closed_while_idle_are_replaced(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    for _ in range(3):
        _network(memory).cut()
        await story.recover()


@check(
    "FLT11",
    "While the server is dead calls raise; once it is back, the store works and has everything.",
    incident=(
        "claude-mem issue 2821: a write that the database refused was answered with an error that "
        "nobody looked at, some 24 times a day, and none was tried again."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_dead_server_is_an_error_and_no_loss(memory: Memory) -> None:
    with blame_forgetful_server(memory):
        await _survive(memory, _server(memory).kill)


@check(
    "FLT12",
    "A server that stands still for a while and goes on has lost nothing, and doubled nothing.",
    incident=(
        "the Redis documentation on latency: a fork for a snapshot can stop a server for a second "
        "and more."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_server_that_stops_answering_is_waited_for(memory: Memory) -> None:
    await _survive(memory, _server(memory).pause, patience=BRIEF)


@check(
    "FLT13",
    "Connections are cut again and again while several processes write: nothing is lost.",
    incident=(
        "a client that opens a new connection and sends its last command again cannot know whether "
        "the old one arrived: redis.Redis(host=…) of redis-py 8.1 does so up to ten times."
    ),
    needs=[Server, OtherProcess],
    own_servers=True,
)
async def cut_connections_lose_and_double_nothing_under_load(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=2, mix=WRITING, operations=60)
    await withstand(memory, crowd, rounds=3, nemesis=wait_for_recovery(cutting_connections))


@check(
    "FLT14",
    "A server that is killed and restarted under load keeps all that was acknowledged.",
    incident=(
        "the Redis documentation on persistence: without an append-only file a restart brings back "
        "the last snapshot, and everything since is gone."
    ),
    needs=[Server, OtherProcess],
    own_servers=True,
)
async def a_server_killed_under_load_loses_nothing_acknowledged(memory: Memory) -> None:
    crowd = Workload(pods=2, processes=4, batch=2, mix=WRITING, operations=80)
    with blame_forgetful_server(memory):
        await withstand(memory, crowd, rounds=2, nemesis=wait_for_recovery(killing_server))


@check(
    "FLT15",
    "While the server takes no more connections calls raise; afterwards all is well.",
    incident=(
        'pgbouncer and PostgreSQL answer "too many clients already" when all places are taken; the '
        "goldfish bot took such an answer for an empty history."
    ),
    needs=[Server],
    own_servers=True,
)
async def a_server_without_free_connections_is_an_error(memory: Memory) -> None:
    await _survive(memory, _server(memory).exhausted_connections)


@check(
    "FLT16",
    "On a server that has taken over empty, what is acknowledged is kept, and an opening works.",
    incident=(
        "the Redis documentation on EVALSHA: scripts are gone after a restart or a failover, and a "
        "client must load them again on NOSCRIPT."
    ),
    needs=[Server, Reopening],
    own_servers=True,
)
async def a_failover_to_an_empty_server_is_survived(memory: Memory) -> None:
    await Adversity.prepared(memory)
    with _server(memory).failover_to_empty():
        old = Adversity(memory, memory.client, memory.session())
        await old.write()
        await old.read()
        new = Adversity(memory, await memory.open(), memory.session())
        await new.recover()
        await new.write(3, strict=True)
        await new.read(strict=True)


@check(
    "FLT17",
    "When Redis has no memory left a write raises and leaves no part; reads go on.",
    incident=(
        "the Redis documentation on maxmemory: with noeviction, commands that need memory fail "
        "with an OOM error, others in the same pipeline do not."
    ),
    needs=[service("redis")],
    own_servers=True,
)
async def a_redis_without_memory_refuses_loudly(memory: Memory) -> None:
    redis = memory.sandbox.faults.server("redis")
    await _survive(memory, redis.out_of_memory, times=2)


@check(
    "FLT18",
    "When the Redis that is reached is a replica, a write raises; afterwards writes work.",
    incident=(
        "after a failover behind a fixed address, clients write to the old primary: the Redis "
        "documentation gives READONLY as the answer they get."
    ),
    needs=[service("redis")],
    own_servers=True,
)
async def a_read_only_redis_refuses_loudly(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("redis").read_only)


@check(
    "FLT19",
    "A write that waits through CLIENT PAUSE happens once, whole, or is an error.",
    incident=(
        "the Redis documentation on CLIENT PAUSE: it is how a controlled failover makes clients "
        "wait, so a write is answered late and may be sent again."
    ),
    needs=[service("redis")],
    own_servers=True,
)
async def a_redis_that_pauses_its_clients_is_waited_for(memory: Memory) -> None:
    redis = memory.sandbox.faults.server("redis")
    await _survive(memory, lambda: redis.client_pause(0.3), patience=BRIEF / 2)


@check(
    "FLT20",
    "When Redis has forgotten its scripts, no caller notices.",
    incident=(
        "the Redis documentation on SCRIPT FLUSH and EVALSHA: a client that keeps only the digest "
        "gets NOSCRIPT for ever."
    ),
    needs=[service("redis")],
    own_servers=True,
)
async def forgotten_scripts_are_loaded_again(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    memory.sandbox.faults.server("redis").forget_scripts()
    await story.write(2, strict=True)
    await story.read(strict=True)


@check(
    "FLT21",
    "Sessions that an administrator ended cost no message and no lasting error.",
    incident=(
        "the PostgreSQL documentation on pg_terminate_backend: the client learns of it with its "
        "next command, which fails."
    ),
    needs=[service("postgres")],
    own_servers=True,
)
async def ended_sessions_of_postgres_are_replaced(memory: Memory) -> None:
    postgres = memory.sandbox.faults.server("postgres")
    await _survive(memory, postgres.terminate_backends, times=3)


@check(
    "FLT22",
    "When PostgreSQL is read-only a write raises, reads go on, and afterwards writes work.",
    incident=(
        "the PostgreSQL documentation on hot standby: after a failover the old address may lead to "
        "a server that only reads."
    ),
    needs=[service("postgres")],
    own_servers=True,
)
async def a_read_only_postgres_refuses_loudly(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("postgres").read_only)


@check(
    "FLT23",
    "A write that the server cancels raises and leaves no part, and the connection works on.",
    incident=(
        "the PostgreSQL documentation: after an error a transaction accepts nothing more until it "
        'is rolled back: "current transaction is aborted".'
    ),
    needs=[service("postgres")],
    own_servers=True,
)
async def a_statement_that_times_out_leaves_nothing_behind(memory: Memory) -> None:
    postgres = memory.sandbox.faults.server("postgres")
    await _survive(memory, lambda: postgres.statement_timeout(0.1))


@check(
    "FLT24",
    "When the disk is full a write raises and leaves no part; with room again, all is well.",
    incident=(
        "opencode issue 7607: the disk ran full in a session, two files of it were left with no "
        "bytes, and the session could not be opened any more."
    ),
    needs=[OtherProcess],
)
async def a_full_disk_is_an_error_and_no_loss(memory: Memory) -> None:
    await _expect_files(memory)
    await memory.close()
    story = await Adversity.prepared(memory, await memory.elsewhere())
    pod = story.client.opened
    assert isinstance(pod, Pod)
    disk = memory.sandbox.faults.disk
    # None at all, about enough for one more message, and enough for what fits beside the rest.
    for allowance in (0, list_files(memory)[0].stat().st_size + 300, 20_000):
        await story.during(lambda allowance=allowance: disk.full(pod.pid, allowance))  # type: ignore[misc]
        await story.recover()
    fresh = await memory.open()
    story.compare(await fresh.contents(story.session))


@check(
    "FLT25",
    "What cannot be written because of permissions is refused loudly, and is not lost before.",
    incident=(
        "memorix issue 291: without write access the store fell back to a mode that stored "
        "nothing, and told nobody."
    ),
    needs=[Reopening],
)
async def a_read_only_directory_is_an_error(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    list_files(memory)
    await story.during(lambda: memory.sandbox.faults.disk.read_only_directory(memory.sandbox.path))
    await story.recover()


@check(
    "FLT26",
    "While another process has locked the file, a call waits or raises; afterwards all is well.",
    incident=(
        'mem0 issue 7196: a reader of the same file made writes fail with "database is locked", '
        "and what they carried was lost."
    ),
    needs=[Reopening],
)
async def a_file_locked_by_others_is_an_error_or_a_wait(memory: Memory) -> None:
    story = await Adversity.prepared(memory)
    largest = list_files(memory)[0]
    await story.during(lambda: memory.sandbox.faults.disk.locked(largest), patience=BRIEF)
    await story.recover()


@check(
    "FLT27",
    "A file that has lost its second half is an error, or whole: it is not a shorter memory.",
    incident=(
        "canopy issue 24: a file that was cut off decoded to nothing, the program showed an empty "
        "list, and the next save made it permanent."
    ),
    needs=[Reopening],
)
async def a_truncated_file_is_not_an_empty_memory(memory: Memory) -> None:
    disk = memory.sandbox.faults.disk
    await _harmed(memory, lambda path: disk.truncated(path, 0.5), "lost its second half")


@check(
    "FLT28",
    "A file whose bytes are nonsense is an error, never an empty memory.",
    incident=(
        "claude-code issue 59811: after a crash a session's file held nothing but zeros, and the "
        "session was gone from every list without a word."
    ),
    needs=[Reopening],
)
async def a_file_full_of_nonsense_is_not_an_empty_memory(memory: Memory) -> None:
    disk = memory.sandbox.faults.disk
    await _harmed(memory, lambda path: disk.damaged(path, 1, flips=1 << 20), "is full of nonsense")


async def _expect_files(memory: Memory) -> None:
    """Go on only with a store that keeps files."""
    await memory.client.add(memory.session(), memory.messages(1))
    list_files(memory)


async def _harmed(memory: Memory, harm: Callable[[Path], Fault], what: str) -> None:
    """Harm the files of a closed store, and look what the next opening makes of them."""
    session, batch = memory.session(), memory.messages(40)
    await memory.client.add(session, batch)
    await memory.close()
    for path in list_files(memory):
        harm(path)
    try:
        found = await (await memory.open()).contents(session)
    except (StoreError, OpeningError):
        return
    if found != contents_of(batch):
        raise Violation(
            f"swallowed: a file that {what} was opened without an error, and "
            f"{len(found)} of {len(batch)} messages were given back"
        )

"""FLT: a server that is down, frozen, full or read-only costs errors, and no more."""

from functools import partial

from goldfish.catalogue.registry import Reopening, Server
from goldfish.catalogue.support.servers import (
    blame_forgetful_server,
    check_on_postgres,
    check_on_redis,
    check_on_server,
    get_server,
)
from goldfish.catalogue.support.trials import (
    BRIEF,
    Begin,
    FactTrial,
    MessageTrial,
    StateTrial,
    Trial,
)
from goldfish.harness.memory import Memory


async def _survive_restart(memory: Memory, trial: type[Trial]) -> None:
    with blame_forgetful_server(memory):
        await (await trial.begin(memory)).survive(get_server(memory).kill)


async def _survive(memory: Memory, begin: Begin, *, times: int = 1) -> None:
    trial = await MessageTrial.begin(memory)
    for _ in range(times):
        await trial.survive(begin)


@check_on_server(
    "FLT11",
    "While the server is down, no history looks empty; once it is back, the same client works.",
    incident="claude-mem issue 2821: a write that the database refused was answered with an error "
    "that nobody looked at, about 24 times a day, and none was tried again.",
)
async def a_dead_server_is_an_error_and_no_loss(memory: Memory) -> None:
    await _survive_restart(memory, MessageTrial)


@check_on_server(
    "FLT30",
    "While the server is down, no user looks unknown; once it is back, the same client works.",
    incident="agent0ai/agent-zero issue 615: a memory search that failed ended the turn with an "
    "error, which went away for a while and came back.",
    about="facts",
)
async def a_restarted_server_is_found_again(memory: Memory) -> None:
    await _survive_restart(memory, FactTrial)


@check_on_server(
    "FLT41",
    "While the server is down, no value looks unset; once it is back, the same client works.",
    incident="astrid-runtime/astrid issue 257: any error of the store, even a passing one, reset "
    "the state of a session.",
    about="state",
)
async def values_are_found_again_on_a_restarted_server(memory: Memory) -> None:
    await _survive_restart(memory, StateTrial)


@check_on_server(
    "FLT12",
    "A server that freezes and then goes on has lost and duplicated nothing.",
    incident="the Redis documentation on latency: a fork for a snapshot can stop a server for a "
    "second or more.",
)
async def a_server_that_stops_answering_is_waited_for(memory: Memory) -> None:
    await (await MessageTrial.begin(memory)).survive(get_server(memory).pause, patience=BRIEF)


@check_on_server(
    "FLT15",
    "While the server accepts no more connections, no history looks empty; afterwards all works.",
    incident='pgbouncer and PostgreSQL answer "too many clients already" when all connections are '
    "taken; the goldfish bot took such an answer for an empty history.",
)
async def a_server_without_free_connections_is_an_error(memory: Memory) -> None:
    await _survive(memory, get_server(memory).exhausted_connections)


@check_on_server(
    "FLT16",
    "After a failover to an empty server, a new opening works and keeps what it acknowledges.",
    incident="the Redis documentation on EVALSHA: scripts are gone after a restart or a failover, "
    "and a client must load them again on NOSCRIPT.",
    needs=[Server, Reopening],
)
async def a_failover_to_an_empty_server_is_survived(memory: Memory) -> None:
    await MessageTrial.begin(memory)
    with get_server(memory).failover_to_empty():
        old = MessageTrial(memory)
        await old.write(2)
        await old.read()
        new = MessageTrial(memory, await memory.open())
        await new.recover()
        await new.write(3, strict=True)
        await new.read(strict=True)


@check_on_redis(
    "FLT17",
    "While Redis is out of memory, a batch is stored whole or fails; afterwards writes work.",
    incident="the Redis documentation on maxmemory: with noeviction, commands that need memory "
    "fail with an OOM error, while others in the same pipeline succeed.",
)
async def a_redis_without_memory_refuses_loudly(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("redis").out_of_memory, times=2)


@check_on_redis(
    "FLT18",
    "While Redis is a read-only replica, no write is falsely acknowledged; afterwards writes work.",
    incident="after a failover behind a fixed address, clients write to the old primary: the Redis "
    "documentation gives READONLY as the answer they get.",
)
async def a_read_only_redis_refuses_loudly(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("redis").read_only)


@check_on_redis(
    "FLT19",
    "A batch delayed by CLIENT PAUSE is stored once and whole, or not at all.",
    incident="the Redis documentation on CLIENT PAUSE: a controlled failover makes clients wait "
    "with it, so a write is answered late and may be sent again.",
)
async def a_redis_that_pauses_its_clients_is_waited_for(memory: Memory) -> None:
    pause = partial(memory.sandbox.faults.server("redis").client_pause, 0.3)
    await (await MessageTrial.begin(memory)).survive(pause, patience=BRIEF / 2)


@check_on_redis(
    "FLT20",
    "When Redis has forgotten its scripts, writes and reads still succeed.",
    incident="the Redis documentation on SCRIPT FLUSH and EVALSHA: a client that keeps only the "
    "digest gets NOSCRIPT for ever.",
)
async def forgotten_scripts_are_loaded_again(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    memory.sandbox.faults.server("redis").forget_scripts()
    await trial.write(2, strict=True)
    await trial.read(strict=True)


@check_on_postgres(
    "FLT21",
    "When PostgreSQL terminates its sessions, the store loses no message and reconnects.",
    incident="the PostgreSQL documentation on pg_terminate_backend: the client learns of it with "
    "its next command, which fails.",
)
async def ended_sessions_of_postgres_are_replaced(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("postgres").terminate_backends, times=3)


@check_on_postgres(
    "FLT22",
    "While PostgreSQL is read-only, no write is falsely acknowledged; afterwards writes work.",
    incident="the PostgreSQL documentation on hot standby: after a failover the old address may "
    "lead to a server that is read-only.",
)
async def a_read_only_postgres_refuses_loudly(memory: Memory) -> None:
    await _survive(memory, memory.sandbox.faults.server("postgres").read_only)


@check_on_postgres(
    "FLT23",
    "A write that hits the statement timeout leaves no part behind, and later calls succeed.",
    incident="the PostgreSQL documentation: after an error a transaction accepts nothing more "
    'until it is rolled back: "current transaction is aborted".',
)
async def a_statement_that_times_out_leaves_nothing_behind(memory: Memory) -> None:
    await _survive(memory, partial(memory.sandbox.faults.server("postgres").statement_timeout, 0.1))

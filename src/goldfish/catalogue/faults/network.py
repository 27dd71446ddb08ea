"""FLT: a network that refuses, resets, delays, cuts or drops costs errors, and no more."""

from functools import partial

from goldfish.catalogue.registry import Reopening, Retries, Server, method
from goldfish.catalogue.support.servers import check_on_server, get_network
from goldfish.catalogue.support.trials import (
    BRIEF,
    FactByIdTrial,
    FactTrial,
    MessageTrial,
    StateTrial,
    Trial,
)
from goldfish.harness.memory import Memory, contents_of
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload


async def _survive_refusal(memory: Memory, trial: type[Trial]) -> None:
    await (await trial.begin(memory)).survive(get_network(memory).refuse)


@check_on_server(
    "FLT01",
    "While the server is unreachable, no write is falsely acknowledged and no history looks empty.",
    incident="the goldfish bot: the pool to Redis was exhausted, a save returned without saving, "
    "and the next turn began with an empty history.",
    suite="smoke",
)
async def a_server_that_cannot_be_reached_is_an_error(memory: Memory) -> None:
    await _survive_refusal(memory, MessageTrial)


@check_on_server(
    "FLT29",
    "While the server is unreachable, no user looks unknown; afterwards the same client works.",
    incident="xorbitsai/xagent pull request 2047: a search that failed in the database was "
    "returned as a success without memories, so the agent said that it knew nothing.",
    about="facts",
    suite="smoke",
)
async def a_memory_that_cannot_be_reached_is_an_error(memory: Memory) -> None:
    await _survive_refusal(memory, FactTrial)


@check_on_server(
    "FLT32",
    "While the server is unreachable, no fact that is known looks unknown by its id.",
    incident="ASKBOT/askbot-devel pull request 307: while the connection to the cache failed, get "
    "returned None, also for a value that had just been set.",
    about="facts",
    needs=[Server, method("get_fact")],
)
async def a_fact_that_cannot_be_reached_by_its_id_is_an_error(memory: Memory) -> None:
    await _survive_refusal(memory, FactByIdTrial)


@check_on_server(
    "FLT40",
    "While the server is unreachable, no value looks unset; afterwards the same client works.",
    incident="agno-agi/agno pull request 9309: during a failover a failed read looked like a "
    "session that did not exist; an empty one was created in its place, and the next write "
    "overwrote six weeks of values.",
    about="state",
    suite="smoke",
)
async def values_that_cannot_be_reached_are_an_error(memory: Memory) -> None:
    await _survive_refusal(memory, StateTrial)


@check_on_server(
    "FLT02",
    "While connections are reset, calls may fail but lose nothing; afterwards they succeed.",
    incident="redis-py 8.1, which waits for maintenance notices by default, does not notice that "
    "the server closed an idle connection: the next command fails.",
)
async def connections_that_are_reset_lose_nothing(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    for _ in range(2):
        await trial.survive(get_network(memory).reset)


@check_on_server(
    "FLT03",
    "While nothing passes the network, no history looks empty; afterwards nothing is missing.",
    incident="the redis-py documentation: without socket_timeout, a call on a silent connection "
    "waits for ever.",
)
async def a_silent_network_is_not_an_empty_memory(memory: Memory) -> None:
    await (await MessageTrial.begin(memory)).survive(get_network(memory).hang, patience=BRIEF)


@check_on_server(
    "FLT04",
    "On a slow network every call succeeds, and each of several at once gets its own answer.",
    incident="redis-py issue 2624 and OpenAI's report of 20 March 2023: after a cancelled call, a "
    "connection gave the answer for one user to the next.",
)
async def a_slow_network_changes_no_answer(memory: Memory) -> None:
    with get_network(memory).delay(0.02):
        trial = await MessageTrial.begin(memory)
        await trial.write(3, strict=True)
        await trial.read(strict=True)
        await withstand(memory, Workload(pods=0, sessions=4, operations=24, batch=2), rounds=1)


@check_on_server(
    "FLT05",
    "Replies that arrive a few bytes at a time are read whole.",
    incident="TCP is a stream (RFC 9293): a reader that takes one recv for one reply works until a "
    "reply is longer than a packet.",
)
async def answers_in_pieces_are_put_together(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    with get_network(memory).trickle():
        for count in (1, 12):
            await trial.write(count, strict=True)
            await trial.read(strict=True)


@check_on_server(
    "FLT06",
    "A batch whose reply was lost is stored once and whole, or not at all.",
    incident="a client that sends a command again after a lost connection, as redis.Redis(host=…) "
    "of redis-py 8.1 does, runs an RPUSH twice: the message is stored twice.",
)
async def a_write_whose_answer_was_lost_happens_at_most_once(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    for skip in range(5):
        await trial.survive(partial(get_network(memory).cut_before_reply, skip=skip))


@check_on_server(
    "FLT07",
    "A batch that is sent again because its reply was lost is stored once.",
    incident="Amazon documents that a standard SQS queue delivers at least once: a turn that a "
    "worker stored before it lost its connection is stored again by the next worker.",
    needs=[Server, Retries],
)
async def a_retry_after_a_lost_answer_is_stored_once(memory: Memory) -> None:
    client = memory.client
    for skip in range(4):
        session, batch = memory.session(), memory.messages(2)
        await client.expect(session, [])  # so that there is a connection to cut
        with get_network(memory).cut_before_reply(skip=skip):
            await client.offer(session, batch)
        await MessageTrial(memory, client).recover()
        await client.add(session, batch)
        await client.expect(session, contents_of(batch))


@check_on_server(
    "FLT08",
    "A read whose reply is cut off fails or returns the whole history, never a part of it.",
    incident="RFC 9112 section 8: an answer that ends before its announced length is incomplete, "
    "and a reader that ignores the length takes it for the whole.",
)
async def half_an_answer_is_never_taken_for_a_whole(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    await trial.write(40, strict=True)
    for after, skip in ((1, 0), (200, 0), (1500, 0), (200, 1), (200, 2)):
        with get_network(memory).cut_in_reply(after_bytes=after, skip=skip) as fault:
            trial.amid = fault.what
            await trial.read()
        trial.amid = ""
        await trial.recover()


@check_on_server(
    "FLT09",
    "When all connections have died silently, a new opening works.",
    incident="Linux keeps a dead connection for some fifteen minutes (tcp_retries2): a pool that "
    "everyone shares goes on handing it out.",
    needs=[Server, Reopening],
)
async def dead_connections_do_not_stop_a_new_opening(memory: Memory) -> None:
    old = await MessageTrial.begin(memory)
    with get_network(memory).half_open():
        old.patience, old.amid = BRIEF, "its connections are dead"
        await old.read()
        old.client.abandon()
        old.amid = ""
        client = await memory.open()
        await (await MessageTrial.begin(memory, client)).recover()
        await old.expect(client)


@check_on_server(
    "FLT10",
    "When the server closes idle connections, no message is lost and the store goes on.",
    incident="the Redis setting timeout, and most load balancers, close idle connections: the "
    "first user of the morning gets the error.",
)
async def connections_closed_while_idle_are_replaced(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    for _ in range(3):
        get_network(memory).cut()
        await trial.recover()

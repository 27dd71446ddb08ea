"""CON: large batches stay whole, whoever else writes: they take more than one step to write."""

from goldfish.catalogue.registry import OtherProcess, check, service, trait
from goldfish.catalogue.support.servers import check_on_redis
from goldfish.catalogue.support.sizes import draw_size
from goldfish.harness.memory import Memory
from goldfish.stress.nemesis import stop_server
from goldfish.stress.withstand import withstand
from goldfish.stress.workload import Workload

MIX = {"add": 6, "read": 1}


def draw_crowd(memory: Memory, pods: int, least_size: int = 20_000) -> Workload:
    """Return writers of batches of dozens or hundreds of messages, from 20 kB up."""
    batch, size = draw_size(memory, 48, 240), draw_size(memory, least_size, 120_000)
    least = batch - batch // 6
    return Workload(
        pods=pods,
        processes=4,
        operations=12,
        batch=batch,
        least=least,
        padding=size // batch,
        mix=MIX,
    )


@check(
    "CON28",
    "Batches of dozens of messages, 20 kB and more, stay whole when several processes write.",
    incident="the Redis documentation on pipelining: commands of a pipeline are sent together, but "
    "are not a transaction; those of other clients may run between them.",
    needs=[OtherProcess, trait("whole_batches")],
    basic=True,
)
async def large_batches_of_several_processes_stay_whole(memory: Memory) -> None:
    await withstand(memory, draw_crowd(memory, pods=3), rounds=3)


@check_on_redis(
    "CON30",
    "Large batches that reach a busy server at the same time stay whole.",
    incident="the Redis documentation on pipelining: a pipeline is no transaction. The server "
    "reads 16 kB of each client in turn, so long pipelines mix as soon as two of them wait for it.",
    needs=[service("redis"), OtherProcess, trait("whole_batches")],
)
async def large_batches_that_wait_for_the_server_stay_whole(memory: Memory) -> None:
    crowd = draw_crowd(memory, pods=3, least_size=80_000)
    await withstand(memory, crowd, rounds=4, nemesis=stop_server)


@check(
    "CON29",
    "Batches of dozens of messages that one process adds by several calls at once stay whole.",
    incident="the documentation of Python's io module: a buffered file passes its buffer on when "
    "it is full, so a large append reaches the file in several writes, between which others fit.",
    needs=[trait("whole_batches")],
    basic=True,
)
async def large_batches_at_once_in_one_process_stay_whole(memory: Memory) -> None:
    await withstand(memory, draw_crowd(memory, pods=0), rounds=3)

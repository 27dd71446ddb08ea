"""The server that a memory is on, the network between, and who is to blame for a loss."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from goldfish.catalogue.registry import Server, check, service
from goldfish.findings.result import Violation
from goldfish.harness.memory import Memory
from goldfish.world.faults import PostgresFaults, Proxy, RedisFaults

# Checks that harm the server or its network, and so get a server of their own.
check_on_server = partial(check, needs=[Server], own_servers=True)
check_on_redis = partial(check_on_server, needs=[service("redis")])
check_on_postgres = partial(check_on_server, needs=[service("postgres")])


def get_network(memory: Memory) -> Proxy:
    """Return the network between the memory and its server, to be disturbed."""
    return memory.sandbox.faults.network(memory.target.services[0])


def get_server(memory: Memory) -> RedisFaults | PostgresFaults:
    """Return the server that the memory is on, to be harmed."""
    return memory.sandbox.faults.server(memory.target.services[0])


@contextmanager
def blame_forgetful_server(memory: Memory) -> Iterator[None]:
    """Say so if the server, and not the store, forgets what was acknowledged."""
    try:
        yield
    except Violation as violation:
        forgets = get_server(memory).forgets
        if not forgets or violation.finding not in {"lost", "swallowed"}:
            raise
        text = f"lost: {forgets}: a restart forgets all that was acknowledged"
        raise Violation(text, violation.summary, *violation.evidence) from violation

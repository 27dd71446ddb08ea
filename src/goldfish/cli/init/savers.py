"""Finds the project's own functions that open a checkpointer or a store of LangGraph."""

import re
from collections.abc import Iterator

from goldfish.cli.init.memories import FoundMemory
from goldfish.cli.init.openers import Opener, find_openers
from goldfish.cli.init.opening import write_opening
from goldfish.cli.init.places import Builder
from goldfish.cli.init.sources import Sources

_SERVERS = r"\.(postgres|redis|sqlite)\b"
# By the adapter: the types, and the calls that make one. None that lives in the process.
SAVERS = {
    "langgraph": (r"^langgraph\.checkpoint", r"\w*Saver"),
    "langgraph_store": (r"^langgraph\.store", r"\w*Store"),
}
SCORE = 9  # below most classes of a project's own, which it may have beside
SEARCHING = (
    "GOLDFISH_REDIS_URL, a Redis 8 or a Redis Stack that is for tests: LangGraph's memory in Redis "
    "needs RediSearch, which goldfish's own server lacks"
)


def find_savers(sources: Sources, requirements: set[str]) -> tuple[list[FoundMemory], list[Opener]]:
    """Return what the project opens by functions of its own, and the functions of no use.

    Those are of no use that cannot be given the sandbox's address.
    """
    found, useless = [], []
    for memory in _list_savers(sources):
        assert memory.opener is not None
        if write_saver(Builder(memory, sources, requirements)):
            found.append(memory)
        else:
            useless.append(memory.opener)
    return found, useless


def _list_savers(sources: Sources) -> Iterator[FoundMemory]:
    for adapter in SAVERS:
        types, makes = _compile(adapter)
        for opener in find_openers(sources.all, types, makes, methods=True):
            yield FoundMemory(opener.source, None, "adapter", SCORE, adapter=adapter, opener=opener)


def _compile(adapter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    package, name = SAVERS[adapter]
    kind = rf"{package}{_SERVERS}.*\.{name}"
    return re.compile(f"{kind}$"), re.compile(rf"{kind}(\.from_conn_\w+)?$")


def write_saver(builder: Builder) -> str:
    """Return the adapter over what the project opens; nothing if it cannot open the sandbox's."""
    found = builder.found
    assert found.opener is not None
    opened = write_opening(builder, found.opener, _compile(found.adapter)[1])
    if not opened:
        return ""
    builder.set_environment()  # what the import of its module reads
    if builder.backend == "redis" and SEARCHING not in builder.place.gaps:
        builder.place.gaps.append(SEARCHING)
    more = ", asynchronous=True" if "Async" in found.opener.gives else ""
    return f"goldfish.adapt.{found.adapter}({opened}{more})"

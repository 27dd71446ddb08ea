"""What a check needs against what a memory has and claims: why a promise is not asked of it."""

from goldfish.catalogue.registry import Check, Need
from goldfish.findings.kinds import KINDS
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import Violation
from goldfish.harness.memory import Client, Memory
from goldfish.targets.declaration import Target


def missing_need(need: Need, target: Target, client: Client) -> Reason | None:
    """Why the target does not support what a check needs; None if it does."""
    if need.kind == "method":
        if why := client.lacking(need.name):
            return Reason.of(Why.NOT_ASKED, why)
        if client.reckons_replies(need.name, *need.parameters):
            return Reason(Why.COUNTS_REPLIES)
        if not client.has(need.name):
            return Reason.of(Why.LACKS_METHOD, need.name)
        if lacks := [each for each in need.parameters if not client.has(need.name, each)]:
            return Reason.of(Why.LACKS_PARAMETER, need.name, ", ".join(lacks))
    if need.kind == "field" and need.name not in target.carries:
        return Reason.of(Why.LACKS_FIELD, need.name)
    if need.kind == "retries" and not target.retries:
        return Reason.of(Why.LACKS_ANSWER, "ids do not make a retry a no-op")
    if need.kind == "ttl" and not target.takes_ttl:
        return Reason.of(Why.LACKS_PARAMETER, "factory", "ttl")
    if need.kind == "recalls" and need.name == "meaning" != target.recalls:
        return Reason.stated("it recalls by words, not by meaning")
    if need.kind == "filters" and need.name == "comparison" != target.filters:
        return Reason.of(Why.LACKS_ANSWER, "filters do not compare")
    if need.kind == "filters" and target.filters is None:
        return Reason.stated("it has no filters")
    if need.kind == "scoped ids" and not target.scoped_ids:
        return Reason.stated("the id of a fact serves whoever has it")
    if need.kind == "window" and target.window is None:
        return Reason.stated("it has no window")
    if need.kind == "summaries" and not target.summarises:
        return Reason.stated("it keeps no summary")
    if is_beyond(need, target.claims):
        return Reason.of(Why.NOT_CLAIMED, f"{target.claims} only")
    return None


def beyond_window(memory: Memory, violation: Violation) -> Reason | None:
    """Why what is missing was never promised: more was said than the window holds; else None."""
    window, given = memory.target.window, memory.hearing.longest
    # Each message beyond the window takes a summary, and that is as slow as its model.
    waits = memory.target.summarises and violation.finding == "wedged"
    if window is None or given <= window or not (KINDS[violation.finding].forgets or waits):
        return None
    told = f"it keeps the last {window} messages, and was given {given}"
    return Reason.of(Why.NOT_CLAIMED, told)


def is_beyond(need: Need, claims: str | None) -> bool:
    """Whether the need is more than a memory with such claims ever promised."""
    if need.kind == "opening":
        return claims == "one opening"
    return need.kind == "process" and claims in {"one opening", "one process"}


def documented(check: Check, target: Target) -> str:
    """What the memory's documentation says of a promise that it does not keep, if anything."""
    for key in (check.code, check.family):
        if key in target.documented:
            return target.documented[key]
    for claims, said in target.documented.items():
        if any(is_beyond(need, claims) for need in check.every_need):
            return said
    return ""


def missing_service(need: Need, target: Target) -> Reason | None:
    """Why a check that needs a server cannot be asked of the target; None if it can."""
    if any(need.name in {"", each} for each in target.services):
        return None
    return Reason.of(Why.LACKS_SERVICE, need.name or "a server")

"""Profiles: which checks hold a memory to what it is sold as."""

from collections.abc import Iterable

from goldfish.catalogue.registry import Check, OtherProcess, Reopening
from goldfish.errors import UsageError
from goldfish.targets.lookup import suggest_name

SHARED, DURABLE, MULTI_TENANT = "shared", "durable", "multi-tenant"
PROFILES = {
    "single-process": "one process that writes and reads, and nothing that fails",
    SHARED: "also several processes that use one storage at the same time",
    DURABLE: "also restarts, kills, and servers, networks and disks that fail",
    MULTI_TENANT: "also sessions and users of strangers, whatever their ids contain",
}
_AT_ONCE = {  # two openings are in use at the same time, in one process
    *("DUR01", "DUR04", "DUR05", "DUR06", "DUR07", "ORD17", "CLR08", "SNP26", "LIV07", "LIV08")
}
_IN_TURN = {  # one process is killed, or its disk fails, and another goes on: nothing is shared
    *("DUR12", "DUR21", "DUR26", "DUR29", "DUR36", "DUR42", "SNP21", "SNP22", "SNP23", "SNP27"),
    *("TTL31", "FLT24", "FLT31", "FLT34", "CTX35"),
}
_KILLED_TOGETHER = {"DUR16", "DUR17", "DUR18", "DUR19"}
_OTHER_TENANTS = {"CTX25", "CTX26", "CTX27"}


def list_aspects(check: Check) -> frozenset[str]:
    """Return the profiles that a check takes: it is asked of a memory that has all of them."""
    aspects = set()
    if _is_about_tenants(check):
        aspects.add(MULTI_TENANT)
    if _is_about_sharing(check):
        aspects.add(SHARED)
    if _is_about_survival(check):
        aspects.add(DURABLE)
    return frozenset(aspects)


def parse_profiles(words: Iterable[str]) -> tuple[str, ...]:
    """Return the profiles in words like "shared,durable", in their order; a UsageError if wrong."""
    named = {part.strip().lower() for word in words for part in word.split(",")} - {""}
    for name in sorted(named - set(PROFILES)):
        raise UsageError(suggest_name("profile", name, PROFILES, see=f"use {', '.join(PROFILES)}"))
    return tuple(each for each in PROFILES if each in named)


def _is_about_tenants(check: Check) -> bool:
    """Return True beyond the few that ask any memory to keep two sessions apart."""
    return (check.family == "ISO" and check.suite != "smoke") or check.code in _OTHER_TENANTS


def _is_about_sharing(check: Check) -> bool:
    if check.code in _AT_ONCE:
        return True
    return OtherProcess in check.needs and check.code not in _IN_TURN


def _is_about_survival(check: Check) -> bool:
    if check.code in _AT_ONCE or check.family == "CON":
        return False
    killed = check.code in _IN_TURN | _KILLED_TOGETHER
    return killed or check.own_servers or check.family == "FLT" or Reopening in check.needs

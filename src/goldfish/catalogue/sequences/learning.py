"""Learns what a memory can be asked from what it does alone and quietly.

A power whose simplest use fails is not asked for in sequences: another check is about it.
"""

from collections.abc import Awaitable, Callable, Iterable

from goldfish.catalogue.sequences import fact_probes, probes
from goldfish.catalogue.sequences.powers import Powers, Quiet
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory

Probe = Callable[[Quiet], Awaitable[bool]]

# In the order in which they are learnt: the powers that each builds on, and how it is tried.
PROBES: dict[str, tuple[set[str], Probe]] = {
    "add": (set(), probes.can_add),
    "repeat": ({"add"}, probes.repeats),
    "again": ({"add"}, probes.knows_ids),
    "last": ({"add"}, probes.reads_last),
    "clear": ({"add"}, probes.clears),
    "trim": ({"add"}, probes.trims),
    "count_trimmed": ({"trim"}, probes.counts_trimmed),
    "keep_pairs": ({"trim"}, probes.keeps_pairs),
    "keep_system": ({"trim"}, probes.keeps_system),
    "delete": ({"add"}, probes.deletes),
    "count_deleted": ({"delete"}, probes.counts_deleted),
    "list_sessions": ({"add"}, probes.lists_sessions),
    "prefix": ({"list_sessions"}, probes.lists_by_prefix),
    "set_ttl": ({"add"}, probes.expires),
    "unset_ttl": ({"set_ttl"}, probes.removes_deadlines),
    "get_ttl": ({"set_ttl"}, probes.tells_deadlines),
    "state": (set(), probes.states),
    "user_state": ({"state"}, probes.states_users),
    "save": ({"add"}, probes.saves),
    "list_snapshots": ({"save"}, probes.lists_snapshots),
    "delete_snapshot": ({"list_snapshots"}, probes.deletes_snapshots),
    "label": ({"save"}, probes.labels),
    "fork": ({"save"}, probes.forks),
    "facts": (set(), fact_probes.remembers),
    "fact_ids": ({"facts"}, fact_probes.returns_ids),
    "list_facts": ({"facts"}, fact_probes.lists_facts),
    "revise": ({"facts"}, fact_probes.revises),
    "forget": ({"facts"}, fact_probes.forgets),
    "forget_all": ({"facts"}, fact_probes.forgets_all),
    "get_fact": ({"facts"}, fact_probes.gets_facts),
    "recall": ({"facts"}, fact_probes.recalls),
    "page": ({"list_facts"}, fact_probes.pages),
    "filter": ({"list_facts"}, fact_probes.filters),
    "search": ({"add"}, probes.searches),
    "clear_all": ({"add"}, probes.clears_all),
}


async def learn_powers(memory: Memory, names: Iterable[str]) -> Powers:
    """Return which of these powers the newest opening of the memory has."""
    quiet, wanted = Quiet(memory, memory.client), set(names)
    for name, (needs, probe) in PROBES.items():
        if name in wanted and needs <= quiet.can and await _is_met(quiet, probe):
            quiet.can.add(name)
    return Powers(frozenset(quiet.can), quiet.traits, quiet.fields)


async def _is_met(quiet: Quiet, probe: Probe) -> bool:
    try:
        return await probe(quiet)
    except Violation as violation:
        if violation.finding == "wedged":
            raise
        return False
    except (StoreError, UnsupportedError):
        return False

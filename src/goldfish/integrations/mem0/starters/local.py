"""Checks Mem0: one test per promise."""

import goldfish
from goldfish.testing import OfflineMem0

offline = OfflineMem0()  # a real Mem0 on Qdrant: no key, no network, facts as they are said


# Qdrant lends its directory to one process at a time; a fact that is told again is stored again.
@goldfish.target(claims="one at a time", lacks={"equal_facts"})
def memory(sandbox):
    """Open the memory in sandbox.path, a private directory, as often as goldfish needs it."""
    # Or the memory that your application makes: goldfish.adapt.mem0(Memory.from_config({...}))
    with offline.open(sandbox.path):
        yield goldfish.adapt.mem0(offline.Memory())


test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

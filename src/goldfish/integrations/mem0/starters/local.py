"""Checks Mem0: one test per promise."""

import goldfish

# "mem0" is a real Mem0 on Qdrant in a private directory: no key, no network, facts as they are
# said. For the memory that your application makes, write instead:
#
# @goldfish.target(claims="one at a time")  # Qdrant lends its directory to one process at a time
# def memory(sandbox):
#     return goldfish.adapt.mem0(Memory.from_config({...}))  # in sandbox.path
memory = "mem0"

test_memory = goldfish.suite(memory, suite="smoke")  # later "standard", which runs every check

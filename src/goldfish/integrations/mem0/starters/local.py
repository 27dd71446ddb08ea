"""Holds Mem0 to its promises: one test for each of them."""

import goldfish

# "mem0" is a real Mem0 on Qdrant in a private directory: no key, no network, facts as they are
# said. For the memory that your application makes, write instead:
#
# @goldfish.target(claims="one at a time")  # Qdrant lends its directory to one process at a time
# def memory(sandbox):
#     return goldfish.adapt.mem0(Memory.from_config({...}))  # in sandbox.path
memory = "mem0"

test_memory = goldfish.suite(memory, suite="smoke")  # then "standard", which asks everything

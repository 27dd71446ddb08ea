"""The same tests for the memory after the fix."""

from memory_fixed import CustomerMemory
from test_memory_broken import TestMemory as Expected


class TestMemory(Expected):
    """What a shop expects of its assistant."""

    kind = CustomerMemory

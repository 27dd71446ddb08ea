"""The same test for the memory after the fix."""

from test_memory_broken import TestMemory as Expected


class TestMemory(Expected):
    """What users expect of going back."""

    kind = "fixed"

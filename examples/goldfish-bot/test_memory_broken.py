"""The same line for the memory that went to production: this is how it is caught."""

from memory_broken import memory

import goldfish

test_memory = goldfish.suite(memory)

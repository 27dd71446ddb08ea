"""The same line for the service that went to production: this is how it is caught."""

from memory_broken import memory

import goldfish

test_memory = goldfish.suite(memory, only=["CON01", "CON02", "CON10", "DUR13"])

"""The bot's own test of its memory: one line, one pytest item per promise."""

from memory_fixed import memory

import goldfish

test_memory = goldfish.suite(memory)

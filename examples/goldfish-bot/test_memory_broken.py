"""The same line for the memory that went to production: this is how it is caught."""

from memory_broken import bot_memory

import goldfish

test_memory = goldfish.suite(bot_memory)

"""The service's own test of its memory: one line, one pytest item per promise."""

from fleet import on_redis

import goldfish

test_memory = goldfish.suite(on_redis, only=["CON01", "CON02", "CON10", "DUR13"])

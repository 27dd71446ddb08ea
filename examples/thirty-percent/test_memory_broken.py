"""The same line for the service that went to production: this is how it is caught."""

from fleet import in_process

import goldfish

test_memory = goldfish.suite(in_process, only=["CON01", "CON02", "CON10", "DUR13"])

"""The shop whose assistant every built-in agent is: its instructions and its one tool."""

import time
import zlib

INSTRUCTIONS = "You are the assistant of a shop. Answer in one sentence."
LOOKUP = 0.2  # seconds that the tool takes at least: a process can be killed while it runs


def find_order(number: str) -> str:
    """Find an order by its number."""
    # One order takes longer than another, as it is with tools.
    time.sleep(LOOKUP * (1 + zlib.crc32(number.encode()) % 100 / 100))
    return f"The order {number} is on its way."

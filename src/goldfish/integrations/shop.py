"""The shop whose assistant every built-in agent is: its instructions and its one tool."""

import time

INSTRUCTIONS = "You are the assistant of a shop. Answer in one sentence."
LOOKUP = 0.3  # seconds that the tool takes, so that a process can be killed while it runs


def find_order(number: str) -> str:
    """Find an order by its number."""
    time.sleep(LOOKUP)
    return f"The order {number} is on its way."

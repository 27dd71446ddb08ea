"""Stores messages in one process, kills it with SIGKILL, and counts them in another.

Every message that the writer was told is stored must be there afterwards.
"""

import asyncio
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import goldfish

SECONDS_BEFORE_KILL = 1.0


async def write_for_ever(path: str) -> None:
    """Add message after message, and print each number once it is acknowledged."""
    async with goldfish.SQLiteMemoryStore(path) as store:
        for number in range(1_000_000):
            message = goldfish.ChatMessage(role="user", content=f"message {number}")
            await store.add_messages("conversation", [message])
            print(number, flush=True)


def write_and_die(path: str) -> int:
    """How many messages were acknowledged before the writer was killed."""
    writer = subprocess.Popen([sys.executable, __file__, path], stdout=subprocess.PIPE, text=True)
    try:
        output, _ = writer.communicate(timeout=SECONDS_BEFORE_KILL)
    except subprocess.TimeoutExpired:
        writer.send_signal(signal.SIGKILL)
        output, _ = writer.communicate()
    return output.count("\n")


async def survivors(path: str) -> int:
    """How many messages a new process finds."""
    async with goldfish.SQLiteMemoryStore(path) as store:
        history = await store.get_history("conversation")
    in_order = [message.content for message in history]
    assert in_order == [f"message {number}" for number in range(len(history))], "out of order"
    return len(history)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="goldfish-") as directory:
        path = str(Path(directory) / "memory.db")
        acknowledged = write_and_die(path)
        found = asyncio.run(survivors(path))
    lost = max(0, acknowledged - found)
    print(f"{acknowledged} messages acknowledged, kill -9, {found} found again: {lost} lost")
    return 1 if lost or not acknowledged else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(write_for_ever(sys.argv[1]))
    else:
        sys.exit(main())

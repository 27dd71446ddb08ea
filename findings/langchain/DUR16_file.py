"""FileChatMessageHistory: a writer that is killed leaves a file that nobody can read.

Each message empties the file and writes all of it anew; a process that ends in between leaves half
of it, and all that was acknowledged before is gone with it. It is also behind DUR17, DUR19,
DUR20 and DUR36. Exit 1 if the history cannot be read after one of 300 kills.

What to do: keep a copy of the file, or use a database.
"""

import os
import random
import signal
import sys
import tempfile
import time

from langchain_community.chat_message_histories import FileChatMessageHistory
from langchain_core.messages import HumanMessage

KILLS = 300
LONG = "x" * 20_000


def write_until_killed(path: str) -> None:
    history = FileChatMessageHistory(path)
    while True:
        history.add_messages([HumanMessage(LONG)])


def main(path: str) -> int:
    chance = random.Random(1)
    history = FileChatMessageHistory(path)
    for kill in range(1, KILLS + 1):
        history.clear()
        history.add_messages([HumanMessage(LONG) for _ in range(20)])
        child = os.fork()
        if child == 0:
            write_until_killed(path)
        time.sleep(chance.uniform(0.001, 0.02))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        try:
            found = len(history.messages)
        except ValueError as error:
            print(f"broken: after kill {kill} the history is {type(error).__name__}: {error}")
            return 1
        if found < 20:
            print(f"broken: after kill {kill} {found} of 20 acknowledged messages are there")
            return 1
    print(f"held: after {KILLS} kills every acknowledged message was there")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        sys.exit(main(f"{directory}/chat.json"))

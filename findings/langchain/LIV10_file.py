"""FileChatMessageHistory: a batch of twice the length takes four times as long.

add_messages reads and writes the whole file for every message. A batch of some thousands takes
minutes, and with it everything that waits. It is also behind FID29. Exit 1 if 400 messages take
more than three times as long as 200.

What to do: keep histories short, or use a database.
"""

import sys
import tempfile
import time

from langchain_community.chat_message_histories import FileChatMessageHistory
from langchain_core.messages import HumanMessage


def seconds(directory: str, count: int) -> float:
    history = FileChatMessageHistory(f"{directory}/{count}.json")
    began = time.perf_counter()
    history.add_messages([HumanMessage(f"message {number}") for number in range(count)])
    return time.perf_counter() - began


def main(directory: str) -> int:
    seconds(directory, 100)  # what is done once
    short, long = seconds(directory, 200), seconds(directory, 400)
    wrong = long > 3 * short
    said = f"400 messages take {long / short:.1f} times as long as 200"
    print(f"{'broken' if wrong else 'held'}: {said}")
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(place))

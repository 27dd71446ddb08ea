"""FileChatMessageHistory: writers at once lose each other's messages.

Each reads the whole file, and writes it anew with its own message at the end. It is also behind
CON02 to CON13, CON22, CON28, CON29 and DUR18. Exit 1 if a message is missing that was added
without an error, or if an add raised.

What to do: one file for one process and one writer at a time; for more, a database.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from langchain_community.chat_message_histories import FileChatMessageHistory
from langchain_core.messages import HumanMessage

WRITERS, EACH = 8, 6


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        path = f"{directory}/chat.json"

        def write(writer: int) -> int:
            added = 0
            for number in range(EACH):
                try:
                    message = HumanMessage(f"{writer}.{number}")
                    FileChatMessageHistory(path).add_messages([message])
                    added += 1
                except ValueError:  # the file was half written by another
                    continue
            return added

        with ThreadPoolExecutor(WRITERS) as pool:
            added = sum(pool.map(write, range(WRITERS)))
        try:
            there = len(FileChatMessageHistory(path).messages)
        except ValueError:
            there = 0
    wrong = not added == there == WRITERS * EACH
    print(
        f"{'broken' if wrong else 'held'}: of {WRITERS * EACH} adds {added} succeeded, and {there} "
        "messages are there"
    )
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())

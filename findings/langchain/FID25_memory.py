"""InMemoryChatMessageHistory: who edits the list that was returned edits the history.

``messages`` and ``aget_messages`` hand out the very list that is kept. Exit 1 if what the caller
took out of its list is gone from the history.

What to do: take a copy of the list before you work with it.
"""

import sys

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import HumanMessage


def main() -> int:
    history = InMemoryChatMessageHistory()
    history.add_messages([HumanMessage("my name is Ann"), HumanMessage("what is my name?")])
    prompt = history.messages
    prompt.pop(0)  # a prompt that is to be short
    found = [each.content for each in history.messages]
    edited = len(found) == 1
    print(f"{'broken' if edited else 'held'}: after an edit of what was read there is {found}")
    return int(edited)


if __name__ == "__main__":
    sys.exit(main())

"""InMemoryChatMessageHistory: who edits a dict that was passed in, or read, edits the history.

FID26 is the same for what was read. Exit 1 if the caller's later edit is in the history.

What to do: hand in copies, and treat what you read as frozen.
"""

import sys

from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import HumanMessage


def main() -> int:
    history, tags = InMemoryChatMessageHistory(), ["urgent"]
    history.add_messages([HumanMessage("help", response_metadata={"tags": tags})])
    tags.append("edited")
    found = history.messages[0].response_metadata["tags"]
    edited = found != ["urgent"]
    print(f"{'broken' if edited else 'held'}: stored ['urgent'], and the history has {found}")
    return int(edited)


if __name__ == "__main__":
    sys.exit(main())

"""SQLChatMessageHistory: an object in a message's metadata comes back as a dict, without a word.

message_to_dict, which all of LangChain's stored histories use, turns the dataclass into a dict that
nothing turns back. Exit 1 if the object came back changed.

What to do: put only what JSON has into messages, and turn objects into dicts yourself.
"""

import sys
import tempfile
from dataclasses import dataclass

from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.messages import HumanMessage


@dataclass
class Citation:
    page: int


def main() -> int:
    with tempfile.TemporaryDirectory() as directory:
        history = SQLChatMessageHistory("chat", connection=f"sqlite:///{directory}/chat.db")
        history.add_messages([HumanMessage("see there", response_metadata={"at": Citation(7)})])
        found = history.messages[0].response_metadata["at"]
    changed = found != Citation(7)
    print(f"{'broken' if changed else 'held'}: Citation(page=7) came back as {found}")
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())

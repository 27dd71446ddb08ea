"""FileChatMessageHistory: a write that fails for want of space leaves a file that nobody can read.

The file is emptied before it is written anew. It is also behind FLT34. Exit 1 if the history cannot
be read when there is space again.

What to do: keep a copy of the file, or use a database.
"""

import resource
import signal
import sys
import tempfile

from langchain_community.chat_message_histories import FileChatMessageHistory
from langchain_core.messages import HumanMessage


def main() -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tempfile.TemporaryDirectory() as directory:
        history = FileChatMessageHistory(f"{directory}/chat.json")
        history.add_messages([HumanMessage("my name is Ann")])
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, usual[1]))  # as if the disk were full
        try:
            history.add_messages([HumanMessage("what is my name?")])
            failed = "nothing"
        except OSError as error:
            failed = f"{type(error).__name__}: {error.strerror}"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        try:
            found = f"there is {[each.content for each in history.messages]}"
        except ValueError as error:
            found = f"a read raises {type(error).__name__}: {error}"
    broken = not found.startswith("there is ['my name is Ann'")
    print(f"{'broken' if broken else 'held'}: the add raised {failed}; with space again {found}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())

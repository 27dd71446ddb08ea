"""SQLChatMessageHistory: of several first histories at once on a new database, some fail.

Each looks whether its table is there, and creates it if not, and another may have done so in
between. It is also behind CON07 and LIV09. Exit 1 if one of eight that are made at once raises, on
one of fifty new files.

What to do: make one history before the others start, or create the table in a migration.
"""

import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor

from langchain_community.chat_message_histories import SQLChatMessageHistory

AT_ONCE = 8


def main() -> int:
    together = threading.Barrier(AT_ONCE)

    def first(path: str) -> str:
        together.wait()
        try:
            SQLChatMessageHistory("chat", connection=f"sqlite:///{path}").engine.dispose()
        except Exception as error:
            return str(error).partition("\n")[0]
        return ""

    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(AT_ONCE) as pool:
        for number in range(50):
            errors = list(filter(None, pool.map(first, [f"{directory}/{number}.db"] * AT_ONCE)))
            if errors:
                print(f"broken: {len(errors)} of {AT_ONCE} first histories failed: {errors[0]}")
                return 1
    print(f"held: {AT_ONCE} first histories at once succeeded on fifty files")
    return 0


if __name__ == "__main__":
    sys.exit(main())

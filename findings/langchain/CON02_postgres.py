"""PostgresChatMessageHistory: messages of others stand between those of one batch.

Messages are sorted by a number that each gets as it is inserted, and a batch is inserted row by
row; so the numbers of batches that are written at once are mixed. For the same reason a message may
appear before one that a reader has already seen. It is also behind CON01, CON03 to CON06, CON09 to
CON11, CON28, CON29, DUR16 to DUR18, FLT13 and FLT14. Exit 1 if a batch does not stand together.

What to do: let one writer at a time add to a session, for instance under pg_advisory_xact_lock.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory

WRITERS, BATCHES, SIZE = 4, 30, 5


def main(dsn: str) -> int:
    session = str(uuid4())

    def write(writer: int) -> None:
        with psycopg.connect(dsn) as connection:
            history = PostgresChatMessageHistory("chats", session, sync_connection=connection)
            for number in range(BATCHES):
                history.add_messages([HumanMessage(f"{writer}.{number}")] * SIZE)

    with psycopg.connect(dsn) as connection:
        PostgresChatMessageHistory.create_tables(connection, "chats")
        with ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(write, range(WRITERS)))
        history = PostgresChatMessageHistory("chats", session, sync_connection=connection)
        found = [str(each.content) for each in history.messages]
    names = set(found)
    last = {name: len(found) - 1 - found[::-1].index(name) for name in names}
    apart = sum(last[name] - found.index(name) >= SIZE for name in names)
    print(f"{'broken' if apart else 'held'}: {apart} of {len(names)} batches do not stand together")
    return int(apart > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(
            "give the DSN of an empty database: CON02_postgres.py postgresql://localhost/empty"
        )
    sys.exit(main(sys.argv[1]))

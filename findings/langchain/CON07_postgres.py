"""PostgresChatMessageHistory: replicas that start together on an empty database: some fail.

create_tables says CREATE TABLE IF NOT EXISTS, which PostgreSQL does not do under a lock: of several
at once, all but one may fail. Exit 1 if one of eight raises, in one of ten tables.

What to do: create the tables once, in a migration, before the replicas start.
"""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
from langchain_postgres import PostgresChatMessageHistory

REPLICAS = 8


def main(dsn: str) -> int:
    together = threading.Barrier(REPLICAS)

    def start(table: str) -> str:
        with psycopg.connect(dsn) as connection:
            together.wait()
            try:
                PostgresChatMessageHistory.create_tables(connection, table)
            except psycopg.Error as error:
                return f"{type(error).__name__}: {error}".partition("\n")[0]
        return ""

    with ThreadPoolExecutor(REPLICAS) as pool:
        for number in range(10):
            errors = list(filter(None, pool.map(start, [f"chats_{number}"] * REPLICAS)))
            if errors:
                print(f"broken: {len(errors)} of {REPLICAS} first starts failed: {errors[0]}")
                return 1
    print(f"held: {REPLICAS} first starts at once succeeded ten times")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(
            "give the DSN of an empty database: CON07_postgres.py postgresql://localhost/empty"
        )
    sys.exit(main(sys.argv[1]))

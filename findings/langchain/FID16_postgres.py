"""PostgresChatMessageHistory: a large floating-point number comes back as a whole number.

JSONB keeps numbers as decimals, so that 1e16 is read as an int, and the largest ones as an int that
no float equals. Exit 1 if the number that came back is not equal to the one that was stored.

What to do: keep large floats as text in the metadata.
"""

import sys
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory


def main(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        PostgresChatMessageHistory.create_tables(connection, "chats")
        history = PostgresChatMessageHistory("chats", str(uuid4()), sync_connection=connection)
        history.add_messages(
            [HumanMessage("see there", response_metadata={"n": sys.float_info.max})]
        )
        found = history.messages[0].response_metadata["n"]
    changed = found != sys.float_info.max
    told = f"{sys.float_info.max} came back as {type(found).__name__} {str(found)[:20]}…"
    print(f"{'broken' if changed else 'held'}: {told}")
    return int(changed)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(
            "give the DSN of an empty database: FID16_postgres.py postgresql://localhost/empty"
        )
    sys.exit(main(sys.argv[1]))

"""PostgresChatMessageHistory: after a write that PostgreSQL refuses, nothing works any more.

A NUL cannot be stored in JSONB, so the message is refused; but the transaction is not rolled back,
and all later calls for any session fail. It is also behind FID22, LIV02, LIV03 and FLT22. Exit 1 if
another session cannot be written afterwards.

What to do: refuse NUL before it gets there, and roll the connection back after an error.
"""

import sys
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory


def main(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        PostgresChatMessageHistory.create_tables(connection, "chats")

        def say(text: str) -> str:
            session = str(uuid4())
            history = PostgresChatMessageHistory("chats", session, sync_connection=connection)
            try:
                history.add_messages([HumanMessage(text)])
            except psycopg.Error as error:
                return type(error).__name__
            return "stored"

        odd, plain = say("a\0b"), say("hello")
        connection.rollback()
    broken = plain != "stored"
    print(f"{'broken' if broken else 'held'}: a NUL was {odd}; 'hello' in another session: {plain}")
    return int(broken)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(
            "give the DSN of an empty database: FID06_postgres.py postgresql://localhost/empty"
        )
    sys.exit(main(sys.argv[1]))

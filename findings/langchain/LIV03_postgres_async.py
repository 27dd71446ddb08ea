"""PostgresChatMessageHistory: over one async connection, a refused message takes others with it.

"This design allows to reuse the underlying connection object across multiple instantiations": calls
at once share one transaction. When a message of one user is refused, here for a NUL, others go with
it, though they were acknowledged. Exit 1 if one of them is not there.

What to do: a connection for each call, out of a pool.
"""

import asyncio
import sys
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory
from psycopg import AsyncConnection

ROUNDS = 300
ENOUGH = 5  # whose outcome shows it: what is refused, and when, is up to the server's pace


async def main(dsn: str) -> int:
    shared = await AsyncConnection.connect(dsn)
    await PostgresChatMessageHistory.acreate_tables(shared, "chats")

    async def say(session: str, text: str) -> bool:
        history = PostgresChatMessageHistory("chats", session, async_connection=shared)
        try:
            await history.aadd_messages([HumanMessage(text)])
        except psycopg.Error:
            return False
        return True

    async def is_missing(session: str) -> bool:
        history = PostgresChatMessageHistory("chats", session, async_connection=shared)
        return not await history.aget_messages()

    acknowledged = missing = 0
    for _ in range(ROUNDS):
        ann, amy, bob = (str(uuid4()) for _ in range(3))
        calls = say(ann, "hello"), say(amy, "hello"), say(bob, "a\0b")
        stored = await asyncio.gather(*calls)
        await shared.rollback()  # so that the connection works again
        for session in [each for each, done in zip((ann, amy), stored, strict=False) if done]:
            acknowledged += 1
            missing += await is_missing(session)
        if missing >= ENOUGH:
            break
    await shared.close()
    told = f"{missing} of {acknowledged} messages were acknowledged and are gone"
    print(f"{'broken' if missing else 'held'}: beside refused ones, {told}")
    return int(missing > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty database: LIV03_postgres_async.py postgresql://…/empty")
    sys.exit(asyncio.run(main(sys.argv[1])))

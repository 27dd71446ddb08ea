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

PAIRS = 30


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

    acknowledged: list[str] = []
    for _ in range(PAIRS):
        ann, bob = str(uuid4()), str(uuid4())
        stored, _ = await asyncio.gather(say(ann, "hello"), say(bob, "a\0b"))
        acknowledged += [ann] if stored else []
        await shared.rollback()  # so that the connection works again
    missing = 0
    for session in acknowledged:
        history = PostgresChatMessageHistory("chats", session, async_connection=shared)
        missing += not await history.aget_messages()
    await shared.close()
    told = f"{missing} of {len(acknowledged)} messages were acknowledged and are gone"
    print(f"{'broken' if missing else 'held'}: beside refused ones, {told}")
    return int(missing > 0)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty database: LIV03_postgres_async.py postgresql://…/empty")
    sys.exit(asyncio.run(main(sys.argv[1])))

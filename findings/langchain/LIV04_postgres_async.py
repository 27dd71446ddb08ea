"""PostgresChatMessageHistory: of a batch that was cancelled, a part is there.

Over one async connection, as it is documented, a call that is cancelled leaves the transaction open
with the rows that it had inserted, and the next call of anybody commits them. What others read over
that connection meanwhile may never be there: also behind DUR19. Exit 1 if a batch of 20 is there in
part after one of 200 tries: seen with psycopg 3.3.6; psycopg 3.3.9 cancels the statement as well.

What to do: a connection for each call, out of a pool.
"""

import asyncio
import random
import sys
import uuid

from langchain_core.messages import HumanMessage
from langchain_postgres import PostgresChatMessageHistory
from psycopg import AsyncConnection

TABLE, TRIES, BATCH = "chat_history", 200, 20


async def main(dsn: str) -> int:
    chance = random.Random(1)
    connection = await AsyncConnection.connect(dsn)
    await PostgresChatMessageHistory.acreate_tables(connection, TABLE)

    def history(name: str) -> PostgresChatMessageHistory:
        return PostgresChatMessageHistory(TABLE, name, async_connection=connection)

    for number in range(1, TRIES + 1):
        one, another = str(uuid.uuid4()), str(uuid.uuid4())
        batch = [HumanMessage(f"{place} of {BATCH}") for place in range(1, BATCH + 1)]
        adding = asyncio.create_task(history(one).aadd_messages(batch))
        await asyncio.sleep(chance.uniform(0, 0.003))
        adding.cancel()
        await asyncio.wait([adding])
        if connection.closed:
            connection = await AsyncConnection.connect(dsn)
        await history(another).aadd_messages([HumanMessage("hello")])
        found = len(await history(one).aget_messages())
        if found not in {0, BATCH}:
            print(f"broken: try {number}: of a cancelled batch {found} of {BATCH} are there")
            return 1
    print(f"held: after {TRIES} cancelled batches each was there as a whole or not at all")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the DSN of an empty database: LIV04_postgres_async.py postgresql://…/empty")
    sys.exit(asyncio.run(main(sys.argv[1])))

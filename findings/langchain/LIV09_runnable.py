"""RunnableWithMessageHistory: of the first turns at once over a new database, some fail.

An async SQLChatMessageHistory looks for its table at its first use and creates it if there is
none; another may have done so in between (CON08_sql.py shows it without the turns). Exit 1 if one
of twenty first turns at once raises, on one of twenty new files.

What to do: take one turn before the others, or create the table in a migration.
"""

import asyncio
import sys
import tempfile
from typing import Any

from langchain_community.chat_message_histories import SQLChatMessageHistory
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory
from sqlalchemy.ext.asyncio import create_async_engine

AT_ONCE = 20


async def first_turns(path: str) -> list[BaseException]:
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}")

    def history_of(session_id: str) -> SQLChatMessageHistory:
        return SQLChatMessageHistory(session_id, connection=engine, async_mode=True)

    chat = RunnableWithMessageHistory(RunnableLambda(lambda messages: "noted"), history_of)
    turns = []
    for number in range(AT_ONCE):
        session: Any = {"configurable": {"session_id": f"chat {number}"}}
        turns.append(chat.ainvoke([HumanMessage("hello")], session))
    answers = await asyncio.gather(*turns, return_exceptions=True)
    await engine.dispose()
    return [each for each in answers if isinstance(each, BaseException)]


async def main(directory: str) -> int:
    for number in range(20):
        if failed := await first_turns(f"{directory}/{number}.db"):
            said = str(failed[0]).partition("\n")[0]
            print(f"broken: {len(failed)} of {AT_ONCE} first turns failed: {said}")
            return 1
    print(f"held: {AT_ONCE} first turns at once succeeded on twenty files")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

"""Memory: putting no messages raises, because the store makes a row of nothing of them.

Exit 1 if ``aput_messages([])`` raises.

What to do: do not call put_messages with an empty list.
"""

import asyncio
import sys
import tempfile

from llama_index.core.memory import Memory


async def main(directory: str) -> int:
    uri = f"sqlite+aiosqlite:///{directory}/memory.db"
    try:
        await Memory.from_defaults(async_database_uri=uri).aput_messages([])
    except Exception as error:
        print(f"broken: aput_messages([]) raised {type(error).__name__}")
        return 1
    print("held: aput_messages([]) does nothing")
    return 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

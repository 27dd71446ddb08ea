"""memory-bank-mcp: of twenty decisions in flight in one process, some are lost.

log_decision reads the Markdown file, appends to the text and writes all of it, also within one
process without a lock: a client that sends several tool calls at once, as models do, is told that
each has succeeded. The same is behind CON23.

What to do: send one call after the other. Exit 1 if some are gone.
"""

import asyncio
import sys
import tempfile

from client import call, opened, report


async def main(directory: str) -> int:
    command = f"npx -y @movibe/memory-bank-mcp --path {directory}"
    async with opened(command, directory) as session:
        await call(session, "initialize_memory_bank", path=directory)
        texts = [f"<fact {number}>" for number in range(20)]
        logging = (
            call(session, "log_decision", title="note", context="test", decision=text)
            for text in texts
        )
        await asyncio.gather(*logging)
        prose = await call(session, "read_memory_bank_file", filename="decision-log.md")
    return report(texts, [each for each in texts if each in prose])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

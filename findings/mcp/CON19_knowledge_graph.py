"""mcp-knowledge-graph: of twenty observations in flight in one process, most are lost or refused.

Each call reads the whole file and writes it in place without a lock, also within one process: a
call that reads while another one writes finds no entity, and what was acknowledged is written over.
The same is behind CON23.

What to do: send one call after the other. Exit 1 if some are gone or refused.
"""

import asyncio
import sys
import tempfile

from client import create_ann, observe, opened, read_ann, report

COMMAND = "npx -y @itseasy21/mcp-knowledge-graph"


async def main(directory: str) -> int:
    place = {"MEMORY_FILE_PATH": f"{directory}/memory.jsonl"}
    async with opened(COMMAND, directory, **place) as session:
        await create_ann(session)
        texts = [f"fact {number}" for number in range(20)]
        telling = (observe(session, text) for text in texts)
        answers = await asyncio.gather(*telling, return_exceptions=True)
        refused = [str(each) for each in answers if each is not None]
        told = [text for text, each in zip(texts, answers, strict=True) if each is None]
        more = f", and {len(refused)} were refused: {refused[0]}" if refused else ""
        return report(told, await read_ann(session), more)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(asyncio.run(main(place)))

"""Servers as people start them, and the client of the package ``mcp``, for the scripts here."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

NOWHERE = open(os.devnull, "w")  # noqa: SIM115 - as long as the script runs
Write = Callable[[ClientSession, str], Awaitable[Any]]


@asynccontextmanager
async def opened(command: str, directory: str, **variables: str) -> AsyncIterator[ClientSession]:
    """A session with a new process of a server, whose pid is in the file ``pid``."""
    words = ["-c", f"echo $$ > pid; exec {command}"]
    inherited = {name: os.environ[name] for name in ("HOME", "PATH")}
    server = StdioServerParameters(
        command="sh", args=words, env={**inherited, **variables}, cwd=directory
    )
    async with stdio_client(server, NOWHERE) as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        yield session


async def call(session: ClientSession, tool: str, **arguments: Any) -> str:
    """Call a tool; return its text, or raise if it reports an error."""
    result = (await session.call_tool(tool, arguments)).model_dump(by_alias=True)
    text = "".join(each.get("text", "") for each in result["content"])
    if result["isError"]:
        raise RuntimeError(text)
    return text


async def observe(session: ClientSession, text: str) -> None:
    """Add an observation to the entity Ann of a knowledge graph."""
    told = [{"entityName": "Ann", "contents": [text]}]
    await call(session, "add_observations", observations=told)


async def create_ann(session: ClientSession) -> None:
    """Create the entity that the observations are about."""
    ann = {"name": "Ann", "entityType": "person", "observations": []}
    await call(session, "create_entities", entities=[ann])


async def read_ann(session: ClientSession) -> list[str]:
    """Return the observations about Ann."""
    graph = json.loads(await call(session, "open_nodes", names=["Ann"]))
    return [each for entity in graph["entities"] for each in entity["observations"]]


async def write_from_two(
    command: str, directory: str, write: Write, count: int, **variables: str
) -> tuple[list[str], list[str]]:
    """Let two processes write at once; return what was acknowledged, and what was refused."""
    acknowledged: list[str] = []
    refused: list[str] = []
    async with AsyncExitStack() as stack:
        opening = (opened(command, directory, **variables) for _ in range(2))
        sessions = [await stack.enter_async_context(each) for each in opening]
        await asyncio.gather(
            *(
                _write_all(session, write, f"from {place}", count, acknowledged, refused)
                for place, session in enumerate(sessions)
            )
        )
    return acknowledged, refused


async def _write_all(
    session: ClientSession,
    write: Write,
    name: str,
    count: int,
    acknowledged: list[str],
    refused: list[str],
) -> None:
    for number in range(count):
        text = f"{name}: {number}"
        try:
            await write(session, text)
        except Exception as error:
            refused.append(str(error))
        else:
            acknowledged.append(text)


def kill(directory: str) -> None:
    """SIGKILL the server that was started last in this directory, with all that it started."""
    os.killpg(int(Path(directory, "pid").read_text()), signal.SIGKILL)


def report(acknowledged: Sequence[str], left: Sequence[str], more: str = "") -> int:
    """Print how many of the acknowledged are left; return the exit code."""
    lost = [each for each in acknowledged if each not in left]
    word = "broken" if lost or more else "held"
    print(f"{word}: of {len(acknowledged)} acknowledged {len(lost)} are gone{more}")
    return int(bool(lost or more))

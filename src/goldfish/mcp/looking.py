"""Looks at a server without a map: starts it in an empty place, and tells it one fact."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from goldfish.errors import ServiceError
from goldfish.mcp.answers import Answer, AnswerError, ToolError
from goldfish.mcp.connection import Connection, UnreadyError
from goldfish.mcp.guessing import Guess, guess_map, learn_reading
from goldfish.mcp.server import Server
from goldfish.mcp.templates import fill

FACT = "The quick goldfish remembers its bowl"
USER = "ann"


async def look_at(command: str) -> Guess:
    """Return a map for a server, guessed from its tools and from what one told fact shows.

    A server at a URL is somebody's: it is told nothing.
    """
    server = Server(command)
    server.prepare()
    with tempfile.TemporaryDirectory(prefix="goldfish-", ignore_cleanup_errors=True) as place:
        try:
            connection = await server.connect(Path(place) / "memory")
        except UnreadyError as error:
            raise ServiceError(str(error)) from None
        try:
            guess = guess_map(connection.tools, command)
            if server.is_remote:
                guess.remarks.append("A URL is told nothing: say where facts are, by facts=.")
            elif not guess.tool_map.get("facts"):
                await _try(connection, guess)
        finally:
            await connection.close()
    return guess


async def _try(connection: Connection, guess: Guess) -> None:
    """Tell one fact, and note where the answers have it."""
    try:
        await _call(connection, guess.tool_map["remember"])
        reads = [each for each in ("recall", "list_facts") if each in guess.tool_map]
        answers: dict[str, Answer] = {
            each: await _call(connection, guess.tool_map[each]) for each in reads
        }
    except (ToolError, AnswerError) as error:
        guess.remarks.append(f"Telling it one fact failed: {str(error).partition(chr(10))[0]}")
        return
    learn_reading(guess, answers, FACT)


async def _call(connection: Connection, tool: Mapping[str, Any]) -> Answer:
    values = {"user": USER, "text": FACT, "query": FACT, "limit": 10, "metadata": {}}
    return await connection.call(tool["tool"], fill(tool["arguments"], values))

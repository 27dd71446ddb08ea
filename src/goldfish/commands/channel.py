"""JSON-RPC on the standard streams of a process: many requests in flight, answers in any order."""

import asyncio
import contextlib
import itertools
import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from goldfish.commands.errors import ProtocolError
from goldfish.commands.values import encode_line
from goldfish.harness.errors import RemoteError

INVALID_PARAMETERS = -32602
NAMES = {-32700: "ParseError", -32600: "InvalidRequest", -32601: "MethodNotFound"}
MOST_STRAYS = 20
LONGEST_STRAY = 120  # characters


class Channel:
    """The conversation with one process.

    ``strays`` are lines of its standard output that are not answers, shortened.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.strays: deque[str] = deque(maxlen=MOST_STRAYS)
        self.notes: deque[str] = deque(maxlen=MOST_STRAYS)  # on answers that fit no request
        self.is_over = False
        self._writer = writer
        self._numbers = itertools.count(1)
        self._last = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._listening = asyncio.create_task(self._listen(reader))

    async def ask(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Return the result of a method; raise what was answered, or EOFError if nobody is there.

        A ValueError stands for invalid parameters, a RemoteError for any other error.
        """
        self._last = number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(parameters)}
        line = encode_line(request)
        if self.is_over:
            raise EOFError
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            with contextlib.suppress(ConnectionError):  # then its output ends as well
                self._writer.write(line)
                await self._writer.drain()
            return await answer
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        """End the standard input of the process, by which it is to end."""
        self._writer.close()

    async def drain(self) -> None:
        """Wait until the process has ended its standard output."""
        await asyncio.wait({self._listening})

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            while line := await reader.readline():
                self._hear(line)
        self.is_over = True
        for answer in list(self._waiting.values()):
            _settle(answer, EOFError())

    def _hear(self, line: bytes) -> None:
        message = _parse(line)
        if message is None:
            if line.strip():
                self.strays.append(line.decode(errors="replace").strip()[:LONGEST_STRAY])
            return
        number = message.get("id")
        if type(number) is int and number in self._waiting:
            _settle(self._waiting.pop(number), _read_answer(message))
        elif type(number) is int and 0 < number <= self._last:
            self.notes.append(f"answered the request {number} twice, or after it was given up")
        else:
            self._refuse(message)

    def _refuse(self, message: dict[str, Any]) -> None:
        """Fail what is in flight: an answer that fits no request may be the answer to any."""
        asked = ", ".join(map(str, self._waiting)) or "none"
        if "method" in message:
            problem = f"sent a request of its own, {message['method']!r:.40}: only answer"
        else:
            problem = (
                f"answered with the id {message.get('id')!r:.40}, which was not asked "
                f"(in flight: {asked}): repeat the id of the request"
            )
        self.notes.append(problem)
        for answer in list(self._waiting.values()):
            _settle(answer, ProtocolError(problem))


def _parse(line: bytes) -> dict[str, Any] | None:
    """Return the JSON-RPC message of a line, or None if it is something else."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
    return message if is_message else None


def _read_answer(message: dict[str, Any]) -> Any:
    if "error" in message and message["error"] is not None:
        return _make_error(message["error"])
    if "result" not in message:
        return ProtocolError("answered with neither result nor error: write one of them")
    return message["result"]


def _make_error(error: Any) -> Exception:
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return ProtocolError(
            f"answered with the error {error!r:.80}: an error has a code and a message"
        )
    text, code, data = error["message"], error.get("code"), error.get("data")
    if code == INVALID_PARAMETERS:
        return ValueError(text)
    name = data.get("name") if isinstance(data, dict) else None
    default = NAMES.get(code, f"Error {code}") if isinstance(code, int) else "Error"
    return RemoteError(f"{name if isinstance(name, str) and name else default}: {text}")


def _settle(answer: "asyncio.Future[Any]", value: Any) -> None:
    if answer.done():  # who asked may have stopped waiting
        return
    if isinstance(value, Exception):
        answer.set_exception(value)
    else:
        answer.set_result(value)

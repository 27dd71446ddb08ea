"""The mirror's behaviour: record a request, refuse it as the provider would, or answer it."""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from goldfish.mirror.answers import Answer, Answers, Fingerprint, is_auxiliary_by_marks
from goldfish.mirror.connection import RETRY_NOW, Connection
from goldfish.mirror.marks import Marks
from goldfish.mirror.record import Exchange, Json, Kind, Prompt, Record
from goldfish.mirror.rules import Refusal, find_refusal, refuse_length
from goldfish.mirror.script import CallTools, Fail, Hang, HangUp, Reply, Script, Slow
from goldfish.mirror.wire.base import Piece, Wire, count_tokens, dump

MESSAGES = {
    429: "Rate limit reached. Please try again later.",
    500: "The server had an error while processing your request. Sorry about that!",
    503: "The engine is currently overloaded, please try again later.",
    529: "Overloaded",
}
POLL = 0.005  # seconds between two looks at what an answer waits for
NO_JSON = "We could not parse the JSON body of your request."


class Core:
    """What all routes of one mirror share."""

    def __init__(
        self,
        marks: Marks,
        strict: bool,
        context: int | None,
        on_end: Callable[[Exchange], None] | None = None,
    ) -> None:
        self.marks = marks
        self.strict = strict
        self.context = context  # tokens, or no limit
        self.record = Record(on_end)
        self.script = Script()
        self.answers = Answers(marks)
        self.mains: set[Fingerprint] = set()
        self.kept: dict[str, list[Json]] = {}  # what OpenAI stores, by id

    def is_main(self, provider: str, prompt: Prompt) -> bool:
        """Return True if a request looks like those whose replies the agent gives its user."""
        if self.mains and not self.is_known(provider, prompt):
            return False
        return not is_auxiliary_by_marks(prompt)

    def is_known(self, provider: str, prompt: Prompt) -> bool:
        """Return True if the reply to such a request was given to the user before."""
        found = Fingerprint.of(provider, prompt)
        return any(each.covers(found) for each in self.mains)

    def find_refusal(self, wire: Wire, body: Json, prompt: Prompt) -> Refusal | None:
        """Return why the provider would refuse a request."""
        if not self.strict:
            return None
        found = find_refusal(wire.api, body)
        if found is None and self.context is not None:
            found = refuse_length(wire.api, count_tokens(prompt.text), self.context)
        return found


class Generation:
    """A route on which a model answers a prompt."""

    def __init__(self, wire: Wire, core: Core, *, is_auxiliary: bool = False) -> None:
        self._wire = wire
        self._core = core
        self._is_auxiliary = is_auxiliary

    async def __call__(self, connection: Connection) -> None:
        """Record the request and answer it."""
        received = parse_body(await connection.read())
        if received is None:
            await connection.answer(400, self._render_error(400, NO_JSON))
            return
        path = connection.scope.get("path_params") or {}
        body = self._wire.expand(received, path)
        prompt = self._wire.parse(body, path)
        is_main = not self._is_auxiliary and self._core.is_main(self._wire.provider, prompt)
        exchange = self._core.record.add(
            route=name_route(connection),
            provider=self._wire.provider,
            prompt=prompt,
            is_streamed=self._wire.is_streamed(body, path),
            is_main=is_main,
        )
        refusal = self._core.find_refusal(self._wire, body, prompt)
        if refusal is not None:
            self._core.record.change(exchange, status=400, refusal=refusal.message)
            self._core.record.end(exchange, "refused")
            error = self._render_error(400, refusal.message, refusal.error)
            await connection.answer(400, error)
        else:
            await self._act(connection, exchange)

    async def _act(self, connection: Connection, exchange: Exchange) -> None:
        action = self._core.script.take(exchange.prompt)
        if isinstance(action, Fail):
            await self._fail(connection, exchange, action)
        elif isinstance(action, Hang):
            left = await connection.has_left(within=action.seconds)
            self._core.record.end(exchange, "left" if left else "cut")
            await connection.reset()
        else:
            slow = action if isinstance(action, Slow) else Slow(0, 0)
            if slow.seconds and await _wait(connection, slow):
                self._core.record.end(exchange, "left")
                return
            answer = self._choose(exchange, action)
            reply = {"reply": answer.text, "reply_mark": answer.mark, "calls": answer.calls}
            self._core.record.change(exchange, **reply, status=200)
            cut = action if isinstance(action, HangUp) else None
            if exchange.is_streamed:
                await self._stream(connection, exchange, answer, slow.between, cut)
            else:
                await self._send_whole(connection, exchange, answer, cut)

    def _choose(self, exchange: Exchange, action: Any) -> Answer:
        if isinstance(action, Reply):
            return Answer(action.text)
        if isinstance(action, CallTools):
            return self._core.answers.call(exchange.prompt, action.calls)
        is_main, prompt = exchange.is_main, exchange.prompt
        is_known = is_main and self._core.is_known(exchange.provider, prompt)
        return self._core.answers.answer(prompt, is_main=is_main, is_known=is_known)

    async def _fail(self, connection: Connection, exchange: Exchange, fail: Fail) -> None:
        message = fail.message or MESSAGES.get(fail.status, "The request failed.")
        body = self._render_error(fail.status, message) if fail.body is None else fail.body.encode()
        self._core.record.change(exchange, status=fail.status)
        self._core.record.end(exchange, "failed")
        await connection.answer(fail.status, body, headers=RETRY_NOW)

    def _render_error(self, status: int, message: str, code: str | None = None) -> bytes:
        return dump(self._wire.render_error(status, message, code)).encode()

    async def _send_whole(
        self, connection: Connection, exchange: Exchange, answer: Answer, cut: HangUp | None
    ) -> None:
        body = dump(self._wire.render(answer, exchange)).encode()
        # The record knows before the client can look.
        self._core.record.end(exchange, "answered" if cut is None else "cut")
        if cut is None:
            await connection.answer(200, body)
        elif cut.clean:
            await connection.answer(200, body[: len(body) // 2])
        else:
            await connection.reset()

    async def _stream(
        self,
        connection: Connection,
        exchange: Exchange,
        answer: Answer,
        between: float,
        cut: HangUp | None,
    ) -> None:
        record = self._core.record
        pieces = list(self._wire.stream(answer, exchange))
        await connection.begin(200, self._wire.event_stream)
        for number, piece in enumerate(pieces if cut is None else _cut(pieces, cut.after)):
            if await connection.has_left(within=between if piece.is_content else 0):
                record.end(exchange, "left")
                return
            if number == len(pieces) - 1:
                record.end(exchange, "answered")
                await connection.end(piece.data)
                return
            await connection.send(piece.data)
            record.change(exchange, pieces=exchange.pieces + piece.is_content)
        record.end(exchange, "cut")
        if cut is not None and cut.clean:
            await connection.end()
        else:
            await connection.has_left(within=0.01)  # let the pieces before reach the client
            await connection.reset()


class Lookup:
    """A route that thinks nothing: the answer is a function of the request."""

    def __init__(
        self, answer: Callable[[Json, Mapping[str, str]], Json], core: Core, kind: Kind = "other"
    ) -> None:
        self._answer = answer
        self._core = core
        self._kind = kind

    async def __call__(self, connection: Connection) -> None:
        """Record the request and answer it, in a thread: a model may compute."""
        received = parse_body(await connection.read() or b"{}")
        if received is None:
            await connection.answer(400, dump({"error": {"message": NO_JSON}}).encode())
            return
        path = connection.scope.get("path_params") or {}
        exchange = record_other(self._core, connection, received, self._kind)
        answer = await asyncio.to_thread(self._answer, received, path)
        self._core.record.change(exchange, status=200)
        self._core.record.end(exchange, "answered")
        await connection.answer(200, dump(answer).encode())


def record_other(core: Core, connection: Connection, body: Json, kind: Kind) -> Exchange:
    """Record a request that shows a model no prompt."""
    prompt = Prompt((), raw=body, model=str(body.get("model", "")))
    route = name_route(connection)
    return core.record.add(route=route, provider="", prompt=prompt, kind=kind, is_main=False)


def name_route(connection: Connection) -> str:
    """Return the method and the path of a request."""
    return f"{connection.scope['method']} {connection.scope['path']}"


def parse_body(body: bytes) -> Json | None:
    """Return the JSON object of a request; None if there is none."""
    try:
        parsed = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _cut(pieces: list[Piece], after: int) -> list[Piece]:
    """Return the pieces up to so many that say something, and none of those that finish."""
    content = [at for at, piece in enumerate(pieces) if piece.is_content]
    if not content:
        return pieces[:1]
    return pieces[: content[after]] if after < len(content) else pieces[: content[-1] + 1]


async def _wait(connection: Connection, slow: Slow) -> bool:
    """Wait before an answer; return True if the client left meanwhile."""
    if slow.until is None:
        return await connection.has_left(within=slow.seconds)
    end = time.monotonic() + slow.seconds
    while not slow.until() and (left := end - time.monotonic()) > 0:
        if await connection.has_left(within=min(left, POLL)):
            return True
    return False

"""The mirror as its users hold it: start, script, read what it was shown."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from goldfish.mirror.answers import Fingerprint
from goldfish.mirror.environment import make_environment
from goldfish.mirror.marks import SAID, Marks
from goldfish.mirror.record import Exchange, Prompt
from goldfish.mirror.script import Entry, Scripting
from goldfish.mirror.server import Core

if TYPE_CHECKING:  # it needs the extra, and only where a mirror is started
    from goldfish.mirror.http import HTTPServer


class Turn(Scripting):
    """What happens between a question to an agent and its answer; its script ends with it.

    ``with mirror.turn() as turn: turn.fail(500, times=None); agent.say(...)``. Turns may overlap:
    ``when=`` tells their requests apart.
    """

    def __init__(self, core: Core) -> None:
        self._core = core
        self._entries: list[Entry] = []
        self._first = core.record.total
        self._last: int | None = None

    def _queue(self, entry: Entry) -> None:
        self._entries.append(entry)
        self._core.script.add(entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Drop what is left of the turn's script."""
        self._core.script.drop(self._entries)
        self._last = self._core.record.total

    @property
    def exchanges(self) -> list[Exchange]:
        """The requests that arrived during the turn, those of turns that overlap it included."""
        last = self._core.record.total if self._last is None else self._last
        return [
            each
            for each in self._core.record
            if each.kind == "generation" and self._first < each.number <= last
        ]


class Mirror(Scripting):
    """A model endpoint on loopback; a context manager, sync and async.

    ``url`` ends in ``/v1``, as clients of OpenAI want it; ``root`` is the same without.
    ``strict=False`` answers what providers refuse; ``context`` is the longest prompt, in tokens;
    ``on_end`` is called with each exchange that has ended, in the mirror's thread.
    """

    def __init__(
        self,
        *,
        strict: bool = True,
        context: int | None = None,
        seed: int = 0,
        port: int = 0,
        on_end: Callable[[Exchange], None] | None = None,
    ) -> None:
        self._core = Core(Marks(seed), strict, context, on_end)
        self._context = context
        self._port = port
        self._server: HTTPServer | None = None

    def start(self) -> Self:
        """Begin to listen; a mirror that has been started stays as it is."""
        from goldfish.mirror.http import HTTPServer
        from goldfish.mirror.routes import make_routes, make_unknown

        if self._server is None:
            routes, other = make_routes(self._core), make_unknown(self._core)
            self._server = HTTPServer(routes, other, self._port)
        return self

    def stop(self) -> None:
        """Break all connections and stop listening; the record stays."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(self, *_: object) -> None:
        self.stop()

    @property
    def root(self) -> str:
        """The address without a path, as clients of Anthropic, Gemini and Ollama want it."""
        if self._server is None:
            raise ValueError("the mirror does not run: start it, or use it in a with statement")
        return f"http://127.0.0.1:{self._server.port}"

    @property
    def url(self) -> str:
        """The address that ends in ``/v1``."""
        return f"{self.root}/v1"

    @property
    def exchanges(self) -> list[Exchange]:
        """All requests that show a model a prompt, in the order of their arrival."""
        return [each for each in self._core.record if each.kind == "generation"]

    @property
    def requests(self) -> list[Exchange]:
        """All requests: embeddings, lists of models and unknown routes too."""
        return list(self._core.record)

    @property
    def prompts(self) -> list[Prompt]:
        """What the model was shown, oldest first."""
        return [each.prompt for each in self.exchanges]

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that lead clients to this mirror, and nowhere else."""
        return make_environment(self.root)

    def limit_context(self, tokens: int | None) -> None:
        """Refuse prompts that are longer, as a model with so small a context would."""
        self._core.context = tokens

    def draw_mark(self, letter: str = SAID) -> str:
        """Return a new mark, to be said to an agent and found in later prompts."""
        return self._core.marks.draw(letter)

    def find_exchange(self, reply: str) -> Exchange | None:
        """Return the last request whose reply mark is in what an agent returned."""
        marked = [each for each in self._core.record if each.reply_mark]
        return next((each for each in reversed(marked) if str(each.reply_mark) in reply), None)

    def learn(self, reply: str) -> Exchange | None:
        """Take the request that made this answer of an agent as an example of its main requests.

        From then on a request with another system prompt, other tools or another schema is
        auxiliary, and gets all marks that it was shown.
        """
        exchange = self.find_exchange(reply)
        if exchange is not None:
            self.learn_from(exchange)
        return exchange

    def learn_from(self, exchange: Exchange) -> None:
        """Take this request as an example of an agent's main requests."""
        self._core.mains.add(Fingerprint.of(exchange.provider, exchange.prompt))
        self._core.record.change(exchange, is_main=True)

    def turn(self) -> Turn:
        """Begin a turn of an agent, whose script ends with it."""
        return Turn(self._core)

    def wait(
        self, wanted: Callable[[Exchange], object] | None = None, timeout: float = 10.0
    ) -> Exchange | None:
        """Block until a request is as wanted (any, if not said); None if none is in time.

        ``wait(lambda each: each.pieces >= 3)`` returns while a reply is being streamed.
        """
        return self._core.record.wait(wanted or (lambda exchange: True), timeout)

    def clear(self) -> None:
        """Forget the record, the script and what was learnt; marks stay unique."""
        self._core.record.clear()
        self._core.script.clear()
        self._core.mains.clear()
        self._core.kept.clear()
        self._core.context = self._context

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self.exchanges)

    def _queue(self, entry: Entry) -> None:
        self._core.script.add(entry)

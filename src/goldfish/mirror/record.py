"""What the mirror was shown and what it answered, in one form for all providers."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

Json: TypeAlias = dict[str, Any]
# How it ended: "refused" is the provider's 400, "failed" a failure that was scripted, "cut"
# a connection that the mirror closed, "left" one that the client closed. None: it is under way.
Ending: TypeAlias = Literal["answered", "refused", "failed", "cut", "left"]

Kind: TypeAlias = Literal["generation", "embedding", "other", "unknown route"]


@dataclass(frozen=True)
class ToolCall:
    """A tool call: the name, the arguments as JSON text, and the id that its result names."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Tool:
    """A tool that a request offers."""

    name: str
    schema: Json = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True)
class Message:
    """One message of a prompt. A result of a tool is a message of its own, with role ``tool``."""

    role: str
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    name: str | None = None

    def __str__(self) -> str:
        calls = [f"{call.name}({call.arguments})" for call in self.calls]
        return "\n".join(each for each in (self.text, *calls) if each)


@dataclass(frozen=True, eq=False)
class Prompt:
    """What a model was shown: ``"8892" in prompt`` looks in all of its text.

    ``messages`` has everything in order, system messages too, wherever the provider puts them.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    raw: Json = field(default_factory=dict, repr=False)
    model: str = ""
    max_tokens: int | None = None
    output: Json | None = None  # the JSON schema of the answer; {} if any JSON object will do
    forced: str | None = None  # the tool that must be called; "" if any one must
    earlier: int = 0  # items that previous_response_id added: not the agent's memory
    before: "Callable[[], list[Prompt]]" = field(default=list, repr=False)  # older ones

    @cached_property
    def text(self) -> str:
        """All that the messages say, tool calls with their arguments included."""
        return "\n".join(filter(None, map(str, self.messages)))

    @property
    def system(self) -> str:
        """The system prompt; several are joined by line breaks."""
        return "\n".join(each.text for each in self.messages if each.role == "system")

    @property
    def said(self) -> str:
        """The newest message of the user."""
        texts = [each.text for each in self.messages if each.role == "user"]
        return texts[-1] if texts else ""

    def __contains__(self, text: str) -> bool:
        return text in self.text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Prompt of {len(self.messages)} messages, {len(self.text)} characters>"


@dataclass(eq=False)
class Exchange:
    """A request and what became of it."""

    number: int
    route: str
    provider: str
    prompt: Prompt
    kind: Kind = "generation"
    began: float = field(default_factory=time.time)
    is_main: bool = True
    is_streamed: bool = False
    reply: str = ""
    reply_mark: str | None = None  # None if the script gave the text or called tools
    calls: tuple[ToolCall, ...] = ()
    status: int | None = None
    refusal: str | None = None  # the provider's sentence, if it is refused
    pieces: int = 0  # of a stream, as many as were sent
    ended: Ending | None = None
    seconds: float | None = None


class Record:
    """The exchanges in the order of their arrival; any thread may read, wait or clear."""

    def __init__(self, on_end: Callable[[Exchange], None] | None = None) -> None:
        self._on_end = on_end
        self._exchanges: list[Exchange] = []
        self.total = 0  # exchanges ever
        self._changed = threading.Condition()

    def __iter__(self) -> Iterator[Exchange]:
        with self._changed:
            return iter(list(self._exchanges))

    def add(self, **fields: Any) -> Exchange:
        """Record a new exchange."""
        with self._changed:
            self.total += 1
            exchange = Exchange(self.total, **fields)
            self._exchanges.append(exchange)
            # Only to explain a failed assertion: what was shown before this.
            older = partial(self._list_before, self.total)
            object.__setattr__(exchange.prompt, "before", older)
            self._changed.notify_all()
        return exchange

    def _list_before(self, number: int) -> list[Prompt]:
        return [each.prompt for each in self if each.number < number and each.kind == "generation"]

    def change(self, exchange: Exchange, **fields: Any) -> None:
        """Note what became of an exchange, and wake those who wait for it."""
        with self._changed:
            for name, value in fields.items():
                setattr(exchange, name, value)
            self._changed.notify_all()

    def end(self, exchange: Exchange, ended: Ending) -> None:
        """Note how an exchange ended; the first word stands."""
        if exchange.ended is None:
            self.change(exchange, ended=ended, seconds=time.time() - exchange.began)
            if self._on_end is not None:
                self._on_end(exchange)

    def wait(self, wanted: Callable[[Exchange], object], timeout: float) -> Exchange | None:
        """Return the first exchange that is as wanted; None if there is none in time."""

        def find() -> Exchange | None:
            return next((each for each in self._exchanges if wanted(each)), None)

        with self._changed:
            return self._changed.wait_for(find, timeout)

    def clear(self) -> None:
        """Forget all exchanges; numbers go on."""
        with self._changed:
            self._exchanges = []

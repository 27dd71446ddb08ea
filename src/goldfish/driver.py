"""What a check holds in its hands: the memory under test, opened as often as it likes."""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from goldfish.check import Need
from goldfish.client import LocalClient, Methods, StoreError
from goldfish.diagnosis import judge
from goldfish.messages import ChatMessage
from goldfish.pods import Nursery, Pod
from goldfish.sandbox import Sandbox
from goldfish.target import DECLARED_BY_STORES, Target
from goldfish.verdict import Violation

MISSING = object()


class Opened(Protocol):
    """A store that is open here or in another process."""

    methods: Methods

    async def call(self, method: str, *arguments: Any, deadline: float, **options: Any) -> Any: ...

    async def close(self, *, deadline: float) -> None: ...


class OpeningError(Exception):
    """The factory raised; ``first`` says whether on the first, lonely opening of the sandbox."""

    def __init__(self, error: StoreError, *, first: bool) -> None:
        super().__init__(str(error))
        self.cause = error.error
        self.first = first


class Client:
    """One opening of the memory: the calls that a check makes, with their deadline."""

    def __init__(self, opened: Opened, deadline: float) -> None:
        self.opened = opened
        self.deadline = deadline
        self.closed = False

    def has(self, method: str, *parameters: str) -> bool:
        """Whether the store has this method, and it takes these parameters."""
        if method not in self.opened.methods:
            return False
        taken = self.opened.methods[method]
        return taken is None or set(parameters) <= set(taken)

    async def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method as it is; a StoreError says that it raised."""
        return await self.opened.call(method, *arguments, deadline=self.deadline, **options)

    async def add(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Add a batch; when this returns, it is acknowledged."""
        await self.call("add_messages", session, messages)

    async def history(self, session: str, **options: Any) -> list[Any]:
        """The messages as the store hands them out."""
        found = await self.call("get_history", session, **options)
        single = isinstance(found, str | bytes | Mapping) or hasattr(found, "content")
        if single or not isinstance(found, Iterable):
            raise Violation(f"wrong: get_history returned {type(found).__name__}, not messages")
        return list(found)

    async def contents(self, session: str, **options: Any) -> list[Any]:
        """The contents of the history, by which checks know their messages."""
        return [field(message, "content") for message in await self.history(session, **options)]

    async def expect(
        self,
        session: str,
        expected: Iterable[Any],
        *,
        foreign: Iterable[Any] = (),
        gone: Iterable[Any] = (),
        **options: Any,
    ) -> None:
        """Raise the violation that explains why the contents are not the expected ones."""
        found = await self.contents(session, **options)
        judge(list(expected), found, session=session, foreign=foreign, gone=gone)

    async def offer(self, session: str, messages: Sequence[ChatMessage]) -> StoreError | None:
        """Add a batch that the store may refuse; the refusal, or None if it was acknowledged."""
        try:
            await self.add(session, messages)
        except StoreError as error:
            return error
        return None

    async def close(self) -> None:
        """Close this opening."""
        if not self.closed:
            self.closed = True
            await self.opened.close(deadline=self.deadline)


@dataclass
class Memory:
    """The target in one sandbox; ``client`` is its first opening."""

    target: Target
    sandbox: Sandbox
    code: str
    random: Random
    deadline: float
    nursery: Nursery | None = None

    def __post_init__(self) -> None:
        self._clients: list[Client] = []
        self._made = 0

    @property
    def client(self) -> Client:
        """The newest opening in this process."""
        return self._clients[-1]

    async def open(self, **options: Any) -> Client:
        """Open the storage here, once more; it becomes ``client``."""
        opened = await self._opening(
            LocalClient.open(self.target, self.sandbox, deadline=self.deadline, **options)
        )
        client = Client(opened, self.deadline)
        self._clients.append(client)
        return client

    async def elsewhere(self, **options: Any) -> Client:
        """Open the storage in another process; ``client`` stays what it was."""
        if self.nursery is None:
            self.nursery = Nursery(self.target)  # which says why there can be none
        pod = await self._opening(self.nursery.pod(self.sandbox.description(), options))
        client = Client(pod, self.deadline)
        self._clients.insert(0, client)
        return client

    async def reopen(self, **options: Any) -> Client:
        """Close every opening, and open the storage once more."""
        await self.close()
        return await self.open(**options)

    def kill(self, client: Client) -> None:
        """SIGKILL the other process that a client is in."""
        assert isinstance(client.opened, Pod)
        client.closed = True
        client.opened.kill()

    async def close(self) -> None:
        """Close every opening."""
        while self._clients:
            await self._clients.pop().close()

    async def discard(self) -> None:
        """Close what is open, whatever it says: the check is over."""
        for client in self._clients:
            with contextlib.suppress(Exception):
                await client.close()

    def text(self, words: str = "hello") -> str:
        """Words that no other message has: a tag tells which check wrote them."""
        self._made += 1
        return f"[{self.code}-{self._made}] {words}"

    def message(self, content: Any = None, **fields: Any) -> ChatMessage:
        """A message with contents of its own."""
        fields.setdefault("role", "user")
        return ChatMessage(content=self.text() if content is None else content, **fields)

    def messages(self, count: int, **fields: Any) -> list[ChatMessage]:
        """That many messages, each with contents of its own."""
        return [self.message(**fields) for _ in range(count)]

    def session(self, hint: str = "session") -> str:
        """An ordinary session id that no other check uses."""
        self._made += 1
        return f"{hint}-{self.random.randrange(16**6):06x}-{self._made}"

    async def _opening(self, work: Any) -> Any:
        first = self.sandbox.opening == 0
        self.sandbox.opening += 1
        try:
            return await work
        except StoreError as error:
            raise OpeningError(error, first=first) from error


def contents_of(messages: Iterable[Any]) -> list[Any]:
    """The contents of messages, ours or the library's own."""
    return [field(message, "content") for message in messages]


def field(message: Any, name: str) -> Any:
    """A field of a message that came back: ours, a mapping, or a library's own object."""
    if isinstance(message, Mapping):
        return message.get(name, MISSING)
    return getattr(message, name, MISSING)


def missing_need(need: Need, target: Target, client: Client) -> str | None:
    """Why the target does not support what a check needs; None if it does."""
    if need.kind == "method":
        if not client.has(need.name):
            return f"the store has no {need.name}"
        if not client.has(need.name, *need.parameters):
            return f"its {need.name} takes no {', '.join(need.parameters)}"
    if need.kind == "field" and need.name not in target.carries:
        return f"it does not carry {need.name}"
    if need.kind == "retries" and not target.retries:
        return "its ids do not make a retry a no-op"
    if need.kind == "ttl" and not target.takes_ttl:
        return "its factory takes no ttl"
    if need.kind == "opening" and target.claims == "one opening":
        return "not claimed: one opening only"
    if need.kind == "process" and target.claims in {"one opening", "one process"}:
        return f"not claimed: {target.claims} only"
    return None


def declared_by(store: object, target: Target) -> Target:
    """The target with what the store itself declares, as adapters do by attributes.

    A stranger's attribute of the same name that means something else is not a declaration.
    """
    said: dict[str, Any] = {
        name: value
        for name, is_one in DECLARED_BY_STORES.items()
        if is_one(value := getattr(store, name, None))
    }
    if "carries" in said:
        said["carries"] = frozenset(said["carries"]) | {"content"}
    return replace(target, **said)

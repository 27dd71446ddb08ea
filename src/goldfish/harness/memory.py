"""What a check holds in its hands: the memory under test, opened as often as it likes."""

import asyncio
import contextlib
import dataclasses
import math
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Protocol

from goldfish.errors import mask
from goldfish.findings.comparison import expect_contents
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.client import EndedError, LocalClient, Methods, StoreError
from goldfish.harness.hearing import Hearing
from goldfish.harness.pods import ForkServer, Pod
from goldfish.history import FAULT, Call, History, Outcome
from goldfish.history.faults import PodFault
from goldfish.messages import ChatMessage
from goldfish.services import reaper
from goldfish.targets.declaration import Target
from goldfish.world.sandbox import Sandbox

MISSING = object()
PACE = 50  # messages by which the pace of a store is known


class Opened(Protocol):
    """A store that is open here or in another process."""

    methods: Methods
    lacking: dict[str, str]
    hearing: Hearing

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

    def __init__(self, opened: Opened, deadline: float, name: str, history: History) -> None:
        self.opened = opened
        self.deadline = deadline
        self.closed = False
        self.name = name
        self._history = history

    def has(self, method: str, *parameters: str) -> bool:
        """Whether the store has this method, and it takes these parameters."""
        if method not in self.opened.methods or self.counts_replies(method, *parameters):
            return False
        taken = self.opened.methods[method]
        return taken is None or set(parameters) <= set(taken)

    def counts_replies(self, method: str, *parameters: str) -> bool:
        """Return True if unpredictable agent replies would change what this method counts."""
        return self.opened.hearing.answers and (method == "trim" or "last" in parameters)

    def lacking(self, method: str) -> str:
        """Why the store has this method and cannot use it here, by its own word; else nothing."""
        return self.opened.lacking.get(method, "")

    def waiting(self, deadline: float) -> "Client":
        """The same opening for one who waits longer, or shorter."""
        return Client(self.opened, deadline, self.name, self._history)

    async def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Call a method as it is; a StoreError says that it raised."""
        start, error, result = time.perf_counter(), "", None
        outcome: Outcome = "unknown"
        try:
            deadline = self.deadline + more_patience(arguments)
            result = await self.opened.call(method, *arguments, deadline=deadline, **options)
            outcome = "ok"
            return result
        except StoreError as raised:
            outcome = "unknown" if isinstance(raised.error, EndedError) else "fail"
            error = mask(str(raised))
            raise
        finally:
            told = _told(method, arguments, options, result)
            times = start, time.perf_counter()
            self._history.calls.append(Call(self.name, *told, *times, outcome, error, self.name))

    async def add(self, session: str, messages: Sequence[ChatMessage]) -> None:
        """Add a batch; when this returns, it is acknowledged."""
        await self.call("add_messages", session, messages)

    async def history(self, session: str, **options: Any) -> list[Any]:
        """The messages as the store hands them out."""
        return messages_in(await self.call("get_history", session, **options))

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
        expect_contents(list(expected), found, session=session, foreign=foreign, gone=gone)

    async def offer(self, session: str, messages: Sequence[ChatMessage]) -> StoreError | None:
        """Add a batch that the store may refuse; the refusal, or None if it was acknowledged."""
        try:
            await self.add(session, messages)
        except StoreError as error:
            return error
        return None

    def abandon(self) -> None:
        """Leave this opening to itself: something in it may never return."""
        self.closed = True
        if isinstance(self.opened, LocalClient):
            self.opened.abandon()

    async def close(self) -> None:
        """Close this opening."""
        if not self.closed:
            self.closed = True
            await self.opened.close(deadline=self.deadline)


def more_patience(arguments: Sequence[Any]) -> float:
    """The seconds that a call may take beyond its deadline, for what was handed in.

    A store that writes message by message is slow with thousands of them, and still not wedged.
    """
    batches = [each for each in arguments if isinstance(each, list | tuple)]
    contents = [field(each, "content") for batch in batches for each in batch]
    characters = sum(len(each) for each in contents if isinstance(each, str))
    return 0.02 * len(contents) + characters / 1e6


def _told(
    method: str, arguments: Sequence[Any], options: dict[str, Any], result: Any
) -> tuple[str, str, Any, Any]:
    """The session, action, value and result of a call, as a history has them."""
    session = str(arguments[0]) if arguments else ""
    if method == "add_messages" and isinstance(arguments[1], list | tuple):
        return session, "add", contents_of(arguments[1]), None
    if method == "get_history":
        found = contents_of(result) if isinstance(result, list | tuple) else None
        return session, "read", options.get("last"), found
    return session, method, next(iter([*arguments[1:], *options.values()]), None), result


class Lanes:
    """One opening in this process, or one for each thread, as a place for many calls at once."""

    ended = False

    def __init__(self, clients: Sequence[LocalClient]) -> None:
        self._clients = clients

    async def call(
        self, method: str, *arguments: Any, deadline: float, lane: int = 0, **options: Any
    ) -> Any:
        """What the method returns, called on that lane."""
        return await self.at(lane).call(method, *arguments, deadline=deadline, **options)

    def at(self, lane: int) -> LocalClient:
        """The opening that serves a lane: one may serve several."""
        return self._clients[lane % len(self._clients)]


@dataclass
class Record:
    """Every call of a check, and what the histories among them lost that were judged."""

    history: History = dataclasses.field(default_factory=History)
    acknowledged: int = 0
    lost: int = 0
    rounds: int = 0  # of workloads, by which their sessions are named
    asked: int = 0  # calls of workloads, by which their messages are named

    def add(self, history: History, acknowledged: int, lost: int) -> None:
        """Keep a history that was judged."""
        self.history.calls += history.calls
        self.acknowledged += acknowledged
        self.lost += lost


@dataclass
class Memory:
    """The target in one sandbox; ``client`` is its first opening."""

    target: Target
    sandbox: Sandbox
    code: str
    random: Random
    deadline: float
    fork_server: ForkServer | None = None
    effort: float = 1.0  # how many more tries than usual to give to what happens by chance
    own_servers: bool = False  # whether what is made afresh gets servers of its own
    until: float = math.inf  # when to stop trying, by the monotonic clock
    record: Record = dataclasses.field(default_factory=Record)  # shared by what is made afresh
    hearing: Hearing = dataclasses.field(default_factory=Hearing)  # what was said to this storage

    def __post_init__(self) -> None:
        self._clients: list[Client] = []
        self._pods: list[Pod] = []
        self._made = 0

    @property
    def client(self) -> Client:
        """The newest opening in this process."""
        return self._clients[-1]

    def declare(self, target: Target) -> None:
        """Take over what the store declares, now that it was opened."""
        self.target = target
        self.hearing.answers = target.answers

    def promised(self, code: str) -> bool:
        """Whether the memory makes the promise of this check, which another may build on."""
        return code not in self.target.declines

    async def open(self, **options: Any) -> Client:
        """Open the storage here, once more; it becomes ``client``."""
        self._refuse_unclaimed(1)
        opened = await self._opening(
            LocalClient.open(self.target, self.sandbox, deadline=self.deadline, **options)
        )
        client = self._client(opened, "here")
        self._clients.append(client)
        return client

    async def first(self) -> Client:
        """The newest opening in this process, which is made if there is none."""
        here = [client for client in self._clients if isinstance(client.opened, LocalClient)]
        return here[-1] if here else await self.open()

    async def elsewhere(self, **options: Any) -> Client:
        """Open the storage in another process; ``client`` stays what it was."""
        self._refuse_unclaimed(1)
        pod = await self._opening(self._require_fork_server().pod(*self._orders(options)))
        client = self._client(pod, "pod")
        self._clients.insert(0, client)
        return client

    async def pods(self, count: int, *, lanes: int = 1) -> list[Pod]:
        """Other processes that open the storage all at once."""
        self._refuse_unclaimed(count)
        first = self.sandbox.opening == 0 and count == 1
        born: list[Pod] = []
        for _ in range(count):
            born.append(await self._require_fork_server().unopened(*self._orders({})))
            born[-1].hearing = self.hearing
            self.sandbox.opening += 1
        self._pods += born
        opening = asyncio.gather(*(pod.open(lanes) for pod in born))
        return list(await _opened(opening, first=first))

    async def kill_while_opening(self, count: int) -> None:
        """Let other processes open the storage all at once, and kill each at a random instant."""
        self._refuse_unclaimed(count)
        born = [await self._require_fork_server().unopened(*self._orders({})) for _ in range(count)]
        self.sandbox.opening += count
        opening = [asyncio.create_task(pod.open()) for pod in born]
        for pod in born:
            await asyncio.sleep(self.random.uniform(0, 0.01))
            pod.kill()
        await asyncio.gather(*opening, return_exceptions=True)  # they were not to succeed

    async def callers(self, count: int) -> list[Client]:
        """So many callers of the opening in this process, who may all call at once."""
        lanes = await self.lanes(count)
        return [
            Client(lanes.at(place), self.deadline, f"task{place + 1}", self.record.history)
            for place in range(count)
        ]

    async def lanes(self, count: int) -> "Lanes":
        """The opening in this process, for so many calls at once as its kind allows."""
        first = (await self.first()).opened
        assert isinstance(first, LocalClient)
        alone = {"one opening", "one at a time"}
        if self.target.claims in alone or alone & set(self.target.documented):
            return Lanes([first])

        async def another() -> LocalClient:
            opened = (await self.open()).opened
            assert isinstance(opened, LocalClient)
            return opened

        return Lanes([first, *[await first.beside(another) for _ in range(count - 1)]])

    @contextlib.asynccontextmanager
    async def afresh(self) -> "AsyncIterator[Memory]":
        """The same target in a new sandbox, for as long as the block runs."""
        sandbox = Sandbox(own_servers=self.own_servers)
        try:
            sandbox.provide(self.target.services)
            memory = replace(self, sandbox=sandbox, hearing=Hearing(self.hearing))
            try:
                yield memory
            finally:
                await memory.discard()
        finally:
            sandbox.close()

    async def reopen(self, **options: Any) -> Client:
        """Close every opening, and open the storage once more."""
        await self.close()
        return await self.open(**options)

    def kill(self, client: Client) -> None:
        """SIGKILL the other process that a client is in, and wait until it holds no lock."""
        assert isinstance(client.opened, Pod)
        client.closed = True
        start = time.perf_counter()
        client.opened.kill()
        reaper.wait_until_dead([client.opened.pid])  # so long it may hold what it had locked
        told = FAULT, "", FAULT, str(PodFault("kill", client.name)), None
        self.record.history.calls.append(Call(*told, start, time.perf_counter()))

    async def close(self) -> None:
        """Close every opening."""
        while self._clients:
            await self._clients.pop().close()

    async def discard(self) -> None:
        """Close what is open, whatever it says: the check is over."""
        for client in self._clients:
            with contextlib.suppress(Exception):
                await client.close()
        for pod in self._pods:
            pod.kill()

    async def affordable(self, wanted: int, *, least: int) -> int:
        """So many messages, or as many as this store takes while one waits for a call."""
        began = time.perf_counter()
        await self.client.add(self.session("pace"), self.messages(PACE))
        each = (time.perf_counter() - began) / PACE
        return max(least, min(wanted, int(self.deadline / each)))

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

    def _refuse_unclaimed(self, more: int) -> None:
        """Raise if so many more openings are more than the target ever promised to allow."""
        others = sum(not client.closed for client in self._clients) + len(self._pods)
        if self.target.claims == "one at a time" and others + more > 1:
            raise UnsupportedError(Reason.of(Why.NOT_CLAIMED, "one at a time only"))

    def _client(self, opened: Opened, where: str) -> Client:
        name = f"{where}{self.sandbox.opening}"
        opened.hearing = self.hearing
        return Client(opened, self.deadline, name, self.record.history)

    def _require_fork_server(self) -> ForkServer:
        if self.fork_server is None:
            self.fork_server = ForkServer(self.target)  # which says why there can be none
        return self.fork_server

    def _orders(self, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        return self.sandbox.description(), options

    async def _opening(self, work: Any) -> Any:
        first = self.sandbox.opening == 0
        self.sandbox.opening += 1
        return await _opened(work, first=first)


async def _opened(work: Any, *, first: bool) -> Any:
    try:
        return await work
    except StoreError as error:
        raise OpeningError(error, first=first) from error


def messages_in(found: Any) -> list[Any]:
    """The messages that get_history returned, or a violation if it returned none of that kind."""
    single = isinstance(found, str | bytes | Mapping) or hasattr(found, "content")
    if single or not isinstance(found, Iterable):
        raise Violation(f"wrong: get_history returned {type(found).__name__}, not messages")
    return list(found)


def contents_of(messages: Iterable[Any]) -> list[Any]:
    """The contents of messages, ours or the library's own."""
    return [field(message, "content") for message in messages]


def field(message: Any, name: str) -> Any:
    """A field of a message that came back: ours, a mapping, or a library's own object."""
    if isinstance(message, Mapping):
        return message.get(name, MISSING)
    return getattr(message, name, MISSING)


def identity(found: Any) -> Any:
    """The id of a snapshot: what was returned for it, or what that says of itself."""
    for name in ("id", "snapshot_id"):
        own = field(found, name)
        if own is not MISSING and not callable(own):
            return own
    return found

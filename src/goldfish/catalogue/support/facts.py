"""What a check tells a memory about its users, what it hears of it, and what is wrong with that."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.reason import Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.client import StoreError
from goldfish.harness.memory import MISSING, Client, Memory, field

ENOUGH = 100  # how many facts to ask for where one of a few is looked for


def quote_facts(texts: Sequence[Any]) -> str:
    """The texts of facts as evidence: the first and the last of many."""
    return quote_list(texts, what="facts")


def unwrap_fact(item: Any) -> Any:
    """The fact in what came back: itself, or that of a recollection or of a pair with its score."""
    if isinstance(item, list | tuple) and item:  # a pair that came from another process is a list
        item = item[0]
    inner = field(item, "fact")
    return item if inner is MISSING else inner


def read_text(item: Any) -> Any:
    """What a fact says that came back, ours, a mapping, a library's own object or bare text."""
    fact = unwrap_fact(item)
    return fact if isinstance(fact, str) else field(fact, "text")


def read_metadata(item: Any) -> Any:
    """The metadata of a fact that came back; UnsupportedError if facts have none."""
    found = field(unwrap_fact(item), "metadata")
    if found is MISSING:
        raise UnsupportedError(Why.LACKS_ANSWER, "facts come back without metadata")
    return found


def unpack_facts(found: Any, method: str) -> list[Any]:
    """The facts that a call returned, or a violation if it returned none of that kind."""
    single = isinstance(found, str | bytes | Mapping) or hasattr(found, "text")
    if single or not isinstance(found, Iterable):
        raise Violation(f"wrong: {method} returned {type(found).__name__}, not facts")
    return list(found)


async def recall_texts(client: Client, user: str, query: str, **options: Any) -> list[Any]:
    """The texts that a recall gives, best first."""
    found = await client.call("recall", user, query, **options)
    return [read_text(item) for item in unpack_facts(found, "recall")]


async def fetch_facts(client: Client, user: str, about: Iterable[str] = ()) -> list[Any]:
    """What the store has of a user: all it lists, or all it recalls about these texts."""
    if client.has("list_facts"):
        return unpack_facts(await client.call("list_facts", user), "list_facts")
    options = {"limit": ENOUGH} if client.has("recall", "limit") else {}
    seen: dict[Any, Any] = {}
    for query in dict.fromkeys(about):
        found = unpack_facts(await client.call("recall", user, query, **options), "recall")
        here = Counter[str]()
        for item in found:
            name = repr(_mark(item))
            here[name] += 1  # the same twice in one answer is there twice
            seen.setdefault((name, here[name]), item)
    return list(seen.values())


def _mark(item: Any) -> Any:
    """By what a fact is known again in another answer: its id, or else its text."""
    name = field(unwrap_fact(item), "id")
    return read_text(item) if name is MISSING else name


async def fetch_texts(client: Client, user: str, about: Iterable[str] = ()) -> list[Any]:
    """The texts of what the store has of a user."""
    return [read_text(item) for item in await fetch_facts(client, user, about)]


async def find_id(client: Client, user: str, text: str) -> Any:
    """The store's name for a fact that was told."""
    for item in await fetch_facts(client, user, [text]):
        if read_text(item) == text:
            found = field(unwrap_fact(item), "id")
            if found is MISSING:
                raise UnsupportedError(Why.LACKS_ANSWER, "facts come back without ids")
            return found
    raise Violation(f"lost: user {quote(user)} was told {quote(text)}, which is not there")


async def remember(client: Client, user: str, text: str, **options: Any) -> Any:
    """Tell a fact and return its id, which a stranger may only show where it lists or recalls."""
    answer = await client.call("remember", user, text, **options)
    name = field(unwrap_fact(answer), "id") if answer is not None else MISSING
    return await find_id(client, user, text) if name in (MISSING, None) else name


async def offer(client: Client, user: str, text: str, **options: Any) -> StoreError | None:
    """Tell a fact that the store may refuse; the refusal, or None if it was acknowledged."""
    try:
        await client.call("remember", user, text, **options)
    except StoreError as error:
        return error
    return None


class ExpectedFacts:
    """What was told about whom, and the judgement of what the store has of it."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.texts: dict[str, list[str]] = {}
        self.gone: dict[str, set[str]] = {}

    async def tell(self, user: str, *texts: str, client: Client | None = None, **more: Any) -> None:
        """Tell facts about a user, one after the other."""
        for text in texts:
            await (client or self.memory.client).call("remember", user, text, **more)
            self.note(user, text)

    def note(self, user: str, text: str) -> None:
        """A fact was told and acknowledged."""
        self.texts.setdefault(user, []).append(text)
        self.gone.setdefault(user, set()).discard(text)

    def drop(self, user: str, *texts: str) -> None:
        """Facts were forgotten, revised or expired: of all that was told, if none is named."""
        for text in texts or list(self.texts.get(user, [])):
            self.texts[user].remove(text)
            self.gone.setdefault(user, set()).add(text)

    async def expect(self, *users: str, client: Client | None = None) -> None:
        """Raise what is wrong with what the store has of these users, or of all."""
        for user in users or list(self.texts):
            found = await self.fetch(user, client=client)
            self.compare(user, found)

    async def fetch(self, user: str, *, client: Client | None = None) -> list[Any]:
        """The texts that the store has of a user."""
        about = [*self.texts.get(user, []), *self.gone.get(user, ())]
        return await fetch_texts(client or self.memory.client, user, about)

    def compare(self, user: str, found: Sequence[Any]) -> None:
        """Raise what is wrong with these texts of a user, in whatever order they are."""
        expected = self.texts.get(user, [])
        evidence = (f"told {quote_facts(expected)}", f"found {quote_facts(found)}")
        self.blame(user, found, *evidence)
        counts = Counter(map(repr, found))
        missing = [text for text in expected if repr(text) not in counts]
        extra = [text for text in found if text not in expected]
        who = f"user {quote(user)}"
        if missing and len(missing) == len(extra):
            raise Violation(
                f"corrupted: {who} was told {quote(missing[0])} and has {quote(extra[0])}",
                *evidence,
                session=user,
                about=(missing[0], extra[0]),
            )
        if missing:
            many = f"{len(missing)} of {len(expected)} missing"
            raise Violation(
                f"lost: {who} was told {quote(missing[0])} ({many})",
                *evidence,
                session=user,
                about=tuple(missing),
            )
        if extra:
            raise Violation(
                f"phantom: {who} has {quote(extra[0])}, which nobody told",
                *evidence,
                session=user,
                about=tuple(extra),
            )
        for text in expected:
            if counts[repr(text)] > 1:
                many = f"{counts[repr(text)]} times"
                raise Violation(
                    f"duplicated: {who} has {quote(text)} {many}",
                    *evidence,
                    session=user,
                    about=(text,),
                )

    def blame(self, user: str, found: Iterable[Any], *evidence: str) -> None:
        """Raise if one of these texts is another user's alone, or was to be gone."""
        own = self.texts.get(user, [])
        for text in found:
            if text in own:
                continue
            if text in self.gone.get(user, ()):
                raise Violation(
                    f"resurrected: user {quote(user)} still has {quote(text)}",
                    *evidence,
                    session=user,
                    about=(text,),
                )
            for other, theirs in self.texts.items():
                if other != user and text in theirs:
                    raise Violation(
                        f"leaked: user {quote(user)} was given {quote(text)}, "
                        f"which was told about {quote(other)}",
                        *evidence,
                        session=user,
                        about=(text,),
                    )


def expect_first(found: Sequence[Any], wanted: str, query: str, *, among: int = 1) -> None:
    """Raise unless the wanted text is among the first of what was recalled."""
    if wanted in list(found)[:among]:
        return
    evidence = f"recalled {quote_facts(found)}"
    if wanted not in found:
        raise Violation(f"lost: {quote(query)} does not recall {quote(wanted)}", evidence)
    place, within = list(found).index(wanted) + 1, "first"
    if among > 1:
        within = f"among the first {among}"
    raise Violation(
        f"wrong: {quote(query)} recalls {quote(wanted)} in place {place}, not {within}", evidence
    )

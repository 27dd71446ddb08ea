"""Facts as checks tell, read and compare them, whatever shape a store returns them in."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goldfish.findings.comparison import quote, quote_list
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError, describe_error
from goldfish.harness.fields import words_of
from goldfish.harness.memory import MISSING, Client, Memory, field

A_PAGE = 10  # a list may have a limit by default, of so many facts or more
ENOUGH = 100  # facts to ask for when looking for one of a few
ACCIDENTS = {"AttributeError", "TypeError", "NameError", "UnboundLocalError", "RecursionError"}
# A long fact repeats the one and ends with the other.
MEETING = (
    "In the meeting of the house owners the chair read the minutes of last year, the treasurer "
    "explained the bills for heating, water and the lift, and two neighbours argued about bicycles "
    "in the corridor, noise after ten and the colour of the front door. "
)
AT_THE_END = "Finally they agreed that the spare key is hidden under the blue flowerpot."


def quote_facts(texts: Sequence[Any]) -> str:
    """Return the texts of facts as evidence: the first and the last of many."""
    return quote_list(texts, what="facts")


def unwrap_fact(item: Any) -> Any:
    """Return the fact in an item: the item, or the fact of a recollection or of a scored pair."""
    if isinstance(item, list | tuple) and item:  # a pair that came from another process is a list
        item = item[0]
    inner = field(item, "fact")
    return item if inner is MISSING else inner


def read_text(item: Any) -> Any:
    """Return the text of a returned item: ours, a mapping, a library's own object or bare text."""
    return words_of(unwrap_fact(item))


def read_metadata(item: Any) -> Any:
    """Return the metadata of a returned item; raise UnsupportedError if it has none."""
    found = field(unwrap_fact(item), "metadata")
    if found is MISSING:
        raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, "facts come back without metadata"))
    return found


def unpack_facts(found: Any, method: str) -> list[Any]:
    """Return the items of a list of facts; raise if a method returned something else."""
    single = isinstance(found, str | bytes | Mapping) or words_of(found) is not MISSING
    if single or not isinstance(found, Iterable):
        raise Violation(f"wrong: {method} returned {type(found).__name__}, not facts")
    return list(found)


async def recall_texts(client: Client, user: str, query: str, **options: Any) -> list[Any]:
    """Return the texts that a recall finds, best first."""
    found = await client.call("recall", user, query, **options)
    return [read_text(item) for item in unpack_facts(found, "recall")]


async def fetch_facts(client: Client, user: str, about: Iterable[str] = ()) -> list[Any]:
    """Return what the store lists about a user, or else recalls about these texts."""
    about = list(about)
    if client.has("list_facts"):
        listed = unpack_facts(await client.call("list_facts", user), "list_facts")
        if A_PAGE <= len(listed) < len(about) and client.has("list_facts", "limit"):
            # It may be a page of a size that its signature shows: ask for all by the limit.
            return await _list_whole(client, user, 2 * len(about))
        return listed
    options = {"limit": ENOUGH} if client.has("recall", "limit") else {}
    seen: dict[Any, Any] = {}
    for query in dict.fromkeys(about):
        found = unpack_facts(await client.call("recall", user, query, **options), "recall")
        here = Counter[str]()
        for item in found:
            name = repr(_identify(item))
            here[name] += 1  # twice in one answer means stored twice
            seen.setdefault((name, here[name]), item)
    return list(seen.values())


async def _list_whole(client: Client, user: str, count: int) -> list[Any]:
    """Return all facts of a user, page by page if the store refuses to list so many at once."""
    most = client.opened.transcript.dialect.most.get("list_facts", count)
    whole = page = unpack_facts(await client.call("list_facts", user, limit=count), "list_facts")
    while len(page) >= most:
        if not client.has("list_facts", "offset"):
            told = f"list_facts lists no more than {most} facts"
            raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, told))
        found = await client.call("list_facts", user, limit=most, offset=len(whole))
        page = unpack_facts(found, "list_facts")
        whole = [*whole, *page]
    return whole


def _identify(item: Any) -> Any:
    """Return the id of a fact, or else its text, by which another answer shows the same fact."""
    name = field(unwrap_fact(item), "id")
    return read_text(item) if name is MISSING else name


async def fetch_texts(client: Client, user: str, about: Iterable[str] = ()) -> list[Any]:
    """Return the texts of what the store has about a user."""
    return [read_text(item) for item in await fetch_facts(client, user, about)]


async def find_fact(client: Client, user: str, text: str) -> Any:
    """Return the fact with this text; raise if the store does not return it."""
    for item in await fetch_facts(client, user, [text]):
        if read_text(item) == text:
            return unwrap_fact(item)
    raise Violation(
        f"lost: {quote(text)} was acknowledged for user {quote(user)}, but a later read does not "
        "return it"
    )


async def find_id(client: Client, user: str, text: str) -> Any:
    """Return the id that the store gave to a fact."""
    found = field(await find_fact(client, user, text), "id")
    if found is MISSING:
        raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, "facts come back without ids"))
    return found


async def remember(client: Client, user: str, text: str, **options: Any) -> Any:
    """Tell a fact and return its id, which some stores show only when they list or recall."""
    answer = await client.call("remember", user, text, **options)
    name = field(unwrap_fact(answer), "id") if answer is not None else MISSING
    return await find_id(client, user, text) if name in (MISSING, None) else name


async def is_told_by_answer(client: Client, user: str) -> bool:
    """Return True if revising a fact that is there returns something, as "not None" or True."""
    name = await remember(client, user, "The kettle is blue")
    return bool(await client.call("revise", user, name, "The kettle is red"))


async def offer(client: Client, user: str, text: str, **options: Any) -> StoreError | None:
    """Tell a fact that the store may refuse; return the refusal, or None."""
    try:
        await client.call("remember", user, text, **options)
    except StoreError as error:
        return error
    return None


def is_accident(error: StoreError) -> bool:
    """Return True if a store raised by mistake, as on None, and not to say "there is no such"."""
    kind = describe_error(error.error).partition(":")[0].rpartition(".")[2]
    return kind in ACCIDENTS


async def get_fact(client: Client, user: str, name: Any) -> Any:
    """Return a fact by its id, or None if there is none; a store may also raise then."""
    try:
        return await client.call("get_fact", user, name)
    except StoreError as error:
        if is_accident(error):
            raise
        return None


class ExpectedFacts:
    """The facts that were acknowledged, by user, those that were removed, and those in doubt.

    A fact is in doubt if telling it failed: it may be there or not, but once seen it has to stay.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.texts: dict[str, list[str]] = {}
        self.gone: dict[str, set[str]] = {}
        self.doubtful: dict[str, set[str]] = {}

    async def tell(self, user: str, *texts: str, client: Client | None = None, **more: Any) -> None:
        """Tell facts about a user, one after the other, and note them."""
        for text in texts:
            self.doubtful.setdefault(user, set()).add(text)
            await (client or self.memory.client).call("remember", user, text, **more)
            self.note(user, text)

    def note(self, user: str, text: str) -> None:
        """Note that a fact was acknowledged."""
        self.texts.setdefault(user, []).append(text)
        for others in (self.gone, self.doubtful):
            others.setdefault(user, set()).discard(text)

    def drop(self, user: str, *texts: str) -> None:
        """Note that these facts, or all, were forgotten or revised or have expired."""
        for text in texts or list(self.texts.get(user, [])):
            self.texts[user].remove(text)
            self.gone.setdefault(user, set()).add(text)

    async def expect(self, *users: str, client: Client | None = None) -> None:
        """Raise if the store does not return exactly the facts about these users, or about all."""
        for user in users or list(self.texts):
            self.compare(user, await self.fetch(user, client=client))

    async def fetch(self, user: str, *, client: Client | None = None) -> list[Any]:
        """Return the texts that the store has about a user."""
        about = [*self.texts.get(user, []), *self.gone.get(user, ()), *self.doubtful.get(user, ())]
        return await fetch_texts(client or self.memory.client, user, about)

    def compare(self, user: str, found: Sequence[Any]) -> None:
        """Raise what is wrong with the texts that were found about a user, in any order."""
        for text in self.doubtful.get(user, set()).intersection(map(str, found)):
            self.note(user, text)
        evidence = (f"told {quote_facts(self.texts.get(user, []))}", f"found {quote_facts(found)}")
        self.blame(user, found, *evidence)
        if fault := self._describe_fault(user, found):
            summary, *about = fault
            raise Violation(summary, *evidence, session=user, about=tuple(about))

    def _describe_fault(
        self, user: str, found: Sequence[Any]
    ) -> tuple[str, *tuple[Any, ...]] | None:
        """Return what is wrong as a sentence, and the texts that it is about."""
        expected, who = self.texts.get(user, []), f"user {quote(user)}"
        counts = Counter(map(repr, found))
        missing = [text for text in expected if repr(text) not in counts]
        extra = [text for text in found if text not in expected]
        if missing:
            told = f"{quote(missing[0])} was acknowledged for {who}, but a later read"
            if len(missing) == len(extra):
                return f"corrupted: {told} returns {quote(extra[0])}", missing[0], extra[0]
            share = f"({len(missing)} of {len(expected)} missing)"
            return f"lost: {told} does not return it {share}", *missing
        if extra:
            return f"phantom: {who} has {quote(extra[0])}, which was never told", *extra
        for text in expected:
            if (times := counts[repr(text)]) > 1:
                return f"duplicated: {who} has {quote(text)} {times} times", text
        return None

    def blame(self, user: str, found: Iterable[Any], *evidence: str) -> None:
        """Raise if one of these texts was removed, or is about another user only."""
        own = self.texts.get(user, [])
        for text in found:
            if text in own:
                continue
            now = f"but user {quote(user)} has it"
            if text in self.gone.get(user, ()):
                fault = f"resurrected: {quote(text)} was removed, {now}"
                raise Violation(fault, *evidence, session=user, about=(text,))
            for other in self._find_owners(user, text):
                fault = f"leaked: {quote(text)} was told about user {quote(other)}, {now}"
                raise Violation(fault, *evidence, session=user, about=(text,))

    def _find_owners(self, user: str, text: Any) -> list[str]:
        """Return the others that a text was told about; none if it was told about the user."""
        expected = [other for other, theirs in self.texts.items() if text in theirs]
        # What a check told beside, to learn how the store recalls, only the history knows.
        calls = [call for call in self.memory.record.history.calls if call.action == "remember"]
        beside = [call.session for call in calls if call.value == text]
        return [*expected, *beside] if user not in beside else expected


def expect_first(found: Sequence[Any], wanted: str, query: str, *, among: int = 1) -> None:
    """Raise unless the wanted text is among the first texts that a query recalled."""
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

"""What the interview asks about what nobody wrote: is it empty, or is it refused?"""

import re
from collections.abc import Awaitable, Callable

from goldfish.catalogue.support.facts import remember
from goldfish.harness.errors import StoreError, name_error
from goldfish.harness.memory import Memory

FACT = "Ann keeps bees in Lisbon"
NAMES = re.compile(r"not_?(found|exist|known)|unknown|missing|no_?such|no_?result", re.IGNORECASE)
# What is asked about an unknown session or user, and with what beside its id.
ABOUT_SESSIONS = (
    "get_history",
    "clear",
    "trim",
    "delete_messages",
    "set_ttl",
    "get_ttl",
    "get_state",
)
ABOUT_USERS = ("list_facts", "recall", "forget_all")
ABOUT_FACTS = ("get_fact", "forget")


async def find_refusals_of_unknowns(memory: Memory) -> dict[str, str]:
    """Return, by method, the error that says that a session, a user or a fact is not there."""
    found: dict[str, str] = {}
    for method in (*ABOUT_SESSIONS, *ABOUT_USERS, *ABOUT_FACTS):
        if not memory.client.has(method, *(["keep_last"] if method == "trim" else [])):
            continue
        one, two = [await _find_refusal(memory, method) for _ in range(2)]
        if one and one == two:
            found[method] = one
    return found


async def _find_refusal(memory: Memory, method: str) -> str:
    """Return the kind of error that a method raises about something unknown, or nothing."""
    try:
        await ASK.get(method, _ask_by_id)(memory, method)
    except StoreError as refusal:
        return name_error(refusal.error) if is_about_unknowns(refusal.error) else ""
    return ""


def is_about_unknowns(error: BaseException) -> bool:
    """Return True if an error may say that something is not there, and is not an accident."""
    kinds = (LookupError, ValueError, FileNotFoundError)
    return isinstance(error, kinds) or NAMES.search(type(error).__name__) is not None


async def _ask_by_id(memory: Memory, method: str) -> None:
    await memory.client.call(method, memory.session("unknown"))


async def _ask_fact(memory: Memory, method: str) -> None:
    """Ask about a fact that was forgotten: only the memory knows what its ids look like."""
    client, user = memory.client, memory.session("user")
    name = await remember(client, user, memory.text(FACT))
    try:
        await client.call("forget", user, name)
    except StoreError:
        return
    await client.call(method, user, name)


Ask = Callable[[Memory, str], Awaitable[object]]
ASK: dict[str, Ask] = {
    "trim": lambda memory, _: memory.client.call("trim", memory.session("unknown"), keep_last=1),
    "delete_messages": lambda memory, method: memory.client.call(
        method, memory.session("unknown"), [memory.message().id]
    ),
    "set_ttl": lambda memory, method: memory.client.call(method, memory.session("unknown"), 60),
    "recall": lambda memory, method: memory.client.call(method, memory.session("unknown"), FACT),
    "get_fact": _ask_fact,
    "forget": _ask_fact,
}

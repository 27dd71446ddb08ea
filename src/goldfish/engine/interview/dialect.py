"""Learns the dialect of a memory: first of all, because every later answer is in it."""

from collections.abc import Awaitable, Mapping
from typing import Any, TypeVar

from goldfish.engine.interview import contents, facts, messages, reading, snapshots, unknowns
from goldfish.engine.interview.learnt import NO_ANSWER, Learnt
from goldfish.harness.memory import Memory

T = TypeVar("T")
# What is said otherwise by a memory without a trait, so that checks understand it all the same.
DIALECT: Mapping[str, Mapping[str, Any]] = {
    "ttl_or_none": {"negative_ttl": True},
    "last_zero": {"zero_last": True},
    "verbatim_facts": {"folds_facts": True},
    "deep_values": {"flat_values": True},
    "aware_times": {"naive_times": True},
    "snapshots_in_order": {"newest_first": True},
}


async def learn_dialect(memory: Memory, learnt: Learnt) -> None:
    """Learn how the memory says that there is nothing, and how it is asked for everything."""
    client, declared = memory.client, memory.target.declared
    tells = client.has("remember")
    asks = tells and "prompt_facts" not in declared
    if asks and (settles := await _ask(facts.find_time_to_settle(memory), 0.0)):
        learnt.note("prompt_facts", settles=settles)
    if "plain_metadata" not in declared and (stamps := await _find_stamps(memory)):
        learnt.note("plain_metadata", stamps=sorted(stamps))
    asks = "empty_unknowns" not in declared
    if asks and (unknown := await _ask(unknowns.find_refusals_of_unknowns(memory), {})):
        learnt.note("empty_unknowns", unknown=unknown)
    if client.has("add_messages") and client.has("get_history"):
        await _learn_limits(memory, learnt)
        largest = await _ask(contents.find_largest(memory), None)
        if largest is not None and "large_contents" not in declared:
            learnt.note("large_contents", largest=largest)
    if tells and "large_contents" not in declared:
        largest = await _ask(facts.find_largest(memory), None)
        if largest is not None:
            learnt.note("large_contents", largest_fact=largest)
    if "high_limits" not in declared and (
        most := await _ask(facts.find_highest_limits(memory), {})
    ):
        learnt.note("high_limits", most=most)
    if client.has("save_snapshot") and (label := await _ask(snapshots.find_label(memory), "")):
        learnt.speak(label=label)


async def _find_stamps(memory: Memory) -> frozenset[str]:
    """Return the names of what is added to metadata, now and when it is asked once more."""
    client, stamps = memory.client, frozenset[str]()
    if client.has("add_messages") and client.has("get_history"):
        one, two = [await _ask(messages.find_stamps(memory), frozenset()) for _ in range(2)]
        stamps |= one & two
    if client.has("remember", "metadata"):
        one, two = [await _ask(facts.find_stamps(memory), frozenset()) for _ in range(2)]
        stamps |= one & two
    return stamps


async def _learn_limits(memory: Memory, learnt: Learnt) -> None:
    options = await _ask(reading.find_limits(memory), {})
    learnt.speak(options=options)
    if "window" not in memory.target.declared and not memory.target.answers:
        found = await _ask(reading.find_window(memory), {})
        learnt.speak(options={**options, **found.pop("options", {})})
        learnt.take(**found)


async def _ask(question: Awaitable[T], otherwise: T) -> T:
    try:
        return await question
    except NO_ANSWER:
        return otherwise

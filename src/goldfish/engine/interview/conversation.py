"""The conversation: every question of the interview, put twice, and what was learnt of it."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.engine.interview import facts, messages, storage
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import OpeningError, StoreError
from goldfish.harness.memory import Client, Memory
from goldfish.targets.declaration import learn
from goldfish.targets.traits import TRAITS

# What a question may meet that is no answer: the checks tell it, if it is the memory's fault.
NO_ANSWER = (StoreError, Violation, UnsupportedError, OpeningError)


@dataclass(frozen=True)
class Question:
    """A question about one trait, for memories that have these methods.

    ``ask`` returns whether the memory has the trait, or None if that was not to be seen.
    """

    trait: str
    ask: Callable[[Memory], Awaitable[bool | None]]
    methods: Sequence[tuple[str, ...]] = ()  # each a name, and the parameters that it takes

    def is_for(self, client: Client) -> bool:
        """Return True if the memory can be asked."""
        return all(client.has(*each) for each in self.methods)


ADD, READ, LAST = ("add_messages",), ("get_history",), ("get_history", "last")
TELL, NOTE, LIST = ("remember",), ("remember", "metadata"), ("list_facts",)

# In this order: a later question may build on what was learnt by an earlier one.
QUESTIONS = (
    Question("retries", messages.is_retry_a_no_op, (ADD, READ)),
    Question("first_contents", messages.do_first_contents_stay, (ADD, READ)),
    Question("strict_last", messages.is_negative_last_refused, (ADD, LAST)),
    Question("empty_batches", messages.is_empty_batch_taken, (ADD, READ)),
    Question("any_ids", messages.are_all_ids_taken, (ADD, READ)),
    Question("any_ids", facts.are_all_ids_taken, (TELL,)),
    Question("equal_facts", facts.are_equal_facts_one, (TELL,)),
    Question("fact_metadata", facts.are_metadata_kept, (NOTE,)),
    Question("facts_in_order", facts.are_facts_in_order, (TELL, LIST)),
    Question("filters", facts.do_filters_filter, (NOTE,)),
    Question("scoped_ids", facts.are_ids_scoped, (TELL,)),
)
LONGEST = 60.0  # seconds: of a slow memory less is asked, and it is held to the rest
# What a target has in place of a trait that is absent, where that is a declaration of its own.
ABSENT: Mapping[str, Any] = {"retries": False, "filters": None, "scoped_ids": False}


async def interview(memory: Memory) -> dict[str, Any]:
    """Return what was learnt of an opened memory, as plain data: fields of its target."""
    learnt: dict[str, Any] = {}
    if missing := await messages.find_missing_fields(memory):
        learnt["carries"] = sorted(memory.target.carries - missing)
    give_up = time.monotonic() + LONGEST
    for question in QUESTIONS:
        if time.monotonic() > give_up:
            break
        memory.declare(learn(memory.target, learnt))
        if await _is_absent(memory, question):
            _note_absence(learnt, question.trait)
    if "claims" not in memory.target.declared and await storage.ends_with_its_opening(memory):
        learnt["claims"] = "one opening"
    return learnt


def _note_absence(learnt: dict[str, Any], trait: str) -> None:
    if trait in TRAITS:
        learnt["lacks"] = sorted({*learnt.get("lacks", ()), trait})
    else:
        learnt[trait] = ABSENT[trait]


async def _is_absent(memory: Memory, question: Question) -> bool:
    """Return True if the memory shows twice that it does not have the trait."""
    if question.trait in memory.target.declared or not question.is_for(memory.client):
        return False
    try:
        return all([await question.ask(memory) is False for _ in range(2)])
    except NO_ANSWER:
        return False

"""The conversation: every question of the interview, put twice, and what was learnt of it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from goldfish.engine.interview import contents, deadlines, facts, messages, snapshots, storage
from goldfish.engine.interview.dialect import DIALECT, learn_dialect
from goldfish.engine.interview.learnt import NO_ANSWER, Learnt
from goldfish.harness.memory import Client, Memory
from goldfish.harness.patience import Patience
from goldfish.targets.traits import BESIDE


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
TRIM, TOKENS, EXPIRE = ("trim", "keep_last"), ("trim", "max_tokens"), ("set_ttl",)
TIMED = (EXPIRE, ("get_ttl",))
RESTORE, CLEAR = (("save_snapshot",), ("rollback_to_snapshot",)), ("clear",)
LISTED = (("save_snapshot",), ("list_snapshots",))
STATE = (("set_state",), ("get_state",))
SESSIONS = ("list_sessions",)
TELL, NOTE, LIST = ("remember",), ("remember", "metadata"), ("list_facts",)

# In this order: a later question may build on what was learnt by an earlier one.
QUESTIONS = (
    Question("retries", messages.is_retry_a_no_op, (ADD, READ)),
    Question("first_contents", messages.do_first_contents_stay, (ADD, READ)),
    Question("aware_times", messages.are_times_aware, (ADD, READ)),
    Question("strict_last", messages.is_negative_last_refused, (ADD, LAST)),
    Question("last_zero", messages.is_last_zero_nothing, (ADD, LAST)),
    Question("trim_counts", messages.is_trim_counted, (ADD, TRIM)),
    Question("strict_trim", messages.is_negative_trim_refused, (ADD, READ, TRIM)),
    Question("empty_deadlines", deadlines.do_deadlines_need_messages, (ADD, *TIMED)),
    Question("idle_reads", deadlines.do_reads_leave_deadlines, (ADD, READ, EXPIRE)),
    Question("idle_reads", deadlines.do_reads_leave_a_store_wide_expiry, (ADD, READ)),
    Question("idle_writes", deadlines.do_writes_leave_deadlines, (ADD, READ, EXPIRE)),
    Question("empty_batches", messages.is_empty_batch_taken, (ADD, READ)),
    Question("ttl_or_none", deadlines.is_no_deadline_none, (ADD, READ, ("get_ttl",))),
    Question("unlisted_empties", messages.are_empty_sessions_unlisted, (ADD, SESSIONS)),
    Question("token_limits", messages.is_a_trim_to_tokens_taken, (ADD, READ, TOKENS)),
    Question("any_ids", messages.are_all_ids_taken, (ADD, READ)),
    Question("any_ids", facts.are_all_ids_taken, (TELL,)),
    Question("blank_contents", contents.are_blanks_taken, (ADD, READ)),
    Question("any_message_ids", contents.are_all_message_ids_taken, (ADD, READ)),
    Question("deep_metadata", contents.are_deep_metadata_taken, (ADD, READ)),
    Question("system_messages", contents.are_system_messages_taken, (ADD, READ)),
    Question("tool_messages", contents.are_tool_messages_taken, (ADD, READ)),
    Question("snapshots_in_order", snapshots.are_snapshots_in_order, (ADD, *LISTED)),
    Question("later_snapshots", snapshots.do_later_snapshots_stay, (ADD, READ, *RESTORE)),
    Question("snapshot_deadlines", snapshots.do_snapshots_hold_deadlines, (*RESTORE, *TIMED)),
    Question("cleared_snapshots", snapshots.do_snapshots_outlive_a_clear, (*RESTORE, CLEAR)),
    Question("deep_values", snapshots.are_deep_values_taken, STATE),
    Question("merged_state", snapshots.are_values_merged, STATE),
    Question("snapshot_state", snapshots.do_snapshots_hold_values, (ADD, *RESTORE, *STATE)),
    Question("cleared_state", snapshots.does_a_clear_remove_values, (ADD, CLEAR, *STATE)),
    Question("verbatim_facts", facts.are_facts_verbatim, (TELL,)),
    Question("equal_facts", facts.are_equal_facts_one, (TELL,)),
    Question("fact_metadata", facts.are_metadata_kept, (NOTE,)),
    Question("facts_in_order", facts.are_facts_in_order, (TELL, LIST)),
    Question("steady_fact_ids", facts.do_revised_facts_keep_ids, (TELL, ("revise",))),
    Question("filters", facts.do_filters_filter, (NOTE,)),
    Question("scoped_ids", facts.are_ids_scoped, (TELL,)),
)
BESIDE_ANOTHER = Question(BESIDE, storage.can_be_opened_beside)
SEVERAL = (None, "one writer", "many processes")  # claims that leave it open
LONGEST = 60.0  # seconds: of a slow memory less is asked, and it is held to the rest


async def interview(memory: Memory) -> dict[str, Any]:
    """Return what was learnt of an opened memory, as plain data: fields of its target."""
    learnt = Learnt(memory)
    await learn_dialect(memory, learnt)
    if missing := await messages.find_missing_fields(memory):
        learnt.take(carries=sorted(memory.target.carries - missing))
    patience = Patience(LONGEST)  # on a busy machine, an ordinary memory takes its time too
    for question in QUESTIONS:
        if patience.is_over:
            break
        if await patience.spend_on(_is_absent(memory, question)):
            learnt.note(question.trait, **DIALECT.get(question.trait, {}))
    await _learn_openings(memory, learnt)
    return learnt.fields


async def _learn_openings(memory: Memory, learnt: Learnt) -> None:
    """Learn whether the memory outlives its opening, and allows another one beside it."""
    if "claims" not in memory.target.declared and await storage.ends_with_its_opening(memory):
        learnt.take(claims="one opening")
    elif memory.target.claims in SEVERAL and await _is_absent(memory, BESIDE_ANOTHER):
        learnt.note(BESIDE)


async def _is_absent(memory: Memory, question: Question) -> bool:
    """Return True if the memory shows twice that it does not have the trait."""
    if question.trait in memory.target.declared or not question.is_for(memory.client):
        return False
    try:
        for _ in range(2):
            if await question.ask(memory) is not False:
                return False
        return True
    except NO_ANSWER:
        return False

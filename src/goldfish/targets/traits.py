"""The table of traits: what a right memory may do or not do, and how its target says so."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Trait:
    """Something that a memory does when nothing goes wrong, or never does.

    ``needed`` says it as something that a check requires, ``absence`` as a sentence about a memory
    without it, ``declaration`` is the argument of ``@goldfish.target`` that holds a memory to it.
    """

    name: str
    needed: str
    absence: str
    declaration: str = ""

    @property
    def held_by(self) -> str:
        """The declaration that holds a memory to it."""
        return f"@goldfish.target({self.declaration or f'has={{{self.name!r}}}'})"


BESIDE = "openings_beside"
WHOLE_BATCHES = "whole_batches"
# Traits that a check may name in ``needs``, by their names in ``has`` and ``lacks``.
TRAITS = {
    each.name: each
    for each in (
        Trait(
            "any_ids",
            "any text as an id",
            "Some ids are refused with a ValueError before anything is written.",
            'ids=".*"',
        ),
        Trait(
            "text_ids",
            "ids of sessions and users that are texts",
            "A name is refused as the id of a session or user, which are UUIDs or numbers.",
        ),
        Trait(
            "aware_times",
            "times that say their zone",
            "Times come back in UTC without saying so.",
        ),
        Trait(
            "first_contents",
            "an id that is known keeps its first contents",
            "A message whose id is known, with other contents, replaces the first one.",
        ),
        Trait(
            "strict_last",
            "a negative last that is refused",
            "A negative last is not refused: get_history returns some of the messages.",
        ),
        Trait(
            "last_zero",
            "no messages for a last of 0",
            "get_history(last=0) returns all messages, or is refused.",
        ),
        Trait(
            "trim_counts",
            "a trim that returns how many messages it removed",
            "trim does not return how many messages it removed.",
        ),
        Trait(
            "strict_trim",
            "a negative keep_last that is refused",
            "A negative keep_last is not refused: trim removes some of the messages.",
        ),
        Trait(
            "empty_deadlines",
            "deadlines of sessions with messages only",
            "A deadline that a session gets before its first message counts for that message.",
        ),
        Trait(
            "idle_reads",
            "deadlines that reads do not move",
            "Reading a session renews its deadline.",
        ),
        Trait(
            "idle_writes",
            "deadlines of set_ttl that writes do not move",
            "Writing to a session renews the deadline that set_ttl gave it.",
        ),
        Trait(
            "empty_batches",
            "a batch of no messages that is accepted",
            "A batch of no messages is refused.",
        ),
        Trait(
            "empty_unknowns",
            "what nobody wrote is empty, and to remove it is a no-op",
            "What nobody wrote is refused: reading or removing it raises an error.",
        ),
        Trait(
            "ttl_or_none",
            "None as the time left where there is no deadline",
            "get_ttl returns a number below zero where there is no deadline.",
        ),
        Trait(
            WHOLE_BATCHES,  # declared only: in the quiet every batch is whole
            "batches that are stored as a whole",
            "A batch is stored message by message: one that fails may leave a part.",
        ),
        Trait(
            BESIDE,
            "several openings of the storage in one process",
            "One process cannot open it twice at the same time.",
        ),
        Trait(
            "unlisted_empties",
            "lists of sessions with messages only",
            "list_sessions lists sessions that have no messages, or none any more.",
        ),
        Trait(
            "token_limits",
            "a trim that takes max_tokens alone",
            "trim(max_tokens=…) alone is refused, or limits something else too.",
        ),
        Trait(
            "large_contents",
            "long contents that are taken",
            "Long contents are refused before anything is written.",
        ),
        Trait(
            "blank_contents",
            "messages without a word that are taken",
            "A message without a word is refused.",
        ),
        Trait(
            "any_message_ids",
            "message ids that need not be UUIDs",
            "A message whose id is not a UUID is refused.",
        ),
        Trait(
            "deep_metadata",
            "metadata of messages that may hold lists, dicts and None",
            "Metadata of a message that hold a list, a dict or None are refused.",
        ),
        Trait(
            "system_messages",
            "messages of the system that are taken",
            "A message with the role system is refused.",
        ),
        Trait(
            "tool_messages",
            "results of tools that are taken",
            "A message with the role tool is refused.",
        ),
        Trait(
            "snapshots_in_order",
            "snapshots that are listed oldest first",
            "Snapshots are listed newest first.",
        ),
        Trait(
            "later_snapshots",
            "snapshots that a rollback leaves",
            "A rollback removes the snapshots that are newer than the one it restores.",
        ),
        Trait(
            "snapshot_deadlines",
            "snapshots that hold the time left",
            "A rollback does not restore the time that was left.",
        ),
        Trait(
            "cleared_snapshots",
            "snapshots that outlive a clear",
            "clear removes the snapshots of its session.",
        ),
        Trait(
            "snapshot_state",
            "snapshots that hold the values of a session",
            "A rollback leaves the values of a session as they are.",
        ),
        Trait(
            "cleared_state",
            "values that a clear removes",
            "clear leaves the values of its session.",
        ),
        Trait(
            "deep_values",
            "values that may be lists, dicts and None",
            "set_state refuses lists, dicts or None: they are set as texts.",
        ),
        Trait(
            "high_limits",
            "limits as high as they are asked for",
            "A high limit is refused: less is asked for at once.",
        ),
        Trait(
            "merged_state",
            "values that stay when others are set",
            "set_state removes the values that it does not name.",
        ),
        Trait(
            "equal_facts",
            "equal facts that are one",
            "A fact that is told again is stored again.",
        ),
        Trait(
            "fact_metadata",
            "facts that carry metadata",
            "Facts come back without their metadata.",
        ),
        Trait(
            "steady_fact_ids",
            "facts that keep their ids when they are revised",
            "A revised fact has another id, and the old one serves no more.",
        ),
        Trait(
            "verbatim_facts",
            "facts that come back as they were told",
            "Facts come back in another case or with other spaces.",
        ),
        Trait(
            "plain_metadata",
            "metadata without anything that nobody gave",
            "Metadata come back with fields that the memory adds to all of them.",
        ),
        Trait(
            "prompt_facts",
            "facts that are known once they are told",
            "A fact is known a while after it was told.",
        ),
        Trait(
            "facts_in_order",
            "facts that are listed in the order of telling",
            "list_facts does not list facts in the order in which they were told.",
        ),
    )
}

# Traits that have an argument of their own on ``@goldfish.target``.
CARRIES = Trait("carries", "fields of a message that come back", "Messages come back without {}.")
RETRIES = Trait(
    "retries",
    "ids that make a retry a no-op",
    "A message whose id is known is stored again: a retry duplicates.",
    "retries=True",
)
FILTERS = Trait(
    "filters", "facts that are chosen by a filter", "Filters do not filter.", 'filters="equality"'
)
SCOPED_IDS = Trait(
    "scoped_ids",
    "ids of facts that serve nobody but their user",
    "The id of a fact serves whoever has it: the user is not looked at.",
    "scoped_ids=True",
)
WINDOW = Trait(
    "window",
    "all messages of a session",
    "Only the newest {} messages of a session are kept.",
    "window=None",
)
REOPENING = Trait(
    "claims",
    "a storage that can be opened again",
    "What it remembers ends when it is closed: it is in the process and nowhere else.",
    'claims="many processes"',
)

"""What memories may decide each in its own way, which the model follows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Traits:
    """The decisions of a memory; the defaults are those of the small print."""

    ids_are_kept: bool = True  # a message with a known id is not added again
    clear_takes_state: bool = True
    clear_takes_snapshots: bool = False
    clear_all_takes_state: bool = True
    clear_all_takes_snapshots: bool = True
    clear_all_takes_facts: bool = False
    later_snapshots_stay: bool = True  # when a session is rolled back to an older one
    snapshots_hold_state: bool = True
    snapshots_hold_deadlines: bool = True
    equal_facts_are_one: bool = True
    empty_sessions_keep_deadlines: bool = True  # else their deadlines are not foretold

"""What a fact that a process has added itself changes for it, so that it need not ask."""

from goldfish.stores.facts.backend import Added, Changes, Known, New
from goldfish.stores.retrieval.blocks import Marked, Marks


def make_changes(new: New, added: Added) -> Changes | None:
    """Return what a fact that this process added has changed; None if marks of others lack."""
    if not added.marked:
        return None
    row = added.row
    deadlines = {} if row.expires_at is None else {row.seq: row.expires_at}
    marks = Marks.of([Marked(row.seq, row.said_at, new.marks)])
    is_first = added.known.version == 1
    return Changes(added.known, new.model, added.now, marks, deadlines, anew=is_first)


def is_next(changes: Changes, known: Known) -> bool:
    """Return whether who knows so much needs no other changes: they are one number ahead at most.

    Whose number is beyond that of the changes has taken them in already.
    """
    same = changes.known.epoch == known.epoch
    return changes.anew or (same and known.version >= changes.known.version - 1)

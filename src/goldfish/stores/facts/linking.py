"""The facts that say nearly the same, as callers see them: on both sides of a link.

A link holds as long as both facts are worded as they were when it was noted.
"""

from collections.abc import Iterable

from goldfish.messages import Fact
from goldfish.stores.facts.backend import Row, Stored
from goldfish.stores.facts.encoding import build_fact, decode_links, decode_text
from goldfish.stores.facts.likeness import are_alike


def build_stored(user_id: str, stored: Stored) -> Fact:
    """Return the fact as callers see it, theirs to change."""
    row = stored.row
    return build_fact(
        user_id, row.id, row.base, row.said, times_seen=row.times_seen, near=find_near(stored)
    )


def find_near(stored: Stored) -> list[str]:
    """Return the ids of the facts that this one is linked to, or that are linked to it."""
    row = stored.row
    own = decode_links(row.near)
    found = {
        other.seq: other.id
        for other in stored.around
        if (other.id, other.said_at) in own or is_linked(other, row)
    }
    return [found[seq] for seq in sorted(found)]


def is_linked(newer: Row, older: Row) -> bool:
    """Return whether the newer one was linked to the older one, both worded as they are."""
    return (older.id, older.said_at) in decode_links(newer.near)


def find_alike(row: Row, others: Iterable[Row], text: str) -> list[tuple[str, int]]:
    """Return the links to those of the others that the text repeats, unless they have one."""
    unlinked = (other for other in others if not is_linked(other, row))
    alike = [other for other in unlinked if are_alike(text, decode_text(other.said))]
    return [(other.id, other.said_at) for other in sorted(alike)]

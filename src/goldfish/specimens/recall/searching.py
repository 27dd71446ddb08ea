"""Stores that search what was said, and find too little, too much or what is gone."""

from collections.abc import Sequence
from typing import Any

from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.searching import SearchingReference

variant("searches-then-looks-where", SearchingReference, "REC60", "lost")(
    bug="The ten best messages of all sessions are found, and then those of others are left out.",
    search_history=lambda self, session_ids, query, *, limit=10: [
        each
        for each in self.rank(query, self.gather(self.list_sessions()))[:10]
        if each.session_id in session_ids
    ][:limit],
)
variant("searches-everywhere", SearchingReference, "REC62", "leaked", explains="ISO")(
    bug="A search finds messages of all sessions, whichever are named.",
    gather=lambda self, session_ids: SearchingReference.gather(self, self.list_sessions()),
)
variant("searches-without-limit", SearchingReference, "REC62", "wrong")(
    bug="A search ignores its limit.",
    search_history=lambda self, session_ids, query, *, limit=10: SearchingReference.search_history(
        self, session_ids, query, limit=1000
    ),
)


class Indexed(SearchingReference):
    """A correct store, except that what is searched is a second copy of what was said."""

    def set_up(self) -> None:
        self.index: dict[str, list[Any]] = {}

    def add_messages(self, session_id: str, messages: Sequence[ChatMessage]) -> None:
        super().add_messages(session_id, messages)
        self.index.setdefault(session_id, []).extend(messages)

    def gather(self, session_ids: Sequence[str]) -> list[tuple[str, Any]]:
        return [(each, message) for each in session_ids for message in self.index.get(each, [])]


@specimen("finds-what-was-cleared", "REC61", "resurrected", explains="DUP")
class FindsWhatWasCleared(Indexed):
    bug = "Clearing, deleting and trimming leave the index of the search as it is."


@specimen("finds-what-was-trimmed", "REC61", "resurrected", explains="DUP")
class FindsWhatWasTrimmed(Indexed):
    bug = "Trimming and deleting leave the index of the search as it is; clearing does not."

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.index.pop(session_id, None)

"""The plain store with a search of what was said, by shared words."""

from collections.abc import Sequence
from typing import Any

from goldfish.messages import Found
from goldfish.specimens.references.sqlite import Reference


class SearchingReference(Reference):
    """A correct store that searches the messages themselves, so that no index can be stale."""

    def search_history(
        self, session_ids: Sequence[str], query: str, *, limit: int = 10
    ) -> list[Found]:
        found = self.rank(query, self.gather(session_ids))
        return found[:limit]

    def gather(self, session_ids: Sequence[str]) -> list[tuple[str, Any]]:
        """Return the messages that are searched, each with its session."""
        return [(each, message) for each in session_ids for message in self.get_history(each)]

    def rank(self, query: str, messages: list[tuple[str, Any]]) -> list[Found]:
        """Return the messages that share words with the query, the shortest of the best first."""
        asked, found = set(query.casefold().split()), []
        for session, message in messages:
            words = str(message.content).casefold().split()
            if score := len(asked.intersection(words)):
                weight = score + 1 / (1 + len(words))
                found.append(Found(session_id=session, message=message, score=weight))
        return sorted(found, key=lambda each: -each.score)

"""Memories in which what is known of one user reaches, or is taken from, another."""

from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.sqlite import Reference

EVERYWHERE = "REV REC TTL DUR DUP FLT CON FID"


class LooksForIds(FactsReference):
    """A correct memory that can find a fact by its id alone."""

    def owner(self, fact_id: str) -> str | None:
        """The user who has the fact, whoever asks."""
        row = self.db.execute("SELECT user FROM facts WHERE id = ?", (fact_id,)).fetchone()
        return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")


variant("users-as-slugs", FactsReference, "ISO23", "leaked")(
    bug="A hyphen in a user's id is an underscore.",
    key=lambda self, text: FactsReference.key(self, text.replace("john-", "john_")),
)


@specimen("fills-up-with-others", "ISO24", "leaked", explains=EVERYWHERE)
class FillsUpWithOthers(FactsReference):
    bug = "Where a user has few facts, a recall looks at those of all."

    def candidates(self, user_id: str) -> list[Row]:
        own = super().candidates(user_id)
        every = self.db.execute("SELECT user, id, text, metadata, seen FROM facts").fetchall()
        return own if len(own) > 4 else every


variant("gets-by-id-alone", LooksForIds, "ISO25", "leaked")(
    bug="Who has the id of a fact gets it, whose ever it is.",
    get_fact=lambda self, user_id, fact_id: LooksForIds.get_fact(
        self, self.owner(fact_id) or user_id, fact_id
    ),
)
variant("revises-by-id-alone", LooksForIds, "ISO26", "corrupted")(
    bug="Who has the id of a fact revises it, whose ever it is.",
    revise=lambda self, user_id, fact_id, text: LooksForIds.revise(
        self, self.owner(fact_id) or user_id, fact_id, text
    ),
)
variant("forgets-by-id-alone", LooksForIds, "ISO27", "lost")(
    bug="Who has the id of a fact makes it be forgotten, whose ever it is.",
    forget=lambda self, user_id, fact_id: LooksForIds.forget(
        self, self.owner(fact_id) or user_id, fact_id
    ),
)


@specimen("forgets-everybody", "ISO28", "lost", explains="REV")
class ForgetsEverybody(FactsReference):
    bug = "Forgetting one user resets the table."

    def forget_all(self, user_id: str) -> None:
        self.db.execute("DELETE FROM facts")


@specimen("forgets-by-pattern", "ISO28", "lost", explains="REV")
class ForgetsByPattern(FactsReference):
    bug = "The id of a user to be forgotten is a pattern."

    def forget_all(self, user_id: str) -> None:
        query = "DELETE FROM facts WHERE CAST(user AS TEXT) LIKE ?"
        self.db.execute(query, (user_id,))


@specimen("users-up-to-nul", "ISO29", "leaked", explains="FID")
class UsersUpToNul(FactsReference):
    bug = "A user's id ends where a C string would."

    def rows(self, user_id: str) -> list[Row]:
        return super().rows(user_id.partition("\0")[0])

    def insert(self, user_id: str, text: str, metadata: str, ttl: float | None) -> str:
        return super().insert(user_id.partition("\0")[0], text, metadata, ttl)


@specimen("asterisk-is-everybody", "ISO29", "leaked")
class AsteriskIsEverybody(FactsReference):
    bug = "Of the user '*' it lists what it knows of anybody."

    def rows(self, user_id: str) -> list[Row]:
        if user_id != "*":
            return super().rows(user_id)
        return self.db.execute("SELECT user, id, text, metadata, seen FROM facts").fetchall()


@specimen("filters-name-the-user", "ISO30", "leaked", explains="REC")
class FiltersNameTheUser(FactsReference):
    bug = "A filter may name another user than the one who asks."

    def recall(
        self,
        user_id: str,
        query: str,
        *,
        limit: int = 5,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Recollection]:
        wanted = dict(filter or {})
        whose = str(wanted.pop("user_id", user_id))
        return super().recall(whose, query, limit=limit, offset=offset, filter=wanted)


@specimen("nobody-is-somebody", "ISO31", "leaked", explains=EVERYWHERE)
class NobodyIsSomebody(FactsReference):
    bug = "Of a user who has no facts those of the first user are known."

    def rows(self, user_id: str) -> list[Row]:
        if own := super().rows(user_id):
            return own
        first = self.db.execute("SELECT user FROM facts ORDER BY n LIMIT 1").fetchone()
        return super().rows(bytes(first[0]).decode("utf-8", "surrogatepass")) if first else []


class MessagesAndFacts(Reference):
    """A correct store of messages, and a correct memory for facts beside it."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.facts = FactsReference(sandbox)

    def remember(self, user_id: str, text: str) -> Fact:
        return self.facts.remember(user_id, text)

    def list_facts(self, user_id: str) -> list[Fact]:
        return self.facts.list_facts(user_id)

    def forget_all(self, user_id: str) -> None:
        self.facts.forget_all(user_id)

    def close(self) -> None:
        self.facts.close()
        super().close()


@specimen("clears-what-it-knows", "ISO32", "lost")
class ClearsWhatItKnows(MessagesAndFacts):
    bug = "Clearing a session forgets the user of that name."

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.facts.forget_all(session_id)

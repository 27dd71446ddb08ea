"""Memories in which what is known of one user reaches, or is taken from, another."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from goldfish.messages import Fact, Recollection
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.asynchronous import AsyncFacts
from goldfish.specimens.references.fact_search import Row
from goldfish.specimens.references.facts import FactsReference
from goldfish.specimens.references.keys import decoded
from goldfish.specimens.references.sqlite import Reference

EVERYWHERE = "REV REC TTL DUR DUP FLT CON FID"


class LooksForIds(FactsReference):
    """A correct memory that can also find a fact by its id alone."""

    def owner(self, fact_id: str) -> str | None:
        """Return the user who has the fact, whoever asks."""
        owners = self.column("SELECT user FROM facts WHERE id = ?", fact_id)
        return decoded(owners[0]) if owners else None


variant("users-as-slugs", FactsReference, "ISO23", "leaked")(
    bug="A hyphen in a user's id becomes an underscore.",
    key=lambda self, text: FactsReference.key(self, text.replace("john-", "john_")),
)


@specimen("fills-up-with-others", "ISO24", "leaked", explains=EVERYWHERE)
class FillsUpWithOthers(FactsReference):
    bug = "If a user has few facts, a recall searches those of all users."

    def candidates(self, user_id: str) -> list[Row]:
        own = super().candidates(user_id)
        return own if len(own) > 4 else self.rows_of_all()


variant("gets-by-id-alone", LooksForIds, "ISO25", "leaked")(
    bug="Anyone who has the id of a fact can read it.",
    get_fact=lambda self, user_id, fact_id: LooksForIds.get_fact(
        self, self.owner(fact_id) or user_id, fact_id
    ),
)
variant("revises-by-id-alone", LooksForIds, "ISO26", "corrupted")(
    bug="Anyone who has the id of a fact can revise it.",
    revise=lambda self, user_id, fact_id, text: LooksForIds.revise(
        self, self.owner(fact_id) or user_id, fact_id, text
    ),
)
variant("forgets-by-id-alone", LooksForIds, "ISO27", "lost")(
    bug="Anyone who has the id of a fact can delete it.",
    forget=lambda self, user_id, fact_id: LooksForIds.forget(
        self, self.owner(fact_id) or user_id, fact_id
    ),
)


@specimen("forgets-everybody", "ISO28", "lost", explains="REV")
class ForgetsEverybody(FactsReference):
    bug = "Forgetting one user empties the table."

    def forget_all(self, user_id: str) -> None:
        self.db.execute("DELETE FROM facts")


@specimen("forgets-by-pattern", "ISO28", "lost", explains="REV")
class ForgetsByPattern(FactsReference):
    bug = "The id of the user to forget is taken for a LIKE pattern."

    def forget_all(self, user_id: str) -> None:
        self.db.execute("DELETE FROM facts WHERE CAST(user AS TEXT) LIKE ?", (user_id,))


variant("users-up-to-nul", FactsReference, "ISO29", "leaked", explains="FID")(
    bug="A user's id ends at its first NUL, like a C string.",
    rows=lambda self, user_id: FactsReference.rows(self, user_id.partition("\0")[0]),
    insert=lambda self, user_id, text, metadata, ttl: FactsReference.insert(
        self, user_id.partition("\0")[0], text, metadata, ttl
    ),
)
variant("asterisk-is-everybody", FactsReference, "ISO29", "leaked")(
    bug="The user '*' is shown the facts of everybody.",
    rows=lambda self, user_id: (
        self.rows_of_all() if user_id == "*" else FactsReference.rows(self, user_id)
    ),
)


@specimen("filters-name-the-user", "ISO30", "leaked", explains="REC")
class FiltersNameTheUser(FactsReference):
    bug = "A filter may name another user than the one who asks."

    def find(
        self, user_id: str, query: str, limit: int, offset: int, wanted: Mapping[str, Any] | None
    ) -> list[Recollection]:
        others = dict(wanted or {})
        whose = str(others.pop("user_id", user_id))
        return super().find(whose, query, limit, offset, others)


@specimen("nobody-is-somebody", "ISO31", "leaked", explains=EVERYWHERE)
class NobodyIsSomebody(FactsReference):
    bug = "A user who has no facts is given those of the first user."

    def rows(self, user_id: str) -> list[Row]:
        if own := super().rows(user_id):
            return own
        first = self.db.execute("SELECT user FROM facts ORDER BY n LIMIT 1").fetchone()
        return super().rows(decoded(first[0])) if first else []


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
    bug = "Clearing a session forgets the user of the same name."

    def clear(self, session_id: str) -> None:
        super().clear(session_id)
        self.facts.forget_all(session_id)


@specimen("keys-in-the-statement", "ISO33", "leaked", explains="REC")
class KeysInTheStatement(FactsReference):
    bug = "The keys of a filter are pasted into the statement."

    def list_facts(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        offset: int = 0,
        filter: Mapping[str, Any] | None = None,  # noqa: A002 - the name that the protocol gives it
    ) -> list[Fact]:
        conditions = [f"json_extract(metadata, '$.{key}') = ?" for key in filter or {}]
        columns = "SELECT user, id, text, metadata, seen FROM facts"
        where = " AND ".join(["user = ?", *conditions])
        values = (self.key(user_id), *(filter or {}).values())
        rows = self.db.execute(f"{columns} WHERE {where} ORDER BY n", values).fetchall()
        return [self.fact(row) for row in self.page(rows, limit, offset)]


@specimen("walks-over-all-users", "ISO34", "refused")
class WalksOverAllUsers(AsyncFacts):
    bug = "A list walks over all users while others are entered, of whom some are only looked up."

    def __init__(self, sandbox: Any) -> None:
        super().__init__(sandbox)
        self.users = defaultdict[str, int](int)

    async def list_facts(self, user_id: str) -> list[Fact]:
        self.users[user_id] += 1
        for number, _ in enumerate(self.users):
            if number % 100 == 50:
                await asyncio.sleep(0)
        return await super().list_facts(user_id)

"""The same memory after a real Mem0 was asked: once each, for its customer, and up to date."""

from typing import Any

AGENT = "shop"


class CustomerMemory:
    """Facts about customers, kept in Mem0."""

    def __init__(self, mem0: Any) -> None:
        self.mem0 = mem0

    def learn(self, customer: str, fact: str) -> None:
        """Keep what a customer said, if it is new."""
        if not self._kept(customer, fact):
            said = {"said": _plain(fact)}
            self.mem0.add(fact, user_id=customer, agent_id=AGENT, metadata=said, infer=False)

    def correct(self, customer: str, old: str, new: str) -> None:
        """Put a new fact in the place of an old one."""
        for each in self._kept(customer, old):
            self.mem0.delete(each["id"])
        self.learn(customer, new)

    def context(self, customer: str, question: str, *, most: int = 3) -> list[str]:
        """What the model is shown before it answers."""
        found = self.mem0.search(question, filters={"user_id": customer}, top_k=most)
        return [each["memory"] for each in found["results"]]

    def _kept(self, customer: str, fact: str) -> list[dict[str, Any]]:
        filters = {"user_id": customer, "said": _plain(fact)}
        kept: list[dict[str, Any]] = self.mem0.get_all(filters=filters)["results"]
        return kept


def _plain(fact: str) -> str:
    """The same for facts that differ in case, spaces or a final full stop only."""
    return " ".join(fact.casefold().split()).removesuffix(".")

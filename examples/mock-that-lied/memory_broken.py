"""What the shop's assistant knows about its customers. Its tests were green: they mocked Mem0."""

from typing import Any

AGENT = "shop"


class CustomerMemory:
    """Facts about customers, kept in Mem0."""

    def __init__(self, mem0: Any) -> None:
        self.mem0 = mem0

    def learn(self, customer: str, fact: str) -> None:
        """Keep what a customer said."""
        # Fault 1: customers repeat themselves, and each time it is stored once more.
        self.mem0.add(fact, user_id=customer, agent_id=AGENT, infer=False)

    def correct(self, customer: str, old: str, new: str) -> None:
        """Put a new fact in the place of an old one."""
        # Fault 2: "the newer one will rank higher". It is only like the question, not newer.
        self.learn(customer, new)

    def context(self, customer: str, question: str, *, most: int = 3) -> list[str]:
        """What the model is shown before it answers."""
        # Fault 3: all customers talk to the one agent, and nobody named the customer.
        found = self.mem0.search(question, filters={"agent_id": AGENT}, top_k=most)
        return [each["memory"] for each in found["results"]]

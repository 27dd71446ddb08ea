"""The same memory on a real Mem0: this is how it is caught."""

import pytest
from memory_broken import CustomerMemory

from goldfish.integrations.mem0.client import Mem0Client


class TestMemory:
    """What a shop expects of its assistant; ``mem0_client`` is new and empty for each test."""

    kind: type = CustomerMemory

    @pytest.fixture
    def memory(self, mem0_client: Mem0Client) -> CustomerMemory:
        """The memory under test, in front of the real thing."""
        memory: CustomerMemory = self.kind(mem0_client)
        return memory

    def test_a_fact_that_is_told_five_times_is_kept_once(
        self, memory: CustomerMemory, mem0_client: Mem0Client
    ) -> None:
        """Customers repeat themselves."""
        for _ in range(5):
            memory.learn("alice", "I am vegetarian.")
        kept = [fact.text for fact in mem0_client.list_facts("alice")]
        assert kept == ["I am vegetarian."]

    def test_the_fact_that_matters_is_among_the_first_three(self, memory: CustomerMemory) -> None:
        """Whatever else was said, and however often."""
        memory.learn("alice", "Peanuts make me very ill.")
        for _ in range(5):
            memory.learn("alice", "I like to try new snacks.")
        assert "Peanuts make me very ill." in memory.context("alice", "Which snack shall I buy?")

    def test_nothing_about_one_customer_reaches_another(self, memory: CustomerMemory) -> None:
        """Not even if it is the best answer of all."""
        memory.learn("alice", "My door code is 4711.")
        assert memory.context("bob", "What is the door code?") == []

    def test_a_corrected_fact_is_not_told_any_more(self, memory: CustomerMemory) -> None:
        """Or the parcel goes to the old address."""
        memory.learn("alice", "I live in Berlin.")
        memory.correct("alice", "I live in Berlin.", "I have moved to Lisbon.")
        assert memory.context("alice", "Where do I live?") == ["I have moved to Lisbon."]

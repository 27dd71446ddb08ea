"""The tests that the memory went to production with: every line is covered, and all are green."""

from unittest.mock import MagicMock

from memory_broken import CustomerMemory


def test_a_fact_is_learnt() -> None:
    """Mem0 was called. What it then has, a mock does not know."""
    mem0 = MagicMock()
    CustomerMemory(mem0).learn("alice", "I am vegetarian.")
    mem0.add.assert_called_once()


def test_a_fact_is_corrected() -> None:
    """Mem0 was called again. That the old fact is still there, a mock does not know."""
    mem0 = MagicMock()
    CustomerMemory(mem0).correct("alice", "I live in Berlin.", "I live in Lisbon.")
    assert mem0.add.call_args.args == ("I live in Lisbon.",)


def test_the_model_is_shown_what_is_found() -> None:
    """The mock finds what the test told it to find, for whomever it is asked."""
    mem0 = MagicMock()
    mem0.search.return_value = {"results": [{"memory": "I am vegetarian."}]}
    assert CustomerMemory(mem0).context("alice", "What can I cook?") == ["I am vegetarian."]

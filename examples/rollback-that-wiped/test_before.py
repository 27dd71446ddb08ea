"""The test that the refactoring passed: one process, and a fresh database in memory."""

from memory_broken import ConversationManager

from goldfish import ChatMessage


def test_rollback_restores_the_conversation_and_keeps_the_snapshots() -> None:
    manager = ConversationManager(":memory:")
    manager.add_messages("s", [ChatMessage(role="user", content="one")])
    first = manager.save_snapshot("s")
    manager.add_messages("s", [ChatMessage(role="user", content="two")])
    second = manager.save_snapshot("s")
    manager.rollback_to_snapshot("s", first)
    assert [message.content for message in manager.get_history("s")] == ["one"]
    assert [snapshot.id for snapshot in manager.list_snapshots("s")] == [first, second]
    manager.rollback_to_snapshot("s", second)
    assert [message.content for message in manager.get_history("s")] == ["one", "two"]

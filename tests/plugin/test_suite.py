"""Which checks a suite has: those that fit the target."""

import goldfish
from goldfish.plugin.suite import select_checks
from goldfish.targets.declaration import as_target


def test_an_agent_is_asked_about_prompts_and_a_memory_about_all_else() -> None:
    """Nobody gets items that cannot say anything."""
    agent = goldfish.agent(lambda sandbox: None)
    memory = as_target(lambda sandbox: None, "memory")
    assert {each.family for each in select_checks(agent)} == {"CTX"}
    assert "CTX" not in {each.family for each in select_checks(memory)}

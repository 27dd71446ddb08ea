"""How a check of agents is registered, and what it may require of an agent."""

from collections.abc import Callable, Iterable

from goldfish.catalogue.registry import Function, Need, Suite, check, power
from goldfish.findings.reason import Reason, Why
from goldfish.targets.agent_traits import AgentTraits

Users = power("users", "parameter user_id of say")
Streams = power("streams", "say that yields its reply in pieces")
Forgetting = power("forget", "method forget")
ForgettingUsers = power("forget_user", "method forget_user")


def _declared(text: str, has: Callable[[AgentTraits], object], reason: Reason) -> Need:
    """Return the requirement that an agent declares something of itself."""
    return Need(text, lambda target: None if target.agent and has(target.agent) else reason)


Tools = _declared(
    "an agent whose tools may be called: tools=True",
    lambda traits: traits.tools,
    Reason.of(Why.LACKS_POWER, "tools that may be called: declare tools=True"),
)
Resuming = _declared(
    "an agent that takes up a killed turn again: resumes=True",
    lambda traits: traits.resumes,
    Reason.of(Why.LACKS_POWER, "killed turns that it takes up again: declare resumes=True"),
)
UsersRemembered = _declared(
    'an agent that remembers users: remembers="users"',
    lambda traits: traits.remembers == "users",
    Reason.of(Why.LACKS_POWER, 'facts of users: declare remembers="users"'),
)
TokenWindow = _declared(
    "a window in tokens: window_tokens=",
    lambda traits: traits.window_tokens,
    Reason.stated("it declares no window_tokens"),
)
NoWindow = Need(
    "an agent that declares no window",
    lambda target: (
        Reason.stated("it declares a window")
        if target.window or (target.agent and target.agent.window_tokens)
        else None
    ),
)
WholeHistory = Need(
    "an agent that shows the model whole conversations",
    lambda target: (
        None
        if not target.summarises and (target.window or 8) >= 8
        else Reason.stated("it keeps a summary, or fewer than eight messages")
    ),
)


def check_agent(
    code: str,
    text: str,
    *,
    incident: str,
    needs: Iterable[Need] = (),
    suite: Suite = "standard",
) -> Callable[[Function], Function]:
    """Register a function as a check of agents, under a code that never changes."""
    return check(code, text, incident=incident, needs=needs, suite=suite, about="prompts")

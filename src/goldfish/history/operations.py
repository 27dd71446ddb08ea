"""The table of what can be asked of a store: how each method is called, and what it does."""

from dataclasses import dataclass, replace
from typing import Any, Literal

# write: puts contents there. read: shows contents. remove: takes some away. inspect: shows
# something else. change: none of these.
Effect = Literal["write", "read", "remove", "inspect", "change"]
Subject = Literal["messages", "facts", "state", "snapshots", "store"]

_IDS_OF_THE_STORE = {"snapshot_id", "fact_id"}


@dataclass(frozen=True)
class Method:
    """One method of a store, as checks call it.

    ``parameters`` are spelled as in a signature: those after ``*`` are passed by name.
    """

    name: str
    parameters: str
    effect: Effect
    about: Subject
    action: str = ""  # the word for it in a workload, and in the history of one
    gives_ids: bool = False  # what it returns has ids that the store made
    any_shape: bool = False  # a stranger's method may take other parameters

    @property
    def positional(self) -> list[str]:
        """The parameters that are passed by their place."""
        return [each for each in self.parameters.partition("*, ")[0].split(", ") if each]

    @property
    def keywords(self) -> list[str]:
        """The parameters that are passed by name."""
        return [each for each in self.parameters.partition("*, ")[2].split(", ") if each]

    @property
    def takes_id(self) -> bool:
        """Whether it takes an id that the store made."""
        return not _IDS_OF_THE_STORE.isdisjoint(self.positional)

    @property
    def only_shows(self) -> bool:
        """Whether it leaves the store as it is."""
        return self.effect in {"read", "inspect"}

    def arguments(self, session: str, value: Any) -> tuple[list[Any], dict[str, Any]]:
        """Return how a workload calls it: the session, and the value where it takes one."""
        rest = [value for _ in self.positional[1:]]
        return [session, *rest], dict.fromkeys(self.keywords, value)

    def __str__(self) -> str:
        """Return the signature."""
        return f"{self.name}({self.parameters})"


_HISTORY = Method("get_history", "session_id", "read", "messages", "read")

METHODS = {
    each.name: each
    for each in (
        Method("add_messages", "session_id, messages", "write", "messages", "add"),
        _HISTORY,
        Method("trim", "session_id, *, keep_last", "remove", "messages", "trim"),
        Method("clear", "session_id", "remove", "messages", "clear"),
        Method("clear_all", "", "remove", "messages"),
        Method("delete_messages", "session_id, ids", "remove", "messages"),
        Method("search_history", "session_ids, query", "read", "messages", any_shape=True),
        Method("list_sessions", "", "inspect", "messages"),
        Method("set_ttl", "session_id, seconds", "change", "messages"),
        Method("get_ttl", "session_id", "inspect", "messages"),
        Method("remember", "user_id, text", "write", "facts", gives_ids=True),
        Method("recall", "user_id, query", "read", "facts"),
        Method("list_facts", "user_id", "read", "facts", gives_ids=True),
        Method("get_fact", "user_id, fact_id", "read", "facts", gives_ids=True),
        Method("revise", "user_id, fact_id, text", "write", "facts", gives_ids=True),
        Method("forget", "user_id, fact_id", "remove", "facts"),
        Method("forget_all", "user_id", "remove", "facts"),
        Method("fact_history", "user_id, fact_id", "inspect", "facts"),
        Method("set_state", "session_id, values, *, user_id", "write", "state"),
        Method("get_state", "session_id, *, user_id", "read", "state"),
        Method(
            "save_snapshot",
            "session_id",
            "change",
            "snapshots",
            "save",
            gives_ids=True,
            any_shape=True,
        ),
        Method(
            "rollback_to_snapshot",
            "session_id, snapshot_id",
            "remove",
            "snapshots",
            "rollback",
            any_shape=True,
        ),
        Method(
            "list_snapshots", "session_id", "inspect", "snapshots", gives_ids=True, any_shape=True
        ),
        Method("delete_snapshot", "session_id, snapshot_id", "change", "snapshots", any_shape=True),
        Method(
            "fork",
            "session_id, snapshot_id, new_session_id",
            "change",
            "snapshots",
            any_shape=True,
        ),
        Method("aclose", "", "change", "store", any_shape=True),
        Method("close", "", "change", "store", any_shape=True),
    )
}

# What a workload asks, by its word; "last" is a read of the newest messages only.
ACTIONS = {each.action: each for each in METHODS.values() if each.action} | {
    "last": replace(_HISTORY, parameters="session_id, *, last", action="last")
}


def has_effect(action: str, effect: Effect) -> bool:
    """Return True if the action of a call, as a history has it, does this to the store."""
    method = ACTIONS.get(action) or METHODS.get(action)
    return method is not None and method.effect == effect


def is_change(action: str) -> bool:
    """Return True if an action of a workload leaves the store otherwise than it was."""
    return action in ACTIONS and not ACTIONS[action].only_shows

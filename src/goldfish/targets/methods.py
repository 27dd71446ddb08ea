"""The methods that an opened store was seen to have, which say what it can be asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Interface:
    """The methods of a store; ``lacking`` are those that it cannot use here, with its reasons."""

    methods: Mapping[str, tuple[str, ...] | None]  # its parameters; None if it takes any
    lacking: Mapping[str, str] = field(default_factory=dict)
    answers: bool = False  # an agent's unpredictable replies are among the messages

    @property
    def needed(self) -> frozenset[str]:
        """The methods without which the store would be no memory."""
        if {"add_messages", "get_history"} <= set(self.methods):
            return frozenset({"add_messages", "get_history"})
        reads = {"recall", "list_facts"} & set(self.methods)
        return frozenset({"remember"} if len(reads) > 1 else {"remember", *reads})

    def has(self, method: str, *parameters: str) -> bool:
        """Return True if the store has this method, and it takes these parameters."""
        if method not in self.methods or self.counts_replies(method, *parameters):
            return False
        taken = self.methods[method]
        return taken is None or set(parameters) <= set(taken)

    def spells(self, method: str, *parameters: str) -> bool:
        """Return True if the signature of this method names these parameters."""
        taken = self.methods.get(method)
        return taken is not None and set(parameters) <= set(taken)

    def counts_replies(self, method: str, *parameters: str) -> bool:
        """Return True if unpredictable agent replies would change what this method counts."""
        return self.answers and (method == "trim" or "last" in parameters)

"""A turn: what was said to an agent, what it answered, and the requests that came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from goldfish.findings.result import UnprovenError
from goldfish.mirror import Exchange, Prompt

Outcome = Literal["answered", "failed", "unknown"]


@dataclass
class Turn:
    """One message to an agent, and what came of it.

    ``mark`` is a word of the message that is in no other one. ``outcome`` is ``answered`` if the
    agent returned, ``failed`` if it raised, ``unknown`` if no answer came: then it may have
    happened. ``main`` is the request that made the answer; ``is_certain`` says that it is known by
    the mark in the reply, and not only because it was the last of the turn.
    """

    number: int
    session: str
    user: str
    mark: str
    text: str
    worker: str
    outcome: Outcome = "unknown"
    reply: str = ""
    error: str = ""
    exchanges: Sequence[Exchange] = ()
    main: Exchange | None = None
    is_certain: bool = False
    overlaps: bool = False  # another turn was under way
    began: float = 0.0
    is_late: bool = False  # a time-out of the agent's own ended it, on a machine that was late

    @property
    def prompt(self) -> Prompt:
        """What the model was shown when it made the answer."""
        if self.main is None:
            raise UnprovenError(f"no request of turn {self.number} reached the mirror")
        return self.main.prompt

    @property
    def prompts(self) -> list[Prompt]:
        """What the model was shown in this turn, auxiliary requests included."""
        return [each.prompt for each in self.exchanges]

    @property
    def answer(self) -> str | None:
        """The mark of the model's reply, if the agent returned it."""
        return self.main.reply_mark if self.main and self.is_certain else None

    @property
    def marks(self) -> list[str]:
        """The marks that later prompts must show: what was said, and what was answered."""
        return [self.mark, self.answer] if self.answer else [self.mark]

    @property
    def marks_seen(self) -> list[str]:
        """All marks that belong to the turn, of replies that the agent did not return too."""
        replies = [each.reply_mark for each in self.exchanges if each.is_main and each.reply_mark]
        return [self.mark, *replies]

    @property
    def most_messages(self) -> int:
        """The messages that the turn may have added: question, calls, results and answer."""
        called = [each.calls for each in self.exchanges if each.calls]
        return 2 + sum(1 + len(calls) for calls in called)

    @property
    def is_acknowledged(self) -> bool:
        """Whether the agent answered with what the model said in this turn."""
        answered = self.main is not None and self.main.ended == "answered"
        return self.outcome == "answered" and (self.is_certain or (answered and bool(self.reply)))

    @property
    def is_swallowed(self) -> bool:
        """Whether the agent answered though the model had failed at every request."""
        failed = {"failed", "refused", "cut"}
        ends = [each.ended for each in self.exchanges]
        return self.outcome == "answered" and bool(ends) and all(each in failed for each in ends)


def settle(turn: Turn, exchanges: Sequence[Exchange]) -> None:
    """Note which requests belong to a turn, and which of them made its answer.

    That one is known by its mark in the reply; else it is the last main request. While other turns
    were under way, only requests with the turn's own words are its own.
    """
    marked = [each for each in exchanges if each.reply_mark and each.reply_mark in turn.reply]
    own = [each for each in exchanges if turn.mark in each.prompt.said or each in marked]
    turn.exchanges = own if turn.overlaps else exchanges
    likely = marked or [each for each in own if each.is_main] or list(turn.exchanges)
    turn.main, turn.is_certain = (likely[-1] if likely else None), bool(marked)

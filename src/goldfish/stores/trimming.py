"""The messages that a trim removes, as a pure function of the history and the limits."""

from collections.abc import Sequence
from dataclasses import dataclass

from goldfish.messages import ChatMessage
from goldfish.protocols import Count
from goldfish.stores.arguments import require_count


@dataclass(frozen=True)
class Limits:
    """What may remain after a trim; every limit that is given holds."""

    keep_last: int | None = None
    max_tokens: int | None = None
    count: Count | None = None
    keep_pairs: bool = False
    keep_system: bool = False

    def __post_init__(self) -> None:
        if self.keep_last is not None:
            require_count(self.keep_last, "keep_last")
        if self.max_tokens is not None:
            require_count(self.max_tokens, "max_tokens")
        if self.keep_last is None and self.max_tokens is None:
            raise TypeError("trim needs a limit: pass keep_last= or max_tokens=")
        if self.max_tokens is not None and self.count is None:
            raise TypeError("max_tokens= needs count=, a function from a message to its tokens")

    @property
    def only_keep_last(self) -> int | None:
        """The number to keep where nothing else matters, so that the backend can count alone."""
        if self.max_tokens is None and not self.keep_pairs and not self.keep_system:
            return self.keep_last
        return None


def messages_to_remove(history: Sequence[ChatMessage], limits: Limits) -> Sequence[ChatMessage]:
    """Return the oldest messages of the history, as far as they are beyond the limits."""
    head = 1 if limits.keep_system and history and history[0].role == "system" else 0
    body = history[head:]
    cut = 0
    if limits.keep_last is not None:
        cut = max(cut, len(body) - limits.keep_last)
    if limits.max_tokens is not None and limits.count is not None:
        spent = sum(map(limits.count, history[:head]))
        cut = max(cut, _find_cut(body, limits.max_tokens - spent, limits.count))
    if limits.keep_pairs:
        return _remove_with_pairs(body, cut)
    return body[:cut]


def _find_cut(body: Sequence[ChatMessage], budget: int, count: Count) -> int:
    """Return where to cut so that the longest possible end of the history fits the budget."""
    for index in range(len(body) - 1, -1, -1):
        budget -= count(body[index])
        if budget < 0:
            return index + 1
    return 0


def _remove_with_pairs(body: Sequence[ChatMessage], cut: int) -> list[ChatMessage]:
    """Return what goes at this cut, and with it each tool result whose call goes.

    What remains begins neither with a result that has no call nor with a call that was not
    answered before the conversation went on. (A call at the very end still waits for its results.)
    """
    call_of = _match_calls(body)
    while True:
        kept = [at for at in range(cut, len(body)) if not -1 < call_of.get(at, cut) < cut]
        if not kept or not (call_of.get(kept[0]) == -1 or _is_abandoned_call(body, kept[0])):
            break
        cut = kept[0] + 1
    stays = set(kept)
    return [message for at, message in enumerate(body) if at not in stays]


def _match_calls(body: Sequence[ChatMessage]) -> dict[int, int]:
    """Return the place of the call of each tool result: the nearest before it, or -1."""
    latest_call: dict[object, int] = {}
    call_of: dict[int, int] = {}
    for at, message in enumerate(body):
        for call in message.tool_calls:
            latest_call[call.get("id")] = at
        if message.tool_call_id is not None:
            call_of[at] = latest_call.get(message.tool_call_id, -1)
    return call_of


def _is_abandoned_call(body: Sequence[ChatMessage], at: int) -> bool:
    """Return whether the conversation went on without a result of the message's tool calls."""
    later = body[at + 1 :]
    waiting = {call.get("id") for call in body[at].tool_calls}
    waiting -= {message.tool_call_id for message in later}
    return bool(waiting) and any(message.tool_call_id is None for message in later)

"""Exchanges grouped to conversations, each prompt compared with the one before."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from goldfish.mirror.display import shorten
from goldfish.mirror.record import Exchange, Json, Message, Prompt

WIDTH = 4000  # characters of a message that the page shows

Key = tuple[str, str]


@dataclass
class Conversation:
    """Prompts that continue each other."""

    number: int
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def expected(self) -> Counter[Key]:
        """What the next prompt should have: the last prompt, and what was answered to it."""
        last = self.exchanges[-1]
        found = Counter(map(_key, last.prompt.messages))
        if last.reply and last.ended == "answered":
            found[("assistant", last.reply)] += 1
        return found


def group(exchanges: Iterable[Exchange]) -> list[Conversation]:
    """Return the conversations: a prompt belongs to the one with which it has most in common."""
    conversations: list[Conversation] = []
    for exchange in exchanges:
        said = Counter(_key(each) for each in exchange.prompt.messages if each.role != "system")
        common = [(sum((each.expected & said).values()), each) for each in conversations]
        most, found = max(common, key=lambda pair: pair[0], default=(0, None))
        if found is None or not most:
            found = Conversation(len(conversations) + 1)
            conversations.append(found)
        found.exchanges.append(exchange)
    return conversations


def describe(conversation: Conversation) -> Json:
    """Return a conversation as the page draws it."""
    prompts, before = [], None
    for exchange in conversation.exchanges:
        prompts.append(_describe(exchange, before))
        before = Conversation(0, [exchange]).expected
    return {"number": conversation.number, "prompts": prompts}


def find_orphans(prompt: Prompt) -> list[str]:
    """Return the tool calls without a result, and the results without a call."""
    called = {call.id: call.name for each in prompt.messages for call in each.calls}
    answered = {str(each.call_id) for each in prompt.messages if each.role == "tool"}
    lost = [
        f"{name} ({number}) has no result"
        for number, name in called.items()
        if number not in answered
    ]
    stray = [f"a result of {number} has no call" for number in answered if number not in called]
    return lost + sorted(stray)


def _describe(exchange: Exchange, before: Counter[Key] | None) -> Json:
    keys = list(map(_key, exchange.prompt.messages))
    known = Counter(before or {})
    messages = []
    for message, key in zip(exchange.prompt.messages, keys, strict=True):
        is_new = known[key] <= 0
        known[key] -= 1
        marks = {"new": is_new and before is not None, "repeated": keys.count(key) > 1}
        messages.append({"role": message.role, "text": _cut(str(message)), **marks})
    vanished = [
        {"role": role, "text": _cut(text)}
        for (role, text), left in known.items()
        for _ in range(left)
    ]
    return {
        "number": exchange.number,
        "route": exchange.route,
        "main": exchange.is_main,
        "ended": exchange.ended or "under way",
        "refusal": exchange.refusal,
        "size": len(exchange.prompt.text),
        "messages": messages,
        "vanished": vanished,
        "orphans": find_orphans(exchange.prompt),
        "reply": _cut(exchange.reply),
        "calls": [f"{each.name}({_cut(each.arguments)})" for each in exchange.calls],
    }


def _key(message: Message) -> Key:
    return message.role, str(message)


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else shorten(text, WIDTH)

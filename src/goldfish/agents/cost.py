"""What prompts cost: how large they are, and how much of each is as in the one before."""

import json
from collections.abc import Iterable
from itertools import pairwise

from goldfish.agents.conversation import Conversation
from goldfish.agents.prompts import find_common_start
from goldfish.history.metrics import Figures
from goldfish.mirror import Prompt

LEAST_TURNS = 4  # fewer show no growth
LONGEST = 200_000  # characters of a prompt; a longer one is measured by its beginning


def measure_cost(talks: Iterable[Conversation]) -> Figures | None:
    """Return the sizes of the prompts of the longest conversation; None if all are short.

    Providers cache prompts by their beginning: what is byte for byte as before is not paid again.
    """
    longest = max(talks, key=lambda talk: len(talk.turns), default=None)
    turns = [each for each in longest.turns if each.is_acknowledged] if longest else []
    if len(turns) < LEAST_TURNS:
        return None
    spelled = [_spell(each.prompt) for each in turns]
    stable = [0, *(_count(find_common_start(*pair)) for pair in pairwise(spelled))]
    sizes = map(_count, spelled)
    numbers = (each.number for each in turns)
    return Figures(prompts=tuple(zip(numbers, sizes, stable, strict=True)))


def _count(text: str) -> int:
    """Return the bytes of a text."""
    return len(text.encode(errors="replace"))


def _spell(prompt: Prompt) -> str:
    """Return a prompt as the providers order it: tools, then the messages with their roles."""
    tools = [[each.name, each.description, each.schema] for each in prompt.tools]
    parts = [json.dumps(tools, default=str)] if tools else []
    parts += [f"{each.role}: {each}" for each in prompt.messages]
    return "\n".join(parts)[:LONGEST]

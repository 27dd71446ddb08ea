"""What providers refuse, as one table: their words, and where they are documented.

An agent whose prompt breaks a rule here would be refused in production in the same way.
"""

from dataclasses import dataclass

from goldfish.mirror.record import Json
from goldfish.mirror.rules import anthropic, gemini, openai_chat, openai_responses
from goldfish.mirror.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *openai_chat.RULES,
    *openai_responses.RULES,
    *anthropic.RULES,
    *gemini.RULES,
)

# A prompt that is longer than the script allows: the sentence of each API, and its code.
TOO_LONG = {
    "openai-chat": (
        "This model's maximum context length is {limit} tokens. However, your messages resulted "
        "in {tokens} tokens. Please reduce the length of the messages.",
        "context_length_exceeded",
    ),
    "openai-responses": (
        "Your input exceeds the context window of this model. Please adjust your input and try "
        "again.",
        "context_length_exceeded",
    ),
    "anthropic": ("prompt is too long: {tokens} tokens > {limit} maximum", None),
    "gemini": (
        "The input token count ({tokens}) exceeds the maximum number of tokens allowed ({limit}).",
        None,
    ),
}


@dataclass(frozen=True)
class Refusal:
    """What a provider answers to a request that it refuses."""

    code: str
    message: str
    error: str | None = None


def find_refusal(api: str, body: Json) -> Refusal | None:
    """Return the first rule of an API that a request breaks, in the provider's words."""
    for rule in RULES:
        if rule.api == api:
            for parts in rule.find(body):
                return Refusal(rule.code, rule.wording.format(**parts), rule.error)
    return None


def refuse_length(api: str, tokens: int, limit: int) -> Refusal | None:
    """Return the refusal of a prompt with more tokens than the model takes."""
    if tokens <= limit or api not in TOO_LONG:
        return None
    wording, error = TOO_LONG[api]
    return Refusal("context length", wording.format(tokens=tokens, limit=limit), error)

"""litellm, which speaks to each provider in its own way."""

import warnings

import pytest

from goldfish.mirror import Mirror

pytestmark = pytest.mark.filterwarnings("ignore")  # clients warn of what is theirs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    litellm = pytest.importorskip("litellm")

MODELS = ("openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5", "gemini/gemini-2.5-flash")


@pytest.mark.parametrize("model", [*MODELS, "ollama_chat/llama3.2"])
def test_litellm_is_answered(mirror: Mirror, model: str) -> None:
    """Whole and streamed."""
    messages = [{"role": "user", "content": "hello"}]
    reply = litellm.completion(model, messages).choices[0].message.content
    assert reply == mirror.exchanges[-1].reply
    pieces = litellm.completion(model, messages, stream=True)
    said = "".join(each.choices[0].delta.content or "" for each in pieces)
    assert said == mirror.exchanges[-1].reply

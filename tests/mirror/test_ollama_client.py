"""Ollama's own client."""

import pytest

from goldfish.mirror import Mirror
from tests.packages import Lazily, needs

pytestmark = [
    needs("ollama"),
    pytest.mark.filterwarnings("ignore"),  # clients warn of what is theirs
]

ollama = Lazily("ollama")


def test_a_chat_is_answered(mirror: Mirror) -> None:
    """Whole and streamed, with tools, a schema, vectors and a list of models."""
    client = ollama.Client()
    messages = [{"role": "user", "content": "hello"}]
    assert client.chat("llama3.2", messages).message.content == mirror.exchanges[0].reply
    pieces = client.chat("llama3.2", messages, stream=True)
    assert "".join(each.message.content or "" for each in pieces) == mirror.exchanges[1].reply
    mirror.call_tool("weather", {"city": "Kiel"})
    (call,) = client.chat("llama3.2", messages).message.tool_calls
    assert call.function.arguments == {"city": "Kiel"}
    assert client.embed("all-minilm", "hello").embeddings
    assert "llama3.2" in [each.model for each in client.list().models]


def test_a_failure_is_told(mirror: Mirror) -> None:
    """With its status."""
    mirror.fail(500, message="out of memory")
    with pytest.raises(ollama.ResponseError, match="out of memory"):
        ollama.Client().chat("llama3.2", [{"role": "user", "content": "hello"}])

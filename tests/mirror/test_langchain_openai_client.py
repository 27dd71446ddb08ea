"""langchain-openai."""

import pytest

from goldfish.mirror import Mirror
from tests.packages import Lazily, needs

pytestmark = [
    needs("langchain-openai"),
    pytest.mark.filterwarnings("ignore"),  # clients warn of what is theirs
]

langchain = Lazily("langchain_openai")


@pytest.mark.parametrize("responses", [False, True])
def test_chat_openai_is_answered(mirror: Mirror, responses: bool) -> None:
    """By both APIs of OpenAI: whole, streamed, structured, with tools."""
    model = langchain.ChatOpenAI(model="gpt-4o-mini", use_responses_api=responses)
    assert model.invoke("hello").text == mirror.exchanges[0].reply
    assert "".join(each.text for each in model.stream("hello")) == mirror.exchanges[1].reply
    schema = {"title": "facts", "type": "object", "properties": {"fact": {"type": "string"}}}
    said = mirror.draw_mark()
    assert said in model.with_structured_output(schema).invoke(said)["fact"]
    mirror.call_tools(("weather", {"city": "Kiel"}), ("weather", {"city": "Ulm"}))
    tool = {"title": "weather", "description": "Tell the weather.", **schema} | {"title": "weather"}
    calls = model.bind_tools([tool]).invoke("hello").tool_calls
    assert [each["args"]["city"] for each in calls] == ["Kiel", "Ulm"]


def test_embeddings_have_meaning_or_words(mirror: Mirror) -> None:
    """A text is closest to the one that it shares words with."""
    embeddings = langchain.OpenAIEmbeddings(
        model="text-embedding-3-small", check_embedding_ctx_length=False
    )
    query, near, far = embeddings.embed_documents(
        ["my order number", "the number of the order is 8892", "rain in Kiel"]
    )
    assert len(query) == 1536

    def compare(other: list[float]) -> float:
        return float(sum(one * two for one, two in zip(query, other, strict=True)))

    assert compare(near) > compare(far)

"""The stand-ins that goldfish lends to other people's tests."""

import subprocess
import sys

import numpy as np
import pytest

from goldfish import Embedder, testing
from goldfish.integrations.replies import quote_all, reply_to
from goldfish.testing import HashEmbedder


def test_the_hash_embedder_is_an_embedder() -> None:
    """Rows of length one, of the width that was asked for, named after it."""
    embedder = HashEmbedder(dimensions=32)
    assert isinstance(embedder, Embedder)
    assert embedder.name == "hash-32"
    vectors = embedder.encode(["I like tea", "", "\ud800 \x00", "🐟"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1)
    assert embedder.encode([]).shape == (0, 32)


def test_texts_that_share_words_are_close() -> None:
    """Case and order do not matter; other words do."""
    one, same, near, far = HashEmbedder().encode(
        ["I like green tea", "Tea: GREEN, like I", "I like green cars", "Coffee keeps her awake"]
    )
    assert one @ same == pytest.approx(1)
    assert one @ far < one @ near < 0.99


def test_the_vectors_are_the_same_in_another_process() -> None:
    """Python's own hash of a text differs from process to process; this one does not."""
    code = (
        "from goldfish.testing import HashEmbedder as H; print(H(8).encode(['a b c d']).tolist())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(HashEmbedder(8).encode(["a b c d"]).tolist())


def test_no_dimensions_are_refused() -> None:
    """A vector has one number at least."""
    with pytest.raises(ValueError, match="must be 1 or more"):
        HashEmbedder(0)


def test_a_reply_is_the_same_for_the_same_and_for_nothing_else() -> None:
    """It says how much was shown, and what the user said last, in plain characters."""
    shown = [("user", "hi \ud83d\x1b[31m"), ("assistant", "yes?")]
    reply = reply_to(shown)
    assert reply == reply_to(list(shown))
    assert reply.startswith("I was shown 2 messages (")
    assert reply.endswith("the user said last: 'hi \\ud83d\\x1b[31m'")
    others = [
        shown[:1],
        shown[::-1],
        [("user", "a"), ("user", "b")],
        [("user", "ab"), ("user", "")],
    ]
    assert len({reply, *map(reply_to, others), reply_to([])}) == 6
    assert quote_all(shown) == "hi \ud83d\x1b[31m\nyes?"


async def test_the_langchain_model_says_what_it_was_shown() -> None:
    """Sync and async, bound to tools or not; a token is a message."""
    pytest.importorskip("langchain_core")
    model = testing.LangChainModel()
    said = model.invoke([("user", "hello")]).content
    assert said == reply_to([("user", "hello")])
    assert (await model.bind_tools([]).ainvoke("hello")).content == said
    assert model.get_num_tokens_from_messages([model.invoke("a")] * 3) == 3
    assert testing.LangChainModel(verbatim=True).invoke("a summary").content == "a summary"


async def test_the_openai_agents_model_says_what_it_was_shown() -> None:
    """Through the SDK's own runner, with a session that remembers."""
    agents = pytest.importorskip("agents")
    agent, session = agents.Agent("a", model=testing.OpenAIAgentsModel()), agents.SQLiteSession("s")
    quiet = agents.RunConfig(tracing_disabled=True)
    for text, count in (("hello", "1 message "), ("there", "3 messages ")):
        done = await agents.Runner.run(agent, text, session=session, run_config=quiet)
        assert done.final_output.startswith(f"I was shown {count}")
    assert done.final_output.endswith("the user said last: 'hello', 'there'")
    session.close()


def test_a_model_of_a_library_that_is_missing_names_the_extra() -> None:
    """When it is asked for, and not when goldfish.testing is imported."""
    code = (
        "import sys; sys.modules['langchain_core'] = None\n"
        "import goldfish, goldfish.testing as testing\n"
        "try: testing.LangChainModel\n"
        "except goldfish.MissingExtraError as error: print(error)\n"
        "print(hasattr(testing, 'NoSuchModel'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sentence = "langchain_core is not installed: pip install 'goldfish[langchain]'"
    assert done.stdout.splitlines() == [sentence, "False"]

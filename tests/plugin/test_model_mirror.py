"""The fixture model_mirror in somebody's own tests."""

import pytest

BOT = """
    import openai
    import pytest
    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    def make_client(remembers):
        app, sessions = FastAPI(), {}

        @app.post("/chat")
        def chat(body: dict):
            history = sessions.setdefault(body["session"], []) if remembers else []
            history.append({"role": "user", "content": body["message"]})
            made = openai.OpenAI().chat.completions.create(model="gpt-4o-mini", messages=history)
            history.append({"role": "assistant", "content": made.choices[0].message.content})
            return {"reply": history[-1]["content"]}

        return TestClient(app)

    @pytest.mark.parametrize("remembers", [True, False])
    def test_the_bot_remembers_the_order_number(model_mirror, remembers):
        client = make_client(remembers)
        client.post("/chat", json={"session": "s1", "message": "My order number is 8892"})
        client.post("/chat", json={"session": "s1", "message": "Where is my parcel?"})
        assert "8892" in model_mirror.prompts[-1]

    def test_the_record_is_clean(model_mirror):
        assert model_mirror.prompts == []
"""


def test_a_bot_that_forgets_is_shown_by_its_prompt(pytester: pytest.Pytester) -> None:
    """The message names what is missing, what was shown, and where it was last."""
    pytester.makepyfile(BOT)
    result = pytester.runpytest_subprocess("-q", "-p", "no:cacheprovider", "-W", "ignore")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *'8892' is not in the prompt",
            "E *It was in prompt 1 of 2, as user: 'My order number is 8892'",
            "E *The model was shown 1 message, 19 characters:",
            "E *user: Where is my parcel[?]",
        ]
    )


def test_the_environment_is_set_for_the_test_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what leads elsewhere, as a proxy, is left alone."""
    monkeypatch.setenv("OPENAI_BASE_URL", "https://example.com/v1")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    pytester.makepyfile(
        """
        import os

        def test_within(model_mirror):
            assert os.environ["OPENAI_BASE_URL"] == model_mirror.url
            assert os.environ["ANTHROPIC_BASE_URL"] == model_mirror.root
            assert os.environ["HTTPS_PROXY"] == "http://127.0.0.1:1"

        def test_after():
            assert os.environ["OPENAI_BASE_URL"] == "https://example.com/v1"
        """
    )
    pytester.runpytest_subprocess("-q").assert_outcomes(passed=2)

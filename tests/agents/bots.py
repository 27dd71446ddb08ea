"""Agents for the tests, as users write them: each says in one line what is special about it."""

import contextlib
import json
import os
import urllib.request
from collections.abc import AsyncIterator, Iterator
from typing import Any

import goldfish

AT_IMPORT = os.environ.get("OPENAI_BASE_URL", "")


def ask(url: str, messages: list[dict[str, Any]]) -> str:
    body = json.dumps({"model": "gpt-4o-mini", "messages": messages}).encode()
    request = urllib.request.Request(
        f"{url}/chat/completions", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as reply:
        return str(json.load(reply)["choices"][0]["message"]["content"])


class Bot:
    """It remembers in its process."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.histories: dict[Any, list[dict[str, Any]]] = {}

    def answer(self, key: Any, text: str) -> str:
        history = self.histories.setdefault(key, [])
        history.append({"role": "user", "content": text})
        reply = ask(self.url, history)
        history.append({"role": "assistant", "content": reply})
        return reply

    def say(self, session_id: str, text: str) -> str:
        return self.answer(session_id, text)


@goldfish.agent
def plain(sandbox: Any) -> Bot:
    return Bot(sandbox.model_url)


@goldfish.agent(claims="one opening")
def opened_once(sandbox: Any) -> Bot:
    return Bot(sandbox.model_url)


@goldfish.agent
def made_at_import(sandbox: Any) -> Bot:
    return Bot(AT_IMPORT)


class AsyncBot(Bot):
    async def say(self, session_id: str, text: str) -> str:  # type: ignore[override]
        return self.answer(session_id, text)


@goldfish.agent
async def asynchronous(sandbox: Any) -> AsyncIterator[AsyncBot]:
    yield AsyncBot(sandbox.model_url)


class Streaming(Bot):
    def say(self, session_id: str, text: str) -> Iterator[str]:  # type: ignore[override]
        yield from self.answer(session_id, text).split(" ")


@goldfish.agent
def streaming(sandbox: Any) -> Streaming:
    return Streaming(sandbox.model_url)


class OfUsers(Bot):
    def say(self, session_id: str, text: str, user_id: str = "") -> str:
        return self.answer((user_id, session_id), text)

    def forget(self, session_id: str, user_id: str = "") -> None:
        self.histories.pop((user_id, session_id), None)


@goldfish.agent
def of_users(sandbox: Any) -> OfUsers:
    return OfUsers(sandbox.model_url)


@goldfish.agent
def rewriting(sandbox: Any) -> Any:
    class Rewriting(Bot):
        def say(self, session_id: str, text: str) -> str:
            self.answer(session_id, text)
            return "As you wish."

    return Rewriting(sandbox.model_url)


@goldfish.agent
def silent(sandbox: Any) -> Any:
    class Silent:
        def say(self, session_id: str, text: str) -> str:
            return "It is written in the stars."

    return Silent()


@goldfish.agent
def without_say(sandbox: Any) -> object:
    return object()


@goldfish.agent
def elsewhere(sandbox: Any) -> Any:
    class Elsewhere:
        def say(self, session_id: str, text: str) -> str:
            try:
                ask("http://api.openai.com/v1", [{"role": "user", "content": text}])
            except OSError:
                return "Something is wrong with the model."
            raise AssertionError("it reached a provider")

    return Elsewhere()


@goldfish.agent
def at_another_route(sandbox: Any) -> Any:
    class AtAnotherRoute:
        def say(self, session_id: str, text: str) -> str:
            try:
                return ask(f"{sandbox.model_url}/engines", [{"role": "user", "content": text}])
            except OSError as error:
                return str(error)

    return AtAnotherRoute()


@goldfish.agent
def curious(sandbox: Any) -> Any:
    class Curious(Bot):
        def say(self, session_id: str, text: str) -> str:
            with contextlib.suppress(OSError):
                ask(f"{self.url}/audio", [])
            return self.answer(session_id, text)

    return Curious(sandbox.model_url)


@goldfish.agent
def wordy(sandbox: Any) -> Any:
    """It has no history, and the prompt of turn 7, about a colour, has fifty megabytes."""

    class Wordy:
        def say(self, session_id: str, text: str) -> str:
            size = 50_000_000 if "colour" in text else 100
            novel = {"role": "system", "content": "<b>word</b> " * (size // 12)}
            return ask(sandbox.model_url, [novel, {"role": "user", "content": text}])

    return Wordy()

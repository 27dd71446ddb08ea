"""The live page, as data and in a real browser."""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from goldfish.mirror import Mirror

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
LACKING = [
    "playwright: pip install 'goldfish[dev]'" if not importlib.util.find_spec("playwright") else "",
    "a Chromium: apt-get install chromium" if CHROMIUM is None else "",
]
PATIENCE = 120_000  # milliseconds: other tests may have all the processors
HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"></script><script>alert(1)</script>" + "w" * 300
)


def say(mirror: Mirror, *messages: Any) -> str:
    sent = [
        {"role": "user", "content": each} if isinstance(each, str) else each for each in messages
    ]
    body = {"model": "m", "messages": sent}
    answer = httpx.post(f"{mirror.url}/chat/completions", json=body).json()
    return str(answer["choices"][0]["message"]["content"])


def look(mirror: Mirror) -> Any:
    return httpx.get(f"{mirror.root}/goldfish/record").json()["conversations"]


def test_prompts_are_compared_with_the_one_before(mirror: Mirror) -> None:
    """New, vanished and repeated messages; another conversation is apart."""
    said = say(mirror, "one")
    reply = {"role": "assistant", "content": said}
    say(mirror, "one", reply, "two", "two")
    say(mirror, "two", "three")
    say(mirror, "something else")
    first, second = look(mirror)
    assert [len(each["prompts"]) for each in (first, second)] == [3, 1]
    grown, cut = first["prompts"][1:]
    assert [each["new"] for each in grown["messages"]] == [False, False, True, True]
    assert [each["repeated"] for each in grown["messages"]] == [False, False, True, True]
    assert grown["vanished"] == []
    assert [each["text"] for each in cut["vanished"]][:3] == ["one", said, "two"]


def test_orphaned_calls_are_named(mirror: Mirror) -> None:
    """Although the provider refuses them."""
    function = {"name": "weather", "arguments": "{}"}
    call = {"id": "c1", "type": "function", "function": function}
    body = {"messages": [{"role": "assistant", "tool_calls": [call]}]}
    httpx.post(f"{mirror.url}/chat/completions", json=body)
    ((prompt,),) = [each["prompts"] for each in look(mirror)]
    assert prompt["orphans"] == ["weather (c1) has no result"]
    assert "must be followed by tool messages" in prompt["refusal"]


@pytest.fixture
def page() -> "Iterator[Page]":
    """A page of a browser without a window."""
    if any(LACKING):
        pytest.skip(f"needs {' and '.join(filter(None, LACKING))}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # As root, which containers often are, Chromium has no sandbox of its own.
        running = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"], timeout=PATIENCE
        )
        opened = running.new_page()
        opened.set_default_timeout(PATIENCE)
        yield opened
        running.close()


def test_the_page_updates_and_nothing_in_it_acts(
    mirror: Mirror, page: "Page", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hostile contents stay text; it fits 400 pixels, by day and by night."""
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name)
    said: list[str] = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{mirror.root}/")
    page.wait_for_selector("text=No prompt has arrived")
    reply = say(mirror, HOSTILE)
    page.wait_for_selector("text=Conversation 1")
    say(mirror, HOSTILE, {"role": "assistant", "content": reply}, "and now?")
    page.wait_for_selector("text=2 prompts in 1 conversations")
    assert HOSTILE in page.inner_text("details[open]")
    assert page.title() == "goldfish mirror"
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    colours = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]
    assert said == []


def test_a_journal_has_every_exchange(tmp_path: Any) -> None:
    """And never a key."""
    from goldfish.mirror.journal import Journal

    journal = Journal(tmp_path / "record.jsonl")
    with Mirror(on_end=journal.write) as mirror:
        headers = {"authorization": "Bearer sk-secret"}
        body = {"messages": [{"role": "user", "content": "é \ud800"}]}
        sent = json.dumps(body).encode()
        httpx.post(f"{mirror.url}/chat/completions", content=sent, headers=headers)
    journal.close()
    text = (tmp_path / "record.jsonl").read_text("utf-8")
    assert json.loads(text)["request"] == body
    assert "sk-secret" not in text

"""Scripts, records and failures without a client of any provider."""

import asyncio
import threading
from functools import partial
from typing import Any

import httpx
import pytest

from goldfish.mirror import Exchange, Mirror


def ask(mirror: Mirror, text: str = "hello", timeout: float = 30, **options: Any) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **options}
    return httpx.post(f"{mirror.url}/chat/completions", json=body, timeout=timeout)


def has_ended(wanted: Exchange, exchange: Exchange) -> bool:
    return exchange is wanted and exchange.ended is not None


def test_a_client_that_leaves_is_noticed(mirror: Mirror) -> None:
    """While the model thinks, and while it hangs."""
    for plan in (mirror.slow, mirror.hang):
        plan(20)
        with pytest.raises(httpx.ReadTimeout):
            ask(mirror, timeout=0.2)
        last = mirror.exchanges[-1]
        assert mirror.wait(partial(has_ended, last))
    assert [each.ended for each in mirror.exchanges] == ["left", "left"]


def test_a_stream_can_be_watched(mirror: Mirror) -> None:
    """The harness waits for the third piece, and the client leaves."""
    mirror.slow(0, between=0.05, when="slowly")
    body = {"messages": [{"role": "user", "content": "slowly"}], "stream": True}
    with httpx.stream("POST", f"{mirror.url}/chat/completions", json=body):
        found = mirror.wait(lambda each: each.pieces >= 2)
    assert found is not None
    assert mirror.wait(lambda each: each.ended == "left") is found


def test_a_hang_ends(mirror: Mirror) -> None:
    """By a reset, after the time that the script says."""
    mirror.hang(0.05)
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        ask(mirror)
    assert mirror.exchanges[0].ended == "cut"


def test_a_body_can_be_no_json(mirror: Mirror) -> None:
    """A proxy's page, for example."""
    mirror.fail(502, body="<html>Bad Gateway</html>")
    answer = ask(mirror)
    assert (answer.status_code, answer.text) == (502, "<html>Bad Gateway</html>")
    assert answer.headers["retry-after"] == "0"


def test_a_whole_reply_can_be_cut(mirror: Mirror) -> None:
    """Half of the JSON, or a reset."""
    mirror.hang_up(clean=True)
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        ask(mirror).json()
    mirror.hang_up()
    with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError)):
        ask(mirror)


def test_turns_have_scripts_of_their_own(mirror: Mirror) -> None:
    """Two turns at once, told apart by what was said."""
    with mirror.turn() as one, mirror.turn() as two:
        one.reply("first", when="m1", times=None)
        two.reply("second", when="m2", times=None)
        threads = [threading.Thread(target=ask, args=(mirror, each)) for each in ("m1", "m2")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    replies = {each.prompt.said: each.reply for each in one.exchanges}
    assert replies == {"m1": "first", "m2": "second"}
    ask(mirror, "m1")
    assert mirror.exchanges[-1].reply != "first"
    assert len(one.exchanges) == 2


async def test_a_mirror_is_an_async_context_manager() -> None:
    """And runs beside the loop that uses it."""
    async with Mirror() as mirror, httpx.AsyncClient() as client:
        body = {"messages": [{"role": "user", "content": "hello"}]}
        url = f"{mirror.url}/chat/completions"
        answers = await asyncio.gather(*(client.post(url, json=body) for _ in range(50)))
    said = {each.json()["choices"][0]["message"]["content"] for each in answers}
    assert len(said) == 50
    with pytest.raises(ValueError, match="does not run"):
        _ = mirror.url


def test_fifty_megabytes_are_recorded(mirror: Mirror) -> None:
    """And shortened where people read them."""
    from goldfish.mirror.display import describe

    ask(mirror, "x" * 50_000_000 + "needle")
    assert "needle" in mirror.prompts[0]
    assert len("\n".join(describe(mirror.prompts[0]))) < 1000
    assert len(repr(mirror.prompts[0])) < 100


def test_a_summary_within_the_same_frame_is_known_by_its_marks(mirror: Mirror) -> None:
    """The last message of the user has no mark, so no user waits for the answer."""
    said = [mirror.draw_mark() for _ in range(3)]
    messages = [{"role": "user", "content": each} for each in said]
    asked = {"role": "user", "content": "Summarise the conversation above."}
    body = {"messages": [*messages, asked]}
    answer = httpx.post(f"{mirror.url}/chat/completions", json=body).json()
    assert not mirror.exchanges[0].is_main
    assert all(each in answer["choices"][0]["message"]["content"] for each in said)
    limited = {**body, "max_tokens": 5}
    answer = httpx.post(f"{mirror.url}/chat/completions", json=limited).json()
    assert said[0] not in answer["choices"][0]["message"]["content"]


def test_marks_are_not_changed_by_json(mirror: Mirror) -> None:
    """They are found in escaped text, and are unique."""
    from goldfish.mirror import find_marks
    from goldfish.mirror.wire.base import dump

    marks = [mirror.draw_mark() for _ in range(2000)]
    assert len(set(marks)) == 2000
    text = dump({"said": "é\n" + "\n".join(marks), "id": "0f5c2a1b-9d3e-4b7a-8c6d-1e2f3a4b5c6d"})
    assert find_marks(dump(text)) == marks

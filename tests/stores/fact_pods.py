"""Other processes that remember facts, all at the same moment."""

import asyncio
import time
from typing import Any

import goldfish
from goldfish.testing import HashEmbedder
from tests.stores.pods import _context

TOLD = "the blue pot of honey stands under an old tree"


def facts() -> list[str]:
    """Five facts of the same words, so that each is near all others."""
    words = TOLD.split()
    return [" ".join(words[turn:] + words[:turn]) for turn in range(5)]


async def _remember(url: str, start_at: float, turn: int) -> None:
    async with goldfish.open_store(url, embedder=HashEmbedder()) as store:
        await asyncio.sleep(max(0.0, start_at - time.time()))
        told = facts()
        for text in told[turn:] + told[:turn]:
            await store.remember("u", text)


def _main(url: str, start_at: float, turn: int) -> None:
    asyncio.run(_remember(url, start_at, turn))


def remember_from_processes(url: str, count: int) -> None:
    """Let so many processes tell the same facts, each beginning with another."""
    start_at = time.time() + 0.5
    pods: list[Any] = [
        _context.Process(target=_main, args=(url, start_at, turn), daemon=True)
        for turn in range(count)
    ]
    for pod in pods:
        pod.start()
    for pod in pods:
        pod.join()
        assert pod.exitcode == 0

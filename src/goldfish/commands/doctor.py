"""``goldfish doctor``: whether a backend can lose data, and whether what it stores is whole."""

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from goldfish.errors import UsageError, masked
from goldfish.report.page import Page
from goldfish.stores.base import BaseStore
from goldfish.stores.observation import Observation
from goldfish.stores.open import open_store
from goldfish.stores.sqlite import SQLiteMemoryStore

WELL, AILING = 0, 1
SCHEMA = 1  # of the JSON


def doctor(url: str, *, prefix: str | None, schema: str | None, repair: bool, as_json: bool) -> int:
    """Examine the store and print what was seen; 1 if something needs attention."""
    named = {"prefix": prefix, "schema": schema}
    store = _open(url, {name: value for name, value in named.items() if value is not None})
    seen = asyncio.run(_examine(store, repair))
    ailing = [each for each in seen if each.level != "ok" and not each.repaired]
    if as_json:
        print(json.dumps({"schema": SCHEMA, "observations": [asdict(each) for each in seen]}))
    else:
        _print(masked(url), seen, ailing)
    return AILING if ailing else WELL


def _open(url: str, options: dict[str, Any]) -> BaseStore:
    if url.startswith("memory:"):
        raise UsageError("memory:// lives in one process: name a SQLite, Redis or PostgreSQL URL")
    try:
        store: BaseStore = open_store(url, embedder=None, **options)
    except TypeError as error:  # an option of another backend
        raise UsageError(
            f"{masked(str(error))}: --prefix is Redis's, --schema PostgreSQL's"
        ) from None
    except ValueError as error:
        raise UsageError(masked(str(error))) from None
    if isinstance(store, SQLiteMemoryStore) and not store.path.exists():
        raise UsageError(f"{store.path} does not exist: name the file of a store")
    return store


async def _examine(store: BaseStore, repair: bool) -> list[Observation]:
    async with store:
        return await store.examine(repair=repair)


def _print(url: str, seen: Sequence[Observation], ailing: Sequence[Observation]) -> None:
    page = Page()
    page.write(url)
    for each in seen:
        state = "repaired" if each.repaired else each.level
        page.write(f"{each.subject}: {each.detail}", label=f"  {state:<9} ")
        if each.advice and each in ailing:
            page.write(each.advice, label=" " * 12)
    page.write()
    page.write(_summarise(seen, ailing))


def _summarise(seen: Sequence[Observation], ailing: Sequence[Observation]) -> str:
    if not ailing:
        return f"Nothing wrong in {len(seen)} observations."
    counts = Counter(each.level for each in ailing)
    told = ", ".join(f"{level}: {count}" for level, count in sorted(counts.items()))
    repairable = sum(each.repairable for each in ailing)
    hint = f" {repairable} can be repaired: add --repair." if repairable else ""
    return f"{told}.{hint}"

"""``goldfish doctor``: check that a backend cannot lose data, and that its data are intact."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from goldfish.errors import UsageError, mask
from goldfish.report.page import Page
from goldfish.stores.base import BaseStore
from goldfish.stores.observation import Observation
from goldfish.stores.open import open_store
from goldfish.stores.sqlite.store import SQLiteMemoryStore

WELL, NEEDS_ATTENTION = 0, 1
SCHEMA = 1  # of the JSON
PATIENCE = 600.0  # seconds for one look at a large store; ping reports a silent server sooner


def doctor(
    url: str, options: Mapping[str, Any], *, repair: bool, as_json: bool, in_detail: bool
) -> int:
    """Examine the store and print the observations; return 1 if one needs attention."""
    seen = asyncio.run(_examine(url, options, repair))
    if as_json:
        print(json.dumps({"schema": SCHEMA, "observations": [asdict(each) for each in seen]}))
    else:
        _print_observations(mask(url), seen, in_detail=in_detail)
    return NEEDS_ATTENTION if any(map(_needs_attention, seen)) else WELL


async def _examine(url: str, options: Mapping[str, Any], repair: bool) -> list[Observation]:
    async with _open(url, **options) as store:
        await store.ping()
    async with _open(url, timeout=PATIENCE, **options) as store:
        return await store.examine(repair=repair)


def _open(url: str, **options: Any) -> BaseStore:
    if url.startswith("memory:"):
        raise UsageError(
            "memory:// exists in one process only: name a SQLite, Redis or PostgreSQL URL"
        )
    try:
        store: BaseStore = open_store(url, embedder=None, **options)
    except TypeError as error:  # an option of another backend
        raise UsageError(
            f"{mask(str(error))}: --prefix is for Redis, --schema for PostgreSQL"
        ) from None
    except ValueError as error:
        raise UsageError(mask(str(error))) from None
    if isinstance(store, SQLiteMemoryStore) and not store.path.exists():
        raise UsageError(f"{store.path} does not exist: name the file of an existing store")
    return store


def _needs_attention(seen: Observation) -> bool:
    return seen.level != "ok" and not seen.repaired


def _print_observations(url: str, seen: Sequence[Observation], *, in_detail: bool) -> None:
    page = Page()
    page.write(url)
    for each in seen:
        if in_detail or each.level != "ok":
            state = "repaired" if each.repaired else each.level
            page.write(f"{each.subject}: {each.detail}", label=f"  {state:<9} ")
        if each.advice and _needs_attention(each):
            page.write(each.advice, label=" " * 12)
    well = [each.subject for each in seen if each.level == "ok"]
    if well and not in_detail:
        page.write(", ".join(well), label="  ok        ")
    page.write()
    page.write(_summarise(seen))


def _summarise(seen: Sequence[Observation]) -> str:
    open_ones = [each for each in seen if _needs_attention(each)]
    if not open_ones:
        return f"Nothing wrong in {len(seen)} observations."
    counts = Counter(each.level for each in open_ones)
    levels = ", ".join(f"{level}: {count}" for level, count in sorted(counts.items()))
    repairable = sum(each.repairable for each in open_ones)
    hint = f" {repairable} can be repaired: add --repair." if repairable else ""
    return f"{levels}.{hint}"

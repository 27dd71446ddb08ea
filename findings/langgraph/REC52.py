"""SqliteStore: which fields of a value are to be embedded is overlooked, and all of it is embedded.

Its documentation says index={"fields": ["text"]}, and what it reads is "text_fields". So what is
noted beside a text drowns it, and a long value is known by its beginning (REC07). It needs a Python
whose sqlite3 loads extensions; exit 2 if this one does not. Exit 1 if another field is embedded.

What to do: configure index={"text_fields": ["text"]} as well.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from langgraph.store.sqlite import SqliteStore

embedded: list[str] = []


def embed(texts: Sequence[str]) -> list[list[float]]:
    embedded.extend(texts)
    return [[1.0, 0.0] for _ in texts]


INDEX: Any = {"dims": 2, "embed": embed, "fields": ["text"]}


def main(path: str) -> int:
    if not hasattr(sqlite3.connect(":memory:"), "enable_load_extension"):
        print("not shown: the sqlite3 of this Python loads no extensions")
        return 2
    with SqliteStore.from_conn_string(path, index=INDEX) as store:
        store.setup()
        store.put(("users", "ann"), "tea", {"text": "Ann likes tea", "note": "said in a hurry"})
    wrong = embedded != ["Ann likes tea"]
    print(
        f"{'broken' if wrong else 'held'}: to embed 'Ann likes tea' alone, it embedded {embedded}"
    )
    return int(wrong)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(str(Path(place) / "store.sqlite")))

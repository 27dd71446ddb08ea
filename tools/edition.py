"""Freezes the checks of today as a new edition: ``python -m tools.edition 2027.2``."""

import re
import sys
from pathlib import Path

import goldfish.catalogue.editions as editions
from goldfish.catalogue.registry import catalogue

FOLDER = Path(editions.__file__).parent


def freeze(name: str, folder: Path = FOLDER) -> Path:
    """Write the list of an edition, which is new; return its file."""
    if not re.fullmatch(r"\d{4}\.\d{1,2}", name):
        raise SystemExit(f"{name!r} is not an edition: use a year and a month, such as 2027.2")
    path = folder / f"{name}{editions.SUFFIX}"
    if path.exists():
        raise SystemExit(f"{path} is there: an edition that was released never changes")
    path.write_text(editions.freeze(catalogue().values()), encoding="ascii")
    return path


if __name__ == "__main__":
    written = freeze(sys.argv[1] if len(sys.argv) == 2 else "")
    print(f"Written: {written}. Add its digest to tests/catalogue/test_editions.py")

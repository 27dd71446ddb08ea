"""Known bugs of published memory layers: is each found with it, and never where it is mended?

Each row names the release that has a bug, one that has not if there is one, and the checks that
are to see it. Throw-away environments are made below ``--place``; each is asked with as many seeds
as ``--seeds`` says. What was tried and found right is asked too, and must not be called broken.

    python -m bench.real_bugs --seeds 10 [--only WORD…]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tools.findings.environments import NotInstalledError, prepare

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0  # seconds in which a bug is to be found


@dataclass(frozen=True)
class Row:
    """A bug: where it is, where it is not, and the checks of which one at least sees it."""

    bug: str
    target: str
    codes: str
    extra: str
    broken: str  # what pip installs beside the extra
    mended: str = ""


@dataclass(frozen=True)
class Right:
    """Something that was tried and found right: none of these checks may be broken."""

    what: str
    target: str
    codes: str
    extra: str
    release: str


ROWS = (
    Row("file: writers and kills", "langchain-file", "CON01 CON04 DUR16", "langchain",
        "langchain-community==0.4.2"),
    Row("redis: batches", "langchain-redis", "CON02 CON05 FID22", "langchain",
        "langchain-community==0.4.2"),
    Row("memory: edits and processes", "langchain-memory", "FID23 FID24 FID25 CON01 DUR02",
        "langchain", "langchain-core==1.7.2"),
    Row("dict: turns at once", "langgraph-memory", "CON04", "langgraph", "langgraph==1.2.20"),
    Row("sqlite: turns at once", "langgraph-sqlite", "CON01 CON04", "langgraph",
        "langgraph==1.2.20"),
    Row("a deleted thread", "langgraph-memory", "CON22", "langgraph", "langgraph==1.2.20"),
    Row("a surrogate", "langgraph-sqlite", "FID06", "langgraph", "langgraph-checkpoint==4.3.1"),
    Row("store: al and alice", "langgraph-store-sqlite", "ISO23", "langgraph",
        "langgraph-checkpoint-sqlite==3.1.0", "langgraph-checkpoint-sqlite==3.1.1"),
    Row("store: expiry", "langgraph-store-sqlite", "TTL22 TTL23 TTL24 TTL25", "langgraph",
        "langgraph-checkpoint-sqlite==3.1.2"),
    Row("store: another's bad value", "langgraph-store-sqlite-async", "CON20", "langgraph",
        "langgraph-checkpoint-sqlite==3.1.2"),
    Row("store: replaced values", "langgraph-store-memory", "REV02 FID34", "langgraph",
        "langgraph-checkpoint==4.3.1"),
    Row("delete_all of another", "mem0", "ISO28", "mem0", "mem0ai==1.0.5", "mem0ai==1.0.6"),
    Row("the folder is deleted", "mem0", "DUR23 DUR26 DUR27 DUR29", "mem0",
        "mem0ai==0.1.40 qdrant-client==1.12.1", "mem0ai==2.2.1"),
    Row("faiss: kills, two processes", "mem0-faiss", "DUR26 DUR27 DUR29 CON18", "mem0-faiss",
        "mem0ai==2.2.1"),
    Row("first writes at once", "openai-agents-sqlalchemy", "CON08", "openai-agents",
        "openai-agents==0.12.5", "openai-agents==0.13.0"),
    Row("async: first writes at once", "openai-agents-async-sqlite", "CON07 CON08",
        "openai-agents", "openai-agents==0.22.2", "openai-agents==0.22.3"),
    Row("one timestamp", "adk-database", "ORD03", "adk", "google-adk==2.13.0"),
    Row("state: overwritten keys", "adk-sqlite", "FID41", "adk", "google-adk==2.7.1",
        "google-adk==2.8.0"),
    Row("first puts at once", "llamaindex-memory", "CON08", "llamaindex",
        "llama-index-core==0.14.25"),
)  # fmt: skip
CROWDS = "CON01 CON02 CON04 CON05 DUR16 DUR17"
RIGHT = (
    Right("SQLite sessions", "openai-agents-sqlite", CROWDS, "openai-agents",
          "openai-agents==0.24.0"),
    Right("async SQLite sessions", "openai-agents-async-sqlite", CROWDS, "openai-agents",
          "openai-agents==0.24.0"),
    Right("SQLAlchemy sessions", "openai-agents-sqlalchemy", CROWDS, "openai-agents",
          "openai-agents==0.24.0"),
    Right("SQL histories", "langchain-sql", "CON01 CON04 DUR16 DUR18", "langchain",
          "langchain-community==0.4.2"),
    Right("Redis histories", "langchain-redis",
          "FID01 FID02 FID05 FID06 ISO02 ISO05 ISO07 ISO09 TTL01 TTL18", "langchain",
          "langchain-community==0.4.2"),
    Right("sqlite: distinct threads", "langgraph-sqlite", "ISO01 ISO02 ISO15", "langgraph",
          "langgraph==1.2.20"),
    Right("user filters with odd ids", "mem0", "ISO23 ISO24", "mem0", "mem0ai==2.2.1"),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Ask for each row, and end with 1 if one of them is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[], help="words of the rows to ask")
    place = Path(tempfile.gettempdir()) / "goldfish-real-bugs"
    parser.add_argument("--place", type=Path, default=place, help="where environments are made")
    options = parser.parse_args(arguments)
    wrong = 0
    for row in ROWS:
        if _is_meant(options.only, row.target, row.bug):
            wrong += not _asked(row, options.place, options.seeds)
    for right in RIGHT:
        if _is_meant(options.only, right.target, right.what):
            wrong += not _found_right(right, options.place, options.seeds)
    return int(wrong > 0)


def _is_meant(words: list[str], *named: str) -> bool:
    return not words or any(word in " ".join(named) for word in words)


def _asked(row: Row, place: Path, seeds: int) -> bool:
    """Whether the bug is found by each seed where it is, and by none where it is not."""
    found = _broken(row.broken, row.extra, place, row.target, row.codes, seeds)
    told = f"{row.broken} {row.target} ({row.bug}): {_share(found, seeds)}"
    as_hoped = found is not None and found == seeds
    if row.mended:
        false = _broken(row.mended, row.extra, place, row.target, row.codes, seeds)
        told += f"; {row.mended}: {_share(false, seeds)}"
        as_hoped = as_hoped and false == 0
    print(f"{'as hoped' if as_hoped else 'NOT SO'}: found in {told}", flush=True)
    return as_hoped


def _found_right(right: Right, place: Path, seeds: int) -> bool:
    """Whether no seed calls broken what was found right."""
    false = _broken(right.release, right.extra, place, right.target, right.codes, seeds)
    told = f"{right.release} {right.target} ({right.what}): blamed in {_share(false, seeds)}"
    print(f"{'as hoped' if false == 0 else 'NOT SO'}: right, {told}", flush=True)
    return false == 0


def _share(found: int | None, seeds: int) -> str:
    return "nothing: see the line above" if found is None else f"{found} of {seeds}"


def _broken(
    release: str, extra: str, place: Path, target: str, codes: str, seeds: int
) -> int | None:
    """How many seeds find one of these checks broken; None if it could not be asked."""
    try:
        python = _environment(place, extra, release)
        return sum(bool(_seen(python, target, codes, seed)) for seed in range(seeds))
    except (NotInstalledError, RuntimeError) as error:
        print(f"{release} {target}: {error}", file=sys.stderr, flush=True)
        return None


def _environment(place: Path, extra: str, release: str) -> Path:
    """One with this release and all else that the extra needs, made where there is none."""
    name = f"{extra}-{release.replace('==', '-').replace(' ', '-')}"
    return prepare(ROOT, place / name, f"{extra},servers", *release.split())


def _seen(python: Path, target: str, codes: str, seed: int) -> list[str]:
    """The checks that one run calls broken."""
    chosen = [word for code in codes.split() for word in ("--only", code)]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "report.json"
        command = [str(python), "-m", "goldfish", "check", target, "--seed", str(seed)]
        began = time.monotonic()
        done = subprocess.run(
            [*command, *chosen, "--json", str(file)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        seconds = time.monotonic() - began
        if not file.exists():
            said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
            raise RuntimeError(said[-1])
        (report,) = json.loads(file.read_text())["reports"]
    found = [each["code"] for each in report["checks"] if each["verdict"] == "broken"]
    late = f", later than {PATIENCE:g} s" if seconds > PATIENCE else ""
    print(f"  {target} seed {seed}: {' '.join(found) or 'nothing'}{late}", file=sys.stderr)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

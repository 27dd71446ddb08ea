"""``make findings``: ask every target of the day, and write docs/findings.md and findings.json."""

import argparse
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tools.findings.asking import Question, ask_all
from tools.findings.environments import NotInstalledError, prepared
from tools.findings.figures import figures
from tools.findings.libraries import LIBRARIES
from tools.findings.page import page

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".findings"
RUNS = PLACE / "runs"


def main(arguments: list[str]) -> int:
    """Ask, count and write; what could not be asked is a row that says so."""
    options = _options(arguments)
    python = _python()
    known = _inside(python, "targets")
    chosen = options.only_target or list(known["targets"])
    if unknown := [each for each in chosen if each not in known["targets"]]:
        print(f"no such target: {', '.join(unknown)}; `goldfish targets` lists them")
        return 2
    if not options.page_only:
        ask_all(_questions(chosen, known, python, options), RUNS, options.at_once)
    scripts = _scripts(python, known, chosen, again=not options.page_only)
    kept = [json.loads(path.read_text()) for path in sorted(RUNS.glob("*.json"))]
    runs = [*kept, *_left_out(known, kept)]
    _write(figures(runs, known, scripts, _asked(options)))
    return 0


def _left_out(known: dict[str, Any], runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each target that nobody has asked yet."""
    asked = {run["target"] for run in runs}
    names = [name for name in known["targets"] if name not in asked]
    said = 'not in this run: make findings ARGS="--only-target {}"'
    return [{"target": name, "error": said.format(name)} for name in names]


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make findings", description=__doc__)
    parser.add_argument("--only-target", action="append", help="ask only this one again")
    parser.add_argument("--page-only", action="store_true", help="write the page from kept runs")
    parser.add_argument("--max-time", type=float, default=240.0, help="seconds for each target")
    parser.add_argument("--at-once", type=int, default=2, help="targets at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suite", default="standard")
    return parser.parse_args(arguments)


def _asked(options: argparse.Namespace) -> dict[str, Any]:
    """How it was asked; a page from kept runs keeps what those said."""
    file = RUNS / "asked" / "asked.json"
    if options.page_only and file.exists():
        kept: dict[str, Any] = json.loads(file.read_text())
        return kept
    day = datetime.now(UTC).date().isoformat()
    said = {"day": day, "seed": options.seed, "suite": options.suite, "max_time": options.max_time}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(said))
    return said


def _python() -> Path:
    """That of the environment given by VENV, or of one made here with all extras."""
    if given := os.environ.get("VENV"):
        return Path(given).absolute() / "bin" / "python"
    return prepared(ROOT, PLACE / "all", "all")


def _questions(
    chosen: list[str], known: dict[str, Any], python: Path, options: argparse.Namespace
) -> list[Question]:
    questions = []
    for name in chosen:
        try:
            own = _own_python(known["targets"][name], python)
        except NotInstalledError as error:
            _note(name, f"its extra could not be installed: {error}")
            continue
        questions.append(Question(ROOT, own, name, options.seed, options.suite, options.max_time))
    return questions


def _own_python(target: dict[str, Any], python: Path) -> Path:
    """An environment of its own for what the one with all extras does not have."""
    if not target["missing"]:
        return python
    extra = target["extra"]
    return prepared(ROOT, PLACE / extra, f"{extra},servers")


def _note(target: str, error: str) -> None:
    RUNS.mkdir(parents=True, exist_ok=True)
    (RUNS / f"{target}.json").write_text(json.dumps({"target": target, "error": error}))


def _scripts(
    python: Path, known: dict[str, Any], chosen: list[str], *, again: bool
) -> list[dict[str, Any]]:
    """How each script of the libraries ends that were asked; of the others, how it ended."""
    file = RUNS / "asked" / "scripts.json"
    kept: list[dict[str, Any]] = json.loads(file.read_text()) if file.exists() else []
    asked = [
        each.folder
        for each in LIBRARIES
        if any(name.partition("-")[0] == each.prefix.partition("-")[0] for name in chosen)
    ]
    if again or not kept:
        fresh = _inside(python, "scripts", *asked)
        kept = [each for each in kept if each["library"] not in asked] + fresh
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=1))
    return sorted(kept, key=lambda each: str(each["script"]))


def _inside(python: Path, *words: str) -> Any:
    """What the environment tells of itself."""
    paths = os.pathsep.join(str(each) for each in (ROOT / "src", ROOT))
    done = subprocess.run(
        [str(python), "-m", "tools.findings.inside", *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return json.loads(done.stdout.splitlines()[-1])


def _write(told: dict[str, Any]) -> None:
    docs = ROOT / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "findings.json").write_text(json.dumps(told, indent=1, ensure_ascii=True) + "\n")
    (docs / "findings.md").write_text(page(told), encoding="utf-8")
    print(f"written: {docs / 'findings.md'} and findings.json", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

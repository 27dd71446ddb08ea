"""``make findings``: check every target of the day, and write findings.json and its pages."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from goldfish.integrations.goldfish import GOLDFISH
from tools.findings.commands import INSTALL, LIBRARIES, library_of
from tools.findings.details import render_library
from tools.findings.environments import NotInstalledError, prepare
from tools.findings.figures import compute_figures, keep_rows
from tools.findings.overview import DATA, list_measured, render_overview
from tools.findings.runs import Job, run_all

ROOT = Path(__file__).parents[2]
PLACE = ROOT / ".findings"
RUNS = PLACE / "runs"
SCRIPTS = PLACE / "scripts.json"


def main(arguments: list[str]) -> int:
    """Check, compute and write; a target that could not be checked is a row that says so."""
    options = _parse(arguments)
    if not options.pages_only:
        python = _find_python()
        known = _take_inventory(python, "targets")
        chosen = options.only_target or list(known["targets"])
        if unknown := [each for each in chosen if each not in known["targets"]]:
            print(f"no such target: {', '.join(unknown)}; `goldfish targets` lists them")
            return 2
        run_all(_jobs(chosen, known, python, options), RUNS, options.at_once)
        stored = _stored_figures()
        scripts = _run_scripts(python, chosen, stored["scripts"])
        figures = compute_figures(_kept_runs(known, stored), known, scripts, _conditions(options))
        figures = keep_rows(figures, stored)
        (ROOT / DATA).write_text(json.dumps(figures, indent=1, ensure_ascii=True) + "\n")
    _write_pages(json.loads((ROOT / DATA).read_text()))
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make findings", description=__doc__)
    parser.add_argument("--only-target", action="append", help="check only this one again")
    parser.add_argument("--pages-only", action="store_true", help="write the pages, run nothing")
    parser.add_argument("--max-time", type=float, default=240.0, help="seconds for each target")
    parser.add_argument("--at-once", type=int, default=2, help="targets at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--suite", default="standard")
    return parser.parse_args(arguments)


def _conditions(options: argparse.Namespace) -> dict[str, Any]:
    day = datetime.now(UTC).date().isoformat()
    return {
        "day": day,
        "seed": options.seed,
        "suite": options.suite,
        "max_time": options.max_time,
    }


def _stored_figures() -> dict[str, Any]:
    """Return the figures of the last time, from which targets that are not run keep their rows."""
    path = ROOT / DATA
    empty: dict[str, Any] = {"targets": [], "scripts": [], "asked": {"day": ""}}
    return json.loads(path.read_text()) if path.exists() else empty


def _kept_runs(known: Mapping[str, Any], stored: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every run, and a row for each target that was never run, now or before."""
    runs = [json.loads(path.read_text()) for path in sorted(RUNS.glob("*.json"))]
    done = {each["target"] for each in (*runs, *stored["targets"])}
    error = 'not in this run: make findings ARGS="--only-target {}"'
    missing = [name for name in known["targets"] if name not in done]
    return [*runs, *({"target": name, "error": error.format(name)} for name in missing)]


def _find_python() -> Path:
    """Return the Python of the environment that VENV names, or of one made with all extras."""
    if given := os.environ.get("VENV"):
        return Path(given).absolute() / "bin" / "python"
    return prepare(ROOT, PLACE / "all", "all")


def _jobs(
    chosen: list[str], known: dict[str, Any], python: Path, options: argparse.Namespace
) -> list[Job]:
    jobs = []
    for name in chosen:
        try:
            own = _python_for(known["targets"][name], python)
        except NotInstalledError as error:
            _note_failure(name, f"its extra could not be installed: {error}")
            continue
        jobs.append(Job(ROOT, own, name, options.seed, options.suite, options.max_time))
    return jobs


def _python_for(target: dict[str, Any], python: Path) -> Path:
    """Return that Python, or one of its own for a target whose extra it does not have."""
    if not target["missing"]:
        return python
    if not target["extra"]:
        raise NotInstalledError(f"{target['missing'][0]} is not there: {INSTALL}")
    extra = target["extra"]
    return prepare(ROOT, PLACE / extra, f"{extra},servers")


def _note_failure(target: str, error: str) -> None:
    RUNS.mkdir(parents=True, exist_ok=True)
    (RUNS / f"{target}.json").write_text(json.dumps({"target": target, "error": error}))


def _run_scripts(
    python: Path, chosen: list[str], stored: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Run the scripts of the chosen targets' libraries; keep the outcomes of the others."""
    libraries = {library_of(name).prefix for name in chosen}
    folders = [each.prefix for each in LIBRARIES if each.prefix in libraries]
    kept = json.loads(SCRIPTS.read_text()) if SCRIPTS.exists() else stored
    others = [each for each in kept if each["library"] not in folders]
    scripts = [*others, *_take_inventory(python, "scripts", *folders)]
    SCRIPTS.parent.mkdir(parents=True, exist_ok=True)
    SCRIPTS.write_text(json.dumps(scripts, indent=1))
    return sorted(scripts, key=lambda each: str(each["script"]))


def _take_inventory(python: Path, *words: str) -> Any:
    """Return what the environment prints about itself."""
    paths = os.pathsep.join(str(each) for each in (ROOT / "src", ROOT))
    done = subprocess.run(
        [str(python), "-m", "tools.findings.inventory", *words],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    return json.loads(done.stdout.splitlines()[-1])


def _write_pages(figures: Mapping[str, Any]) -> None:
    docs = ROOT / "docs"
    (docs / "findings").mkdir(parents=True, exist_ok=True)
    (docs / "findings.md").write_text(render_overview(figures), encoding="utf-8")
    for library in (GOLDFISH, *list_measured(figures)):
        page = docs / "findings" / f"{library.prefix}.md"
        page.write_text(render_library(library, figures), encoding="utf-8")
    print(f"written: {docs / 'findings.md'} and {docs / 'findings'}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

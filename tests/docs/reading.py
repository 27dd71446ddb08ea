"""A reader who follows a page word for word, in a directory of their own."""

import contextlib
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.docs.blocks import ROOT, Block, Command, blocks, commands, directory_of
from tests.docs.comparison import shows, tells

RUN = {"cat", "goldfish", "ls", "pytest", "python"}  # pip and make are for the reader's machine
PLUGINS = ("no_network", "no:cacheprovider", "no:langsmith_plugin", "no:anyio", "no:xdist")
SHORTEST = "DUR02"
QUIET = " ".join(f"-p {plugin}" for plugin in PLUGINS)


class NotAsShown(AssertionError):  # noqa: N818 - it is what a failed test says
    """A page shows what is not so."""


@dataclass
class Reader:
    """What a reader has done so far: the names of the code that was run, and its last output."""

    directory: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    printed: str = ""
    aside: str = ""
    tests: int = 0
    ran: list[Block] = field(default_factory=list)
    said: list[tuple[Block, str]] = field(default_factory=list)  # what a new edition would show

    def read(self, page: str, path: Path) -> None:
        """Follow the page; NotAsShown where it cannot be followed."""
        if place := directory_of(page, path):
            ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache", "node_modules")
            shutil.copytree(place, self.directory, dirs_exist_ok=True, ignore=ignored)
        for block in blocks(page):
            if block.note != "not run" and block.kind != "prose":
                getattr(self, f"_{block.kind}")(block)
        for block in list(self.ran):  # as whoever tries a snippet again
            self._run(block)

    def _quote(self, block: Block) -> None:
        quoted = block.text.partition("\n")[2].strip("\n")
        if quoted not in (ROOT / block.name).read_text(encoding="utf-8"):
            raise NotAsShown(f"{block.name} has no such lines:\n{quoted}")

    def _file(self, block: Block) -> None:
        path = self.directory / block.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def _test(self, block: Block) -> None:
        self.tests += 1
        name = f"test_page_{self.tests}.py"
        (self.directory / name).write_text(block.text, encoding="utf-8")
        code, said = self._ran(f"pytest -q {name} --snapshot-update")  # without other plugins
        if code:
            raise NotAsShown(f"a test of the page fails:\n{block.text}\n{said}{self.aside}")

    def _run(self, block: Block) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), _importing_from(self.directory):
            exec(compile(block.text, "page", "exec"), self.names)
        self.printed = out.getvalue()
        self.ran.append(block)

    def _printed(self, block: Block) -> None:
        self.said.append((block, self.printed))
        missing = shows(block.text, self.printed, exactly=True)
        if missing and not _updates():
            raise NotAsShown(f"shown, not printed: {missing}\nprinted:\n{self.printed}")

    def _console(self, block: Block) -> None:
        edition = []
        for command in commands(block):
            said = self._followed(command, block)
            edition.append(command.written + (command.shown if _partial(command) else said))
        if edition:  # a block without $ only names commands
            self.said.append((block, "".join(edition)))

    def _followed(self, command: Command, block: Block) -> str:
        line = command.line.removeprefix(".venv/bin/")
        if shlex.split(line)[0] not in RUN:
            return command.shown
        code, said = self._ran(line if command.shown.strip() else _made_short(line))
        if code not in {0, 1}:
            raise NotAsShown(f"$ {command.line}\nexit {code}:\n{said}{self.aside}")
        compare = tells if block.note == "varies" else shows
        self._expect(compare(command.shown, said), command, said)
        return said if block.note != "varies" else command.shown

    def _expect(self, missing: str, command: Command, said: str) -> None:
        if missing and not _updates():
            raise NotAsShown(
                f"$ {command.line}\nshown, not said: {missing}\nsaid:\n{said}{self.aside}"
            )

    def _ran(self, line: str) -> tuple[int, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        quiet = QUIET if " asyncio" in line else f"{QUIET} -p no:asyncio"
        known = filter(None, [os.environ.get("PYTHONPATH"), str(ROOT / "tests")])
        environment = {
            **os.environ,
            "PATH": path,
            "COLUMNS": "80",
            "PYTEST_ADDOPTS": quiet,
            "PYTHONPATH": os.pathsep.join(known),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            shlex.split(line),
            cwd=self.directory,
            env=environment,
            capture_output=True,
            text=True,
            timeout=240,
        )
        self.aside = done.stderr  # progress, which depends on how busy the machine is
        return done.returncode, done.stdout


def _updates() -> bool:
    """Whether the page is to be given what is said today."""
    return bool(os.environ.get("GOLDFISH_UPDATE_DOCS"))


@contextlib.contextmanager
def _importing_from(directory: Path) -> Iterator[None]:
    """Be in the directory, as a script there is; its modules are nobody else's afterwards."""
    sys.path.insert(0, str(directory))
    importlib.invalidate_caches()
    try:
        with contextlib.chdir(directory):
            yield
    finally:
        sys.path.remove(str(directory))
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", "")).startswith(str(directory)):
                del sys.modules[name]


def _made_short(line: str) -> str:
    """A check of everything, of which a page shows nothing, is only begun."""
    whole = line.startswith("goldfish check ") and not re.search(" --(only|suite|baseline)", line)
    return f"{line} --only {SHORTEST}" if whole else line


def _partial(command: Command) -> bool:
    """Whether a page shows nothing of what is said, or only parts, which a person chose."""
    return not command.shown.strip() or bool(re.search(r"^\s*…$|…]", command.shown, re.MULTILINE))


def new_edition(page: str, said: list[tuple[Block, str]]) -> str:
    """The page with what was said in the place of what it showed."""
    for block, text in sorted(said, key=lambda each: -each[0].start):
        page = page[: block.start] + text + page[block.end :]
    return page


def pages() -> Iterator[Path]:
    """Every page with code to follow: the front door, the documentation, the examples."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").rglob("*.md"))
    yield from sorted((ROOT / "examples").glob("*/README.md"))

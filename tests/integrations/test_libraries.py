"""The table of libraries is complete, and reading it imports none of them."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

from goldfish import adapt
from goldfish.integrations.goldfish import GOLDFISH
from goldfish.integrations.libraries import BUILT_INS, LIBRARIES

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / "src" / "goldfish" / "integrations"


def test_reading_the_table_imports_no_library() -> None:
    """Nor anything else that is not Python's own: completion and help wait for it."""
    code = "import sys, goldfish.integrations.libraries; print(*sys.modules)"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    packages = {each.partition(".")[0] for entry in BUILT_INS.values() for each in entry.packages}
    loaded = {each.partition(".")[0] for each in output.split()}
    assert loaded & {*packages, "pydantic", "rich", "typer"} == set()
    assert [each for each in output.split() if each.startswith("goldfish.stores")] == []


def test_every_folder_is_in_the_table() -> None:
    """A library that is added is known to all commands at once."""
    folders = {each.parent.name for each in FOLDERS.glob("*/__init__.py")}
    assert folders == {each.name for each in (GOLDFISH, *LIBRARIES)}


def test_every_entry_leads_to_modules_files_and_extras_that_are_there() -> None:
    """Whether or not the library is installed here."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = {"", *declared["project"]["optional-dependencies"]}
    for entry in BUILT_INS.values():
        path = ROOT / "src" / entry.module.replace(".", "/")
        tree = ast.parse(path.with_suffix(".py").read_text("utf-8"))
        assert entry.factory in {getattr(each, "name", "") for each in tree.body}, entry.name
        assert set(entry.extra.split(",")) <= extras, entry.name
    for library in (GOLDFISH, *LIBRARIES):
        for module in (*library.adapters.values(), *library.models.values()):
            assert (FOLDERS / library.name / f"{module}.py").is_file()
        assert all((FOLDERS / each.file).is_file() for each in library.starters)
        assert {each.extra for each in library.starters} <= extras


def test_what_adapt_offers_is_what_type_checkers_see() -> None:
    """They read the imports, programs ask the table."""
    tree = ast.parse(Path(adapt.__file__).read_text("utf-8"))
    guarded = [each for node in tree.body if isinstance(node, ast.If) for each in node.body]
    typed = [alias.name for each in guarded for alias in getattr(each, "names", [])]
    assert sorted(typed) == adapt.__all__ == dir(adapt)

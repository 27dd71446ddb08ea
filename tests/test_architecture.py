"""What ARCHITECTURE.md says of the code, held against the code."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in SOURCES.rglob("*.py")}


@cache
def imported(module: str, *, everywhere: bool) -> set[str]:
    """Return the modules of ours that a module imports, when it is loaded or ever."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    found = set()
    for node in ast.walk(tree) if everywhere else run_when_loaded(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            within = {f"{node.module}.{each.name}" for each in node.names}
            found |= (within & set(MODULES)) or {str(node.module)}
    return (found & set(MODULES)) - {module}


def run_when_loaded(node: ast.AST) -> Iterator[ast.AST]:
    """Walk over what an import runs: no bodies of functions, nothing for type checkers alone."""
    for child in ast.iter_child_nodes(node):
        for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
        if not for_types and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
            yield from run_when_loaded(child)


def loaded_by(module: str) -> dict[str, str]:
    """Return all modules of ours that are loaded with a module, each with the one that needs it."""
    needed_by, waiting = {module: ""}, [module]
    while waiting:
        needing = waiting.pop()
        for other in imported(needing, everywhere=False):
            parts = other.split(".")
            packages = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
            fresh = [each for each in packages if each not in needed_by]
            needed_by |= dict.fromkeys(fresh, needing)
            waiting += fresh
    return needed_by


def test_imports_lead_one_way() -> None:
    """No module needs, to be imported, one that needs it."""
    graph = {module: imported(module, everywhere=False) for module in MODULES}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


# What each room may import beside itself and the modules at the root. cli/ is the front door.
ROOMS = {
    "history": "",
    "findings": "history",
    "judges": "history findings.kinds",
    "services": "",
    "world": "mirror.environment services",
    "targets": "commands history findings.absence findings.families harness.errors integrations "
    "mcp.declaration mirror.environment services.binaries specimens",
    "mcp": "harness.patience services targets",
    "harness": "findings history mirror.environment services targets world",
    "stress": "findings harness history judges",
    "model": "",
    "agents": "findings harness history mirror services targets world",
    "commands": "harness history services targets world",
    "catalogue": "agents findings harness history model stress targets world",
    "engine": "agents catalogue findings harness history targets world",
    "report": "engine findings history targets",
    "replay": "findings harness history judges stress",
    "plugin": "catalogue engine findings report targets",
    "specimens": "findings.families targets",
    "snapshots": "report targets",
    "stores": "embedding",
    "embedding": "",
    "integrations": "embedding mcp stores targets testing",
    "dropins": "integrations",
    "mirror": "embedding",
    "testing": "embedding history integrations mirror plugin replay",
}
# Nothing in these loads one of our own stores.
CHECKING = (
    *("history", "findings", "judges", "services", "world", "targets", "harness", "stress"),
    *("commands", "mcp", "mirror", "model"),
    *("catalogue", "engine", "report", "replay", "plugin", "specimens", "snapshots"),
)


def room_of(module: str) -> str:
    return module.removeprefix("goldfish.").partition(".")[0]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_knows_only_what_it_may(room: str) -> None:
    """Not even inside a function."""
    allowed = [f"goldfish.{each}." for each in [room, *ROOMS[room].split()]]
    strays = [
        f"{module} imports {other}"
        for module in MODULES
        if room_of(module) == room
        for other in imported(module, everywhere=True)
        if room_of(other) in {*ROOMS, "cli"} and not f"{other}.".startswith(tuple(allowed))
    ]
    assert strays == []


def test_there_is_a_rule_for_every_room() -> None:
    """A new room says what it may import."""
    rooms = {path.parent.name for path in (SOURCES / "goldfish").glob("*/__init__.py")}
    assert rooms - {"cli"} == set(ROOMS)


def test_the_kinds_of_findings_need_nothing() -> None:
    """Judges may know them, and nothing else that is said to people."""
    assert imported("goldfish.findings.kinds", everywhere=True) == set()


@pytest.mark.parametrize("room", CHECKING)
def test_what_checks_loads_none_of_our_stores(room: str) -> None:
    """Through no chain of imports: a stranger's memory is judged without ours beside it."""
    strays = [
        f"{module} loads {other}, which {needing} imports"
        for module in MODULES
        if room_of(module) == room
        for other, needing in loaded_by(module).items()
        if room_of(other) == "stores"
    ]
    assert strays == []


def test_the_map_and_the_folders_are_the_same_list() -> None:
    """Every room is on the map of ARCHITECTURE.md, in order, and so is every module of the root."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    (tree,) = re.findall(r"^goldfish/\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    inside = SOURCES / "goldfish"
    rooms = re.findall(r"^  (\w+)/  ", tree, re.MULTILINE)
    assert rooms == sorted(each.parent.name for each in inside.glob("*/__init__.py"))
    modules, _, _ = tree.partition("/")
    named = {each for line in modules.splitlines() for each in re.findall(r"\b\w+\b", line[:42])}
    own = {each.stem for each in inside.glob("*.py")} - {"__init__", "__main__"}
    assert own <= named


def test_places_beside_the_package_that_the_map_names_are_there() -> None:
    """A directory or file in backquotes exists."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = re.findall(r"`([\w/]+(?:\.py|/))`", text)
    places = SOURCES, SOURCES / "goldfish", ROOT
    assert [each for each in named if not any((place / each).exists() for place in places)] == []


def test_few_modules_stand_at_the_root_and_no_name_repeats_its_folder() -> None:
    """The folders show the architecture, and a name says what its folder does not."""
    assert len(list((SOURCES / "goldfish").glob("*.py"))) <= 10
    repeated = [
        str(path.relative_to(SOURCES))
        for path in MODULES.values()
        if path.stem.startswith((f"{path.parent.name}_", f"{path.parent.name.rstrip('s')}_"))
    ]
    assert repeated == []


def test_every_room_says_what_it_is_for() -> None:
    """The first thing that a reader of a folder sees is its purpose."""
    silent = [
        str(path.parent.relative_to(SOURCES))
        for path in MODULES.values()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert silent == []


def test_the_tests_are_in_the_same_rooms() -> None:
    """Who looks for the tests of a module finds them under the same path."""
    apart = {"bench", "data", "docs", "examples", "tools", "typed"}
    rooms = {path.name for path in (SOURCES / "goldfish").iterdir() if path.is_dir()}
    inside = ROOT / "tests"
    found = {path.parent.name for path in inside.glob("*/*.py")}
    assert found - rooms - apart == set()

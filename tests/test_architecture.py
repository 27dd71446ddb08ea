"""What ARCHITECTURE.md says of the code, held against the code."""

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in SOURCES.rglob("*.py")}


def imported(module: str, *, everywhere: bool) -> set[str]:
    """The modules of ours that a module imports, at its top or in its functions as well."""
    tree = ast.parse(MODULES[module].read_text("utf-8"))
    found = set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            within = {f"{node.module}.{each.name}" for each in node.names}
            found |= (within & set(MODULES)) or {str(node.module)}
    return (found & set(MODULES)) - {module}


def test_imports_lead_one_way() -> None:
    """No module needs, to be imported, one that needs it."""
    graph = {module: imported(module, everywhere=False) for module in MODULES}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


@pytest.mark.parametrize(
    ("part", "allowed"),
    [
        ("goldfish.judges", r"goldfish\.(judges|history|findings\.kinds)\b"),
        ("goldfish.findings.kinds", r"(?!)"),
        ("goldfish.services", r"goldfish\.(services|errors)\b"),
        ("goldfish.catalogue", r"goldfish\.(?!stores|integrations|dropins|report|cli)"),
        (
            "goldfish.stores",
            r"goldfish\.(?!catalogue|specimens|integrations|dropins|report|judges)",
        ),
        (
            "goldfish.report",
            r"goldfish\.(?!catalogue(?!\.registry)|specimens|stores|integrations|dropins|cli)",
        ),
    ],
)
def test_a_part_knows_only_what_it_may(part: str, allowed: str) -> None:
    """Not even inside a function."""
    strays = [
        f"{module} imports {other}"
        for module in MODULES
        if module == part or module.startswith(f"{part}.")
        for other in imported(module, everywhere=True)
        if not re.match(allowed, other)
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
    apart = {"bench", "data", "docs", "examples", "tools"}
    rooms = {path.name for path in (SOURCES / "goldfish").iterdir() if path.is_dir()}
    inside = ROOT / "tests"
    found = {path.parent.name for path in inside.glob("*/*.py")}
    assert found - rooms - apart == set()

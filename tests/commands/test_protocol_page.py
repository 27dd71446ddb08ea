"""docs/protocol.md: its conversation is a real one, and its tables are complete."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from goldfish.commands.introduction import DECLARED, SERVED
from goldfish.history.operations import METHODS
from goldfish.messages import ChatMessage, Fact, Snapshot

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "protocol.md").read_text("utf-8")
MEMORY = ROOT / "examples" / "perl" / "memory.pl"


def converse(requests: list[str], place: Path) -> dict[int, Any]:
    """Return what the memory in Perl answers to these lines, by id."""
    done = subprocess.run(
        ["perl", str(MEMORY)],
        input="".join(f"{each}\n" for each in requests),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "GOLDFISH_PATH": str(place)},
    )
    return {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
def test_the_conversation_is_what_a_memory_answers(tmp_path: Path) -> None:
    """Line by line; the order of the answers is theirs."""
    asked = re.findall(r"^→ (.+)$", PAGE, re.MULTILINE)
    shown = [json.loads(each) for each in re.findall(r"^← (.+)$", PAGE, re.MULTILINE)]
    assert len(asked) == len(shown) > 5
    assert converse(asked, tmp_path) == {each["id"]: each for each in shown}


def test_every_method_is_in_the_table_with_its_parameters() -> None:
    """What must be there comes before what may be there, in brackets."""
    rows = dict(re.findall(r"^\| `(\w+)` \|([^|]*)\|[^|]+\|$", PAGE, re.MULTILINE))
    assert rows.keys() >= SERVED
    for name in SERVED:
        required = re.findall(r"`(\w+)`", rows[name].partition("[")[0])
        assert set(METHODS[name].positional) <= set(required)


def test_every_declaration_and_every_field_is_in_a_table() -> None:
    """Nothing can be declared that the page does not explain."""
    cells = {
        word for line in PAGE.splitlines() if line[:1] == "|" for word in line.split("`")[1::2]
    }
    fields = {name for kind in (ChatMessage, Fact, Snapshot) for name in kind.model_fields}
    assert cells >= DECLARED | fields

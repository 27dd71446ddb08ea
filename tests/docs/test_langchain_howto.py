"""The code in the how-tos about LangChain and agents runs, and holds what is plain."""

import re
from pathlib import Path

import pytest

from goldfish.catalogue.registry import catalogue
from goldfish.engine.runner import Plan, run
from goldfish.targets.declaration import Target
from goldfish.targets.loading import load_file

HOWTOS = Path(__file__).parents[2] / "docs" / "howto"
BLOCKS = {
    f"{name}-{number}": block
    for name in ("langchain", "agents")
    for number, block in enumerate(
        re.findall(r"```python\n(.*?)```", (HOWTOS / f"{name}.md").read_text(), re.DOTALL)
    )
    if "@goldfish.target" in block
}

# LangChain says of much of it that it is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", BLOCKS)
def test_a_block_is_a_target_that_works(name: str, tmp_path: Path) -> None:
    """Its one factory opens a memory in which what was said is there, and nothing else."""
    for package in ("langchain_community", "langchain_classic", "langgraph.pregel", "agents"):
        pytest.importorskip(package)
    path = tmp_path / f"howto_{name.replace('-', '_')}.py"
    path.write_text(BLOCKS[name])
    (factory,) = re.findall(r"^@goldfish.target.*\n(?:async )?def (\w+)", BLOCKS[name], re.M)
    target = load_file(path, factory, label=name)
    assert isinstance(target, Target)
    checks = [catalogue()[code] for code in ("ISO01", "FID01")]
    found = {each.code: each.verdict.value for each in run(target, checks, Plan(seed=1)).results}
    assert found == {"ISO01": "held", "FID01": "held"}


def test_every_script_that_is_named_is_there() -> None:
    """Who follows the page finds what it says."""
    text = (HOWTOS / "langchain.md").read_text()
    named = set(re.findall(r"`([A-Z]{3}\d\d(?:_\w+)?)`", text)) - set(catalogue())
    there = {each.stem for each in (HOWTOS.parents[1] / "findings" / "langchain").glob("*.py")}
    assert named
    assert named <= there

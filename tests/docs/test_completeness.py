"""Nothing that users can name is missing from the documentation."""

import re

import goldfish
from docs.making import commands, fixtures
from docs.making.assembly import everything
from goldfish.catalogue.registry import catalogue
from goldfish.engine.selection import select
from goldfish.findings.kinds import KINDS
from goldfish.findings.result import Verdict
from goldfish.integrations.libraries import BUILT_INS
from goldfish.specimens import gallery
from goldfish.targets.declaration import DECLARED_BY_STORES
from tests.docs.blocks import ROOT


def page(path: str) -> str:
    """A page of the site."""
    return everything()[path]


def words(text: str) -> set[str]:
    """What stands in code in a text: whole, and word by word."""
    code = re.findall(r"`+([^`\n]+)`+", text)
    return {*code, *(word.strip("(),") for each in code for word in re.split(r"[ =|\\]", each))}


def test_every_command_and_option_is_documented() -> None:
    """On the page of the command line, as one writes it."""
    text = page("reference/cli.md")
    for name, command in commands.commands():
        assert f"goldfish {name}" in text
        for option in re.findall(
            r"--[\w-]+", " ".join(each for each, _ in commands.parameters(command))
        ):
            assert option in text, f"goldfish {name} {option}"


def test_every_fixture_option_and_setting_of_the_plugin_is_documented() -> None:
    """On the page of pytest, each with a sentence."""
    text = page("reference/pytest.md")
    for name, about in [*fixtures.fixtures(), *fixtures.options(), *fixtures.settings()]:
        assert name in text
        assert about


def test_every_public_name_is_in_the_reference() -> None:
    """Under a heading of its own, with a docstring to show."""
    text = page("reference/api.md")
    for name in goldfish.__all__:
        assert f"### `{name}`" in text
        assert getattr(goldfish, name).__doc__, name


def test_every_check_has_an_entry() -> None:
    """With its promise, its incident, what causes and mends it, and its specimens."""
    specimens: dict[str, list[str]] = {}
    for specimen in gallery().values():
        specimens.setdefault(specimen.caught_by, []).append(specimen.name)
    for code, check in catalogue().items():
        text = page(f"catalogue/{check.family}.md")
        entry = text.partition(f"## {code}\n")[2].partition("\n## ")[0]
        for part in ("**", "*Incident.* ", "*Mechanism", "*Fix", "*Specimen* "):
            assert part in entry, code
        assert all(f"specimen:{name} " in entry for name in specimens[code])


def test_every_target_is_listed() -> None:
    """By the name that the command line knows, and what to install."""
    text = page("reference/targets.md")
    assert [name for name in BUILT_INS if f"| `{name}` |" not in text] == []


def test_every_declaration_of_a_target_is_explained() -> None:
    """On the page about a store of one's own."""
    explained = words(page("howto/own-store.md"))
    assert set(DECLARED_BY_STORES) <= explained


def test_every_finding_and_verdict_is_explained() -> None:
    """On the page for those who want to argue."""
    explained = words(page("deciding.md"))
    assert {*KINDS, *Verdict} <= explained


def test_the_number_of_smoke_promises_is_right() -> None:
    """On the page about CI, of those that a memory is asked."""
    smoke = [each for each in select(catalogue(), suite="smoke") if each.family != "CTX"]
    assert f"asks a memory {len(smoke)} promises" in page("howto/ci.md")


def test_the_readme_names_every_fixture() -> None:
    """It is where people look first."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name, _ in fixtures.fixtures() if f"`{name}`" not in readme] == []

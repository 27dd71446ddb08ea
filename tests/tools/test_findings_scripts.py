"""What is said of a library is shown without goldfish, by a script that ends with 1."""

import runpy
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.version import Version

from goldfish.world.sandbox import Sandbox
from tests.node import find_packages
from tools.findings.commands import FOREIGN
from tools.findings.figures import parse_script
from tools.findings.inventory import read_about

FINDINGS = Path(__file__).parents[2] / "findings"
MODULES = {
    "adk": ("google.adk", "sqlalchemy"),
    "langchain": ("langchain_community", "langchain_classic", "langchain_postgres"),
    "langgraph": ("langgraph.pregel", "langgraph.store.sqlite", "langgraph.store.postgres"),
    "llamaindex": (
        "llama_index.core",
        "llama_index.storage.chat_store.sqlite",
        "llama_index.storage.chat_store.redis",
    ),
    "mcp": ("mcp",),
    "mem0": ("mem0", "faiss"),
    "openai-agents": ("agents", "redis"),
}
# What each says after "broken: "; these run here, where the library is imported already.
SAID = {
    "langchain/CON04_runnable": "both turns succeeded; the history has [",
    "langchain/CON22_runnable": "cleared during a turn, the history has ['my card number is 1234'",
    "langchain/CON61_summary": "neither in the buffer nor in the summary: ['message 0'",
    "langchain/CON62_summary": "after a clear the card number is told",
    "langchain/FID09_runnable": "the turn returned 'noted'; stored is []",
    "langchain/FID21": "Citation(page=7) came back as {'page': 7}",
    "langchain/FID21_runnable": "the turn returned 'noted'; stored is []",
    "langchain/FID22_file": "the batch was refused with Object of type set is not JSON",
    "langchain/FID24_memory": "stored ['urgent'], and the history has ['urgent', 'edited']",
    "langchain/FID25_memory": "after an edit of what was read there is ['what is my name?']",
    "langchain/FLT24_runnable": "the turn returned 'noted'; stored is []",
    "langchain/LIV10_token_sql": "one turn over 300 messages counts the tokens of all of them 28",
    "langchain/LIV60_summary_sql": "with a limit of 4 messages the questions of 5 turns are given",
    "langchain/LIV60_token": "with a limit of 4 tokens there are {'save_context': 4",
    "langgraph/CLR02": "adelete_thread on a new file raised OperationalError: no such table",
    "langgraph/CON04": "5 turns at once succeeded; InMemorySaver remembers",
    "langgraph/CON14": "'old' was removed and 'new' said; there is",
    "langgraph/CON22": "deleted during a turn, the thread has ['my card number is 1234'",
    "langgraph/FID06": "'half an emoji: \\ud83d' came back as 'half an emoji: ?'",
    "langgraph/FID21": "Citation(7) came back as {'page': 7}, alone as Citation(page=7)",
    "langgraph/CON20": "bob's valid write, beside one of alice's, raised TypeError",
    "langgraph/FID32": "a value with a line that comes twice is refused",
    "langgraph/FID34": "['tea'] was put, and is now ['tea', 'edited after it was put'",
    "langgraph/REC18": "a filter by 9007199254740993 chooses [9007199254740992]",
    "langgraph/REC19": "of 5, '7', 'many' and None more than 3 are ValueError in InMemoryStore",
    "langgraph/REC21": "a filter by the field 'price.eur' chooses ['deep']",
    "langgraph/REV50": "['goes swimming'] scores 1.00 for 'and the violin', which it said before",
    "langgraph/SNP07": "a fork at an unknown checkpoint was accepted; the thread now has []",
    "langgraph/SNP08": "a fork of ann's thread at bob's checkpoint was accepted; it now has []",
    "adk/FID44": "the state {'note': 'before\\x00after', 'na\\x00me': 'value'} was",
    "adk/FID46": "set to ['tea'], the cart has ['tea', 'never told']",
}
# These have a process of their own.
SAID_APART = {
    "adk/ORD03": "events of one moment came back as [",
    "adk/ISO04": "['InMemorySessionService', 'SqliteSessionService'] show 'chat'",
    "langchain/DUR16_file": "after kill ",
    "llamaindex/CON08": "10 of 10 first puts at once failed",
    "llamaindex/CLR09": "after delete_message('bob', 1) there are ['bob a', 'bob b', 'bob c']",
    "mem0/FID60_faiss": "Ann had 20 memories; after Ben's datetime and a restart she has 0",
    "mem0/FID62": "",
    "mem0/FLT31_faiss": "on a full disk Ben's add raised OperationalError; of Ann's 20 memories 0",
}
# These are given an empty database.
SAID_ON_SERVERS = {
    "langchain/FID06_postgres": "a NUL was UntranslatableCharacter; 'hello' in another session",
    "langchain/FID16_postgres": "1.7976931348623157e+308 came back as int 1797693134862315700",
    "langchain/FID22_redis": "the batch was refused with Object of type set is not JSON",
    "langchain/LIV04_postgres_async": "try ",
    "langchain/TTL32_redis": "with a ttl of 1 s, there is ['my card number is 1234'] after 2.5 s",
    "langchain/LIV03_postgres_async": "beside refused ones, ",
    "langgraph/CON07": "",
    "langgraph/REC17": "of (2, 9, 10, 100) those of at least 10 are [2, 9, 10, 100]",
    "langgraph/REC50": "of 5 items, page by page,",
    "llamaindex/CLR12_redis": "without 'a' there are ['d', 'c', 'b'], and deleting",
    "openai-agents/ISO07": "the session 'chat:messages' beside 'chat'",
}
# These are run by node, beside the packages of npm.
SAID_BY_NODE = {
    "langchain-js/CON01": "of 40 acknowledged messages ",
    "langchain-js/CON04": "5 messages at once were acknowledged; there is [",
    "langchain-js/DUR04": "another process added 'second'; this one reads [\"first\"]",
    "langchain-js/DUR36": "",
    "langchain-js/ISO38": 'bob.json, which nobody wrote, has ["Ann\'s card number is 1234"]',
    "langgraph-js/CLR02": "deleteThread on a new file raised SqliteError: no such table",
    "langgraph-js/CON04": "5 turns at once succeeded; MemorySaver remembers [",
    "langgraph-js/SNP07": "a fork at an unknown checkpoint was accepted; the thread now has []",
    "langgraph-js/SNP08": "a fork of ann's thread at bob's checkpoint was accepted; it now has []",
}
# What a newer release of a package no longer shows.
MENDED_BY = {"langchain/LIV04_postgres_async": ("psycopg", "3.3.9")}
pytestmark = pytest.mark.filterwarnings("ignore")  # of libraries, about what they will drop


def the_script(name: str) -> Path:
    """Its path; without its library, or with one that mended it, there is nothing to show."""
    package, mended = MENDED_BY.get(name, ("", ""))
    if package and Version(version(package)) >= Version(mended):
        pytest.skip(f"{package} {mended} mended it")
    library = name.partition("/")[0]
    for module in MODULES[library]:
        pytest.importorskip(module)
    return FINDINGS / f"{name}.py"


def ended(script: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> object:
    """The exit code of a script that runs here, or what it says instead."""
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(script), run_name="__main__")
    return end.value.code


@pytest.mark.parametrize("name", SAID)
def test_each_script_shows_its_finding(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with the library alone."""
    assert ended(the_script(name), monkeypatch) == 1
    assert capsys.readouterr().out.startswith(f"broken: {SAID[name]}")


@pytest.mark.parametrize("name", SAID_APART)
def test_each_script_with_a_process_of_its_own_shows_its_finding(name: str) -> None:
    """Likewise, as one would run it."""
    command = [sys.executable, "-W", "ignore", str(the_script(name))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = f"broken: {SAID_APART[name]}"
    assert (done.returncode, done.stdout[: len(told)]) == (1, told)


@pytest.mark.parametrize("name", SAID_ON_SERVERS)
def test_each_script_for_a_server_shows_its_finding(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It needs an empty database, and says so."""
    script = the_script(name)
    asked_for = str(ended(script, monkeypatch))
    assert asked_for.startswith(("give the URL of an empty", "give the DSN of an empty"))
    sandbox = Sandbox()
    try:
        place = sandbox.redis_url if "URL" in asked_for else sandbox.postgres_dsn
        assert ended(script, monkeypatch, place) == 1
    finally:
        sandbox.close()
    assert capsys.readouterr().out.startswith(f"broken: {SAID_ON_SERVERS[name]}")


@pytest.mark.parametrize("name", SAID_BY_NODE)
def test_each_script_in_javascript_shows_its_finding(name: str, tmp_path: Path) -> None:
    """Where npm installed the packages."""
    packages = find_packages("@langchain/community", "@langchain/langgraph-checkpoint-sqlite")
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    script = tmp_path / f"{name.partition('/')[2]}.mjs"
    script.write_bytes((FINDINGS / f"{name}.mjs").read_bytes())
    done = subprocess.run(["node", str(script)], capture_output=True, text=True, check=False)
    told = f"broken: {SAID_BY_NODE[name]}"
    assert (done.returncode, done.stdout[: len(told)]) == (1, told), done.stderr


@pytest.mark.parametrize("name", SAID_BY_NODE)
def test_a_script_in_javascript_says_what_it_shows(name: str) -> None:
    """In the comment at its beginning, as the others do in their docstrings."""
    about = parse_script(read_about((FINDINGS / f"{name}.mjs").read_text("utf-8")))
    assert about.title
    assert about.advice


def test_no_script_needs_goldfish() -> None:
    """They are for those who do not have it."""
    scripts = [each for library in MODULES for each in (FINDINGS / library).glob("*.py")]
    foreign = [each for library in FOREIGN for each in (FINDINGS / library.prefix).glob("*.mjs")]
    assert {f"{each.parent.name}/{each.stem}" for each in foreign} >= set(SAID_BY_NODE)
    scripts += foreign
    assert len(scripts) >= len(SAID) + len(SAID_APART) + len(SAID_ON_SERVERS)
    assert [each.name for each in scripts if "goldfish" in each.read_text()] == []

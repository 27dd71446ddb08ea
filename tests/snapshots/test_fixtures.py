"""The fixtures ``snapshot_db`` and ``snapshot_store``, as a stranger's project sees them."""

import sqlite3
from contextlib import closing
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from goldfish.snapshots import database_fixture, store_fixture, unused
from goldfish.snapshots.baselines import locate_baseline, replace_file
from goldfish.stores import blocking as bridge
from goldfish.stores.sqlite import store as sqlite
from tests.snapshots.databases import conversation, run_sql

KEPT = (
    bridge,
    unused,
    database_fixture,
    sqlite,
    store_fixture,
)  # pytester forgets what a run within a test imports
INSTALLED = {each.name for each in entry_points(group="pytest11")}
OTHERS = sorted(INSTALLED - {"goldfish", "xdist"})  # some take seconds to import, in each run
QUIET = ["-W", "error", *(word for name in OTHERS for word in ("-p", f"no:{name}"))]
UPDATE = "--snapshot-update"

TESTS = """
import sqlite3
import pytest

def written(path, *bodies):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("CREATE TABLE IF NOT EXISTS m (id INTEGER PRIMARY KEY, body)")
    connection.executemany("INSERT INTO m (body) VALUES (?)", [(body,) for body in bodies])
    connection.commit()
    connection.close()
"""
ONE = TESTS + "\ndef test_it(snapshot_db):\n    written(snapshot_db.path, 'hello')\n"

SHARED = """
class Own:
    def get_history(self, session_id):
        return [{"role": "user", "content": session_id}]

@pytest.mark.parametrize("engine", ["a", "b"])
def test_it(snapshot_db, snapshot_store, engine):
    written(snapshot_db(shared=True).path, 'hello')
    snapshot_store(Own(), sessions=["s"], shared=True)
    if engine == "a":
        snapshot_store(Own(), sessions=["s"], name="own")
"""


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return project.runpytest_inprocess(*QUIET, *arguments)


def baseline(project: pytest.Pytester, name: str = "test_it.sqlite") -> Path:
    return project.path / "__snapshots__" / "test_one" / name


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with one test whose baseline was accepted."""
    pytester.makepyfile(test_one=ONE)
    run(pytester, UPDATE).assert_outcomes(passed=1)
    return pytester


class TestBaseline:
    def test_a_missing_one_fails_with_the_command_that_makes_it(
        self, pytester: pytest.Pytester
    ) -> None:
        """Nothing is written without being asked for."""
        pytester.makepyfile(test_one=ONE)
        ran = run(pytester)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(
            [
                "snapshot_db: there is no baseline yet: __snapshots__/test_one/test_it.sqlite",
                "Make it with: pytest test_one.py::test_it --snapshot-update",
            ]
        )
        assert not baseline(pytester).parent.exists()

    @pytest.mark.parametrize("option", [UPDATE, "--goldfish-snapshot-update"])
    def test_an_update_makes_it(self, pytester: pytest.Pytester, option: str) -> None:
        """By either option; then the test passes, again and again."""
        pytester.makepyfile(test_one=ONE)
        run(pytester, option).assert_outcomes(passed=1)
        assert [each.name for each in baseline(pytester).parent.iterdir()] == ["test_it.sqlite"]
        run(pytester).assert_outcomes(passed=1)
        run(pytester).assert_outcomes(passed=1)

    def test_a_difference_fails_with_rows_and_the_command_that_accepts_it(
        self, project: pytest.Pytester
    ) -> None:
        """As a failure of the test, without a traceback."""
        project.makepyfile(test_one=ONE.replace("'hello'", "'hullo'"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(
            [
                "snapshot_db: the database differs from __snapshots__/test_one/test_it.sqlite",
                "m  rows: 1 changed",
                "      body: 'hello' → 'hullo'",
                "Accept it with: pytest test_one.py::test_it --snapshot-update",
            ]
        )
        assert "Traceback" not in ran.stdout.str()
        assert "hidden" not in ran.stdout.str()
        run(project, UPDATE).assert_outcomes(passed=1)
        run(project).assert_outcomes(passed=1)

    def test_it_is_not_rewritten_if_nothing_differs(self, project: pytest.Pytester) -> None:
        """An update leaves no trace in a version control."""
        before = baseline(project).stat().st_mtime_ns
        run(project, UPDATE).assert_outcomes(passed=1)
        assert baseline(project).stat().st_mtime_ns == before

    def test_a_failing_test_is_neither_compared_nor_accepted(
        self, project: pytest.Pytester
    ) -> None:
        """Its own failure is what there is to see."""
        before = baseline(project).read_bytes()
        project.makepyfile(test_one=ONE.replace("'hello')", "'x'); assert 0"))
        ran = run(project, UPDATE)
        ran.assert_outcomes(failed=1)
        assert "snapshot_db:" not in ran.stdout.str()
        assert baseline(project).read_bytes() == before

    def test_a_test_that_writes_nothing_fails(self, project: pytest.Pytester) -> None:
        """Nothing is green by absence."""
        project.makepyfile(test_one="def test_it(snapshot_db): pass")
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["snapshot_db: the test left no database: *"])

    @pytest.mark.parametrize("edit", ["text", "damage"])
    def test_one_edited_by_hand_is_reported_as_what_it_is(
        self, project: pytest.Pytester, edit: str
    ) -> None:
        """Not as a difference of rows; an update replaces it."""
        whole = baseline(project).read_bytes()
        baseline(project).write_bytes(b"select 1" if edit == "text" else whole[:5000])
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["snapshot_db: the baseline cannot be used: *", "Make it again *"])
        run(project, UPDATE).assert_outcomes(passed=1)
        run(project).assert_outcomes(passed=1)

    def test_parameters_make_names_of_their_own(self, pytester: pytest.Pytester) -> None:
        """Also those that no file system would take, or that differ in case only."""
        values = ["a", "A", "a/b", "a b", "..", "x" * 300, "", "\\u2603", "a\\nb"]
        pytester.makepyfile(
            test_one=TESTS + f"@pytest.mark.parametrize('v', {values!r})\n"
            "class TestAll:\n    def test_it(self, snapshot_db, v):\n"
            "        written(snapshot_db, v)\n"
        )
        run(pytester, UPDATE).assert_outcomes(passed=len(values))
        names = [each.name.lower() for each in baseline(pytester).parent.iterdir()]
        assert len(set(names)) == len(values)
        run(pytester).assert_outcomes(passed=len(values))

    def test_parameters_can_share_one(self, pytester: pytest.Pytester) -> None:
        """Of a file or a store; it belongs to the test also while some parameters are skipped."""
        pytester.makepyfile(test_one=TESTS + SHARED)
        run(pytester, UPDATE).assert_outcomes(passed=2)
        found = {each.name for each in baseline(pytester).parent.iterdir()}
        assert found == {"test_it.sqlite", "test_it.goldfish", "test_it[a].own.goldfish"}
        assert "unused" not in run(pytester).stdout.str()
        skipped = SHARED.replace("@pytest", "@pytest.mark.skip\n@pytest")
        pytester.makepyfile(test_one=TESTS + skipped + "\ndef test_more(): pass")
        ran = run(pytester, UPDATE)
        ran.assert_outcomes(passed=1, skipped=2)
        assert "unused" not in ran.stdout.str()
        assert len(list(baseline(pytester).parent.iterdir())) == 3


class TestState:
    def test_what_is_only_in_the_log_counts(self, project: pytest.Pytester) -> None:
        """A connection that is still open has not moved it into the file."""
        keeping = ONE + (
            "    global kept\n    kept = sqlite3.connect(snapshot_db.path)\n"
            "    kept.execute('PRAGMA journal_mode=WAL')\n"
            "    kept.execute('INSERT INTO m (body) VALUES (?)', ('in the log',))\n"
            "    kept.commit()\n"
            "@pytest.fixture(autouse=True)\ndef close():\n    yield\n    kept.close()\n"
        )
        project.makepyfile(test_one=keeping)
        run(project).stdout.fnmatch_lines(["  + id=2 body='in the log'"])
        run(project, UPDATE).assert_outcomes(passed=1)
        run(project).assert_outcomes(passed=1)

    def test_layout_does_not_count_unless_asked_for(self, project: pytest.Pytester) -> None:
        """A VACUUM is no difference, but with exact=True it is."""
        vacuumed = ONE + "    c = sqlite3.connect(snapshot_db.path)\n    {}\n    c.close()\n"
        vacuum = "c.execute('PRAGMA page_size=8192'); c.execute('VACUUM')"
        project.makepyfile(test_one=vacuumed.format(vacuum))
        run(project).assert_outcomes(passed=1)
        project.makepyfile(test_one=vacuumed.format(f"{vacuum}; snapshot_db(exact=True)"))
        ran = run(project)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["snapshot_db: the rows equal those of *, the bytes do not *"])
        run(project, UPDATE).assert_outcomes(passed=1)
        run(project).assert_outcomes(passed=1)

    def test_it_begins_as_a_copy_of_a_given_file(self, project: pytest.Pytester) -> None:
        """Which stays as it was."""
        start = conversation(project.path / "start.db", "one")
        before = start.read_bytes()
        project.makepyfile(
            test_one="""
            import sqlite3
            def test_it(snapshot_db):
                path = snapshot_db(baseline="start.db").path
                connection = sqlite3.connect(path)
                connection.execute("UPDATE messages SET body = body || '!'")
                connection.commit()
                connection.close()
            """
        )
        run(project, UPDATE).assert_outcomes(passed=1)
        run(project).assert_outcomes(passed=1)
        assert start.read_bytes() == before
        with closing(sqlite3.connect(baseline(project))) as connection:
            assert connection.execute("SELECT body FROM messages").fetchall() == [("one!",)]

    def test_a_file_called_start_beside_the_baseline_is_where_it_begins(
        self, project: pytest.Pytester
    ) -> None:
        """Without a word in the test, and it is not called unused."""
        baseline(project).rename(baseline(project, "test_it.start.sqlite"))
        run(project, UPDATE).assert_outcomes(passed=1)
        with closing(sqlite3.connect(baseline(project))) as connection:
            assert len(connection.execute("SELECT * FROM m").fetchall()) == 2
        assert "unused" not in run(project).stdout.str()

    def test_volatile_columns_are_masked_in_the_test_and_in_the_settings(
        self, pytester: pytest.Pytester
    ) -> None:
        """Equal values stay equal, different ones different."""
        body = "    import uuid; a = uuid.uuid4().hex\n    written(snapshot_db, a, a, 'b')\n"
        masked = "def test_it(snapshot_db):\n    snapshot_db(ignore=['m.body'])\n"
        pytester.makepyfile(test_one=TESTS + masked + body)
        run(pytester, UPDATE).assert_outcomes(passed=1)
        run(pytester).assert_outcomes(passed=1)
        pytester.makeini("[pytest]\ngoldfish_snapshot_ignore = *.body")
        pytester.makepyfile(test_one=TESTS + "def test_it(snapshot_db):\n" + body)
        run(pytester, "--strict-config").assert_outcomes(passed=1)
        body = body.replace("a, a, 'b'", "a, 'b', 'c'")
        pytester.makepyfile(test_one=TESTS + "def test_it(snapshot_db):\n" + body)
        run(pytester).stdout.fnmatch_lines(["      body: <body 1> → <body 2>"])


class TestUnused:
    def test_one_that_no_test_needs_is_reported(self, project: pytest.Pytester) -> None:
        """Of a test that is gone, of a file that is gone, of a test that stopped to use it."""
        baseline(project, "test_gone.sqlite").write_bytes(b"")
        lost = project.path / "__snapshots__" / "test_lost"
        lost.mkdir()
        (lost / "test_x.goldfish").write_text("{}")
        (lost / "test_x.png").write_bytes(b"of another plugin")
        ran = run(project)
        ran.assert_outcomes(passed=1)
        told = ran.stdout.str()
        assert "  __snapshots__/test_lost/test_x.goldfish" in told
        assert "  __snapshots__/test_one/test_gone.sqlite" in told
        assert "2 unused: a full, passing run with --snapshot-update removes them" in told
        assert "png" not in told
        project.makepyfile(test_one="def test_it(): pass")
        assert "3 unused: " in run(project).stdout.str()

    def test_it_is_removed_by_an_update_of_a_full_passing_run(
        self, project: pytest.Pytester
    ) -> None:
        """And by nothing less."""
        gone = baseline(project, "test_gone.sqlite")
        gone.write_bytes(b"")
        passing = project.path / "test_one.py"
        for arguments in ([], [UPDATE, "-k", "it"], [UPDATE, "test_one.py::test_it"]):
            run(project, *arguments).assert_outcomes(passed=1)
            assert gone.exists(), arguments
        run(project, UPDATE, "test_one.py").assert_outcomes(passed=1)
        assert gone.exists()
        passing.write_text(ONE + "\ndef test_bad(): assert 0")
        run(project, UPDATE).assert_outcomes(passed=1, failed=1)
        assert gone.exists()
        passing.write_text(ONE + "\ndef test_more(): pass")
        run(project, UPDATE, "-k", "more").assert_outcomes(passed=1, deselected=1)
        assert gone.exists()
        assert "1 unused: removed" in run(project, UPDATE).stdout.str()
        assert not gone.exists()
        assert baseline(project).exists()

    def test_the_baseline_of_a_skipped_test_is_its_own(self, project: pytest.Pytester) -> None:
        """It may run on another machine."""
        skipped = ONE.replace("def test_it", "@pytest.mark.skip\ndef test_it")
        project.makepyfile(test_one=skipped + "\ndef test_more(): pass")
        ran = run(project, UPDATE)
        ran.assert_outcomes(passed=1, skipped=1)
        assert "unused" not in ran.stdout.str()
        assert baseline(project).exists()

    def test_workers_share_the_work(self, pytester: pytest.Pytester) -> None:
        """With pytest-xdist each writes its own, and together they know what is unused."""
        many = "@pytest.mark.parametrize('n', range(8))\ndef test_it(snapshot_db, n):\n"
        pytester.makepyfile(test_one=TESTS + many + "    written(snapshot_db, n)\n")
        gone = baseline(pytester, "test_gone.sqlite")
        gone.parent.mkdir(parents=True)
        gone.write_bytes(b"")
        ran = pytester.runpytest_subprocess(*QUIET, "-n", "2", UPDATE, timeout=120)
        ran.assert_outcomes(passed=8)
        assert "1 unused: removed" in ran.stdout.str()
        assert len(list(gone.parent.iterdir())) == 8
        ran = run(pytester)
        ran.assert_outcomes(passed=8)
        assert "unused" not in ran.stdout.str()


OTHER = """
def pytest_addoption(parser):
    parser.getgroup("other").addoption("--snapshot-update", action="store_true", dest="renew")
"""

SPARED = ["sqlite", "goldfish"]
TIDY = """
import pathlib

def pytest_addoption(parser):
    name = "--snapshot-ignore-file-extensions"
    parser.addoption(name, dest="ignore_file_extensions", type=lambda value: value.split(","))

def pytest_sessionstart(session):
    pathlib.Path("spared").write_text(" ".join(session.config.option.ignore_file_extensions))
"""


class TestNeighbours:
    @pytest.mark.parametrize("first", [True, False])
    def test_an_option_of_another_plugin_is_used(
        self, pytester: pytest.Pytester, first: bool
    ) -> None:
        """Whichever of the two is loaded first, and whatever it calls the value."""
        pytester.makepyfile(other_plugin=OTHER, test_one=ONE)
        plugins = ["-p", "other_plugin"]
        pytester.syspathinsert()
        if not first:
            pytester.makeconftest('pytest_plugins = ["other_plugin"]')
            plugins = []
        run(pytester, *plugins).assert_outcomes(failed=1)
        run(pytester, *plugins, UPDATE).assert_outcomes(passed=1)
        run(pytester, *plugins).assert_outcomes(passed=1)

    @pytest.mark.parametrize("own", ["", "png"])
    def test_a_plugin_that_tidies_up_is_asked_to_spare_our_baselines(
        self, pytester: pytest.Pytester, own: str
    ) -> None:
        """Syrupy removes from the same folder what it does not know; its own words stay."""
        pytester.makepyfile(other_plugin=TIDY, test_one=ONE)
        pytester.syspathinsert()
        words = [f"--snapshot-ignore-file-extensions={own}"] if own else []
        run(pytester, "-p", "other_plugin", UPDATE, *words).assert_outcomes(passed=1)
        assert baseline(pytester).exists()
        assert (pytester.path / "spared").read_text().split() == [*own.split(), *SPARED]

    def test_the_options_are_in_the_help(self, pytester: pytest.Pytester) -> None:
        """Both of them."""
        told = run(pytester, "--help").stdout.str()
        assert "  --snapshot-update" in told
        assert "  --goldfish-snapshot-update" in told


STORES = """
import asyncio
import goldfish
import pytest
from goldfish import ChatMessage

IGNORE = ["messages.id", "messages.created_at=any"]

def said(*texts):
    return [ChatMessage(role="user", content=text) for text in texts]
"""
SYNC = (
    STORES
    + """
def test_it(memory_store, snapshot_store):
    store = goldfish.blocking(memory_store)
    store.add_messages("s", said("one", "two"))
    snapshot_store(store, ignore=IGNORE)
"""
)


class TestStore:
    def test_a_plain_store_is_compared_at_once(self, pytester: pytest.Pytester) -> None:
        """Missing, made, the same, different: as a database is."""
        pytester.makepyfile(test_one=SYNC)
        ran = run(pytester)
        ran.stdout.fnmatch_lines(["snapshot_store: there is no baseline yet: *test_it.goldfish"])
        run(pytester, UPDATE).assert_outcomes(passed=1)
        run(pytester).assert_outcomes(passed=1)
        pytester.makepyfile(test_one=SYNC.replace('"two"', '"2", "three"'))
        ran = run(pytester)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(
            [
                "snapshot_store: the store differs from __snapshots__/test_one/test_it.goldfish",
                "messages of s  rows: 1 added, 1 changed",
                "      content: 'two' → '2'",
                "  + position=3 id=<id 3> role='user' content='three' created_at=<any>",
                "Accept it with: pytest test_one.py::test_it --snapshot-update",
            ]
        )

    def test_what_was_not_awaited_fails(self, pytester: pytest.Pytester) -> None:
        """A comparison that never took place is no pass."""
        pytester.makepyfile(
            test_one=STORES + "def test_it(memory_store, snapshot_store):\n"
            "    snapshot_store(memory_store)\n"
        )
        ran = run(pytester, UPDATE)
        ran.assert_outcomes(failed=1)
        ran.stdout.fnmatch_lines(["snapshot_store: nothing was compared: write await *"])

    def test_a_store_of_strangers_names_its_sessions(self, pytester: pytest.Pytester) -> None:
        """Any object with get_history; two comparisons in one test have names."""
        pytester.makepyfile(
            test_one="""
            class Own:
                def get_history(self, session_id):
                    return [{"role": "user", "content": session_id, "n": 1, "when": object}]
            def test_it(snapshot_store):
                snapshot_store(Own(), sessions=["a", "b"])
                snapshot_store(Own(), sessions=["c"], name="after")
            def test_unnamed(snapshot_store):
                snapshot_store(Own())
            def test_twice(snapshot_store):
                snapshot_store(Own(), sessions=["a"])
                snapshot_store(Own(), sessions=["a"])
            """
        )
        ran = run(pytester, UPDATE)
        ran.assert_outcomes(passed=1, failed=2)
        ran.stdout.fnmatch_lines(
            ["E *cannot list its sessions: name them*", "E * needs a name: name='after'"]
        )
        names = {"test_it.goldfish", "test_it.after.goldfish", "test_twice.goldfish"}
        assert {each.name for each in baseline(pytester).parent.iterdir()} == names

    def test_a_baseline_edited_by_hand_is_reported_as_what_it_is(
        self, pytester: pytest.Pytester
    ) -> None:
        """No JSON, another version, other things than records."""
        pytester.makepyfile(test_one=SYNC)
        run(pytester, UPDATE).assert_outcomes(passed=1)
        file = baseline(pytester, "test_it.goldfish")
        for text in ("{", "[]", '{"version": 9}', '{"version": 1, "state": {"messages of s": 1}}'):
            file.write_text(text)
            run(pytester).stdout.fnmatch_lines(["snapshot_store: the baseline * cannot be used: *"])


def test_a_baseline_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """A writer that fails leaves the old one, and nothing else."""
    path = conversation(tmp_path / "__snapshots__.db", "old")
    before = path.read_bytes()

    def failing(place: Path) -> None:
        place.write_bytes(b"half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        replace_file(path, failing)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_the_place_of_a_baseline_is_beside_the_test() -> None:
    """With the class and the parameters in its name."""
    stem = locate_baseline(Path("/x/test_one.py"), "TestAll::test_it[a-1]")
    assert stem == Path("/x/__snapshots__/test_one/TestAll.test_it[a-1]")


def test_a_log_beside_an_old_baseline_does_not_outlive_it(tmp_path: Path) -> None:
    """It would be read into the new one."""
    path = conversation(tmp_path / "a.sqlite", "old")
    (tmp_path / "a.sqlite-wal").write_bytes(b"stale")
    replace_file(path, lambda place: run_sql(place, "CREATE TABLE new (x)"))
    assert [each.name for each in tmp_path.iterdir()] == ["a.sqlite"]

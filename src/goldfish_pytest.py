"""The pytest plugin: thin, and without an import of goldfish until one of its parts is used."""

import contextlib
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from goldfish import PostgresMemoryStore, RedisMemoryStore, SQLiteMemoryStore
    from goldfish.catalogue.registry import Check
    from goldfish.integrations.mem0.client import Mem0Client
    from goldfish.mirror import Mirror
    from goldfish.snapshots.baselines import Baseline
    from goldfish.snapshots.database_fixture import SnapshotDB
    from goldfish.snapshots.store_fixture import SnapshotStore
    from goldfish.snapshots.unused import BaselineUsage
    from goldfish.targets.declaration import Target
    from goldfish.world.sandbox import Sandbox

ROOT = "goldfish"  # what the node ids of checks without a test file begin with
TARGETS = pytest.StashKey[list[str]]()
IDS = pytest.StashKey[list[str]]()
SNAPSHOTS = pytest.StashKey["list[SnapshotDB | SnapshotStore]"]()
MIRROR = pytest.StashKey["Mirror"]()
USAGE = pytest.StashKey["BaselineUsage"]()
UPDATE = "--snapshot-update"  # the same word for every plugin that has it
OUR_UPDATE = "--goldfish-snapshot-update"
USAGE_OF_WORKER = "goldfish_baselines"
OUR_FIXTURES = {
    *("goldfish_sandbox", "memory_store", "redis_store", "postgres_store", "mem0_client"),
    *("model_mirror", "snapshot_db", "snapshot_store"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and settings that name targets, for which no test file is needed."""
    group = parser.getgroup("goldfish", "what an agent's memory promises")
    group.addoption(
        "--goldfish",
        action="append",
        default=[],
        metavar="TARGET",
        help="Hold this memory to the catalogue too: a built-in name, package.module:factory or "
        "path/to/file.py:factory (may be repeated)",
    )
    group.addoption(
        "--goldfish-only",
        action="append",
        default=[],
        metavar="CODE",
        help="For these targets: only this check or family (may be repeated)",
    )
    group.addoption(
        "--goldfish-suite",
        default="standard",
        metavar="NAME",
        help="For these targets: smoke, standard (the default) or soak",
    )
    group.addoption(
        "--goldfish-edition",
        default=None,
        metavar="E",
        help="For these targets: only what this edition had, such as 2026.11 (or [tool.goldfish] "
        "in pyproject.toml)",
    )
    group.addoption(
        "--goldfish-profile",
        action="append",
        default=[],
        metavar="P",
        help="For these targets: single-process, shared, durable or multi-tenant (may be repeated)",
    )
    group.addoption(
        "--goldfish-seed",
        type=int,
        default=0,
        metavar="N",
        help="For these targets: where the checks' randomness begins",
    )
    group.addoption(
        OUR_UPDATE,
        action="store_true",
        default=False,
        help=f"As {UPDATE}, for the baselines of goldfish only",
    )
    parser.addini(
        "goldfish_snapshot_ignore",
        "Columns that snapshot_db and snapshot_store mask in every test, as *.created_at",
        type="linelist",
        default=[],
    )
    parser.addini(
        "goldfish_targets",
        "Memories that are held to the catalogue whenever pytest is run without paths",
        type="linelist",
        default=[],
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(parser: pytest.Parser) -> Generator[None, Any, Any]:
    """Add the shared option last of all: who registers it a second time stops pytest."""
    result = yield
    _, unknown = parser.parse_known_and_unknown_args([UPDATE])
    if unknown:
        parser.getgroup("goldfish").addoption(
            UPDATE,
            action="store_true",
            default=False,
            help="Make what snapshot_db and snapshot_store see the new baselines",
        )
    return result


def pytest_configure(config: pytest.Config) -> None:
    """Find the targets; ids like ``goldfish::sqlite::DUR02-…`` are no paths, and name theirs."""
    ids = [argument for argument in config.args if argument.startswith(f"{ROOT}::")]
    if ids:
        config.args = [argument for argument in config.args if argument not in ids]
    by_path = config.args_source is pytest.Config.ArgsSource.ARGS
    settings = [] if by_path else config.getini("goldfish_targets")
    named = [node_id.split("::")[1] for node_id in ids]
    config.stash[IDS] = ids
    config.stash[TARGETS] = list(dict.fromkeys([*settings, *config.option.goldfish, *named]))
    _ask_to_spare_baselines(config.option)


def _ask_to_spare_baselines(option: Any) -> None:
    """Syrupy has the same folders, and an update removes from them what is not its own."""
    if hasattr(option, "ignore_file_extensions"):
        asked = option.ignore_file_extensions or []
        option.ignore_file_extensions = [*asked, "sqlite", "goldfish"]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Add the targets to what the session has collected."""
    report = yield
    if isinstance(collector, pytest.Session):
        for spec in collector.config.stash[TARGETS]:
            report.result.append(GoldfishTarget.of(collector, spec))
    return report


class GoldfishTarget(pytest.Collector):
    """A target that was named in an option or a setting."""

    @classmethod
    def of(cls, session: pytest.Session, spec: str) -> "GoldfishTarget":
        """Return the collector of one target, as the user spelled it."""
        node_id = f"{ROOT}::{spec}"
        node: GoldfishTarget = cls.from_parent(session, name=node_id, nodeid=node_id)
        return node

    @property
    def spec(self) -> str:
        """The target as the user spelled it."""
        return self.name.removeprefix(f"{ROOT}::")

    def collect(self) -> "list[GoldfishCheck]":
        """Return one item per check; a sentence says why there is none."""
        from goldfish.engine.settings import choose_scope
        from goldfish.errors import GoldfishError, mask
        from goldfish.plugin.suite import make_item_name, select_checks

        option, root = self.config.option, self.config.rootpath
        try:
            target = self._resolved()
            scope = choose_scope(option.goldfish_edition, option.goldfish_profile, root)
            only, suite = option.goldfish_only, option.goldfish_suite
            checks = select_checks(target, only, suite=suite, scope=scope)
        except GoldfishError as error:
            raise self.CollectError(mask(str(error))) from None
        items = [GoldfishCheck.of(self, make_item_name(check), target, check) for check in checks]
        return self._asked_for(items)

    def _resolved(self) -> "Target":
        from goldfish.targets.names import resolve

        root = self.config.rootpath
        if str(root) not in sys.path:
            sys.path.insert(0, str(root))
        spec = self.spec
        if not Path(spec.rpartition(":")[0]).is_file():  # a setting is read from the root
            below = root / spec
            spec = str(below) if Path(str(below).rpartition(":")[0]).is_file() else spec
        return resolve(spec)

    def _asked_for(self, items: "list[GoldfishCheck]") -> "list[GoldfishCheck]":
        ids = self.config.stash[IDS]
        if not ids or self.nodeid in ids:
            return items
        known = {item.nodeid for item in items}
        for node_id in ids:
            if node_id.startswith(f"{self.nodeid}::") and node_id not in known:
                raise self.CollectError(f"not found: {node_id}")
        return [item for item in items if item.nodeid in ids]


class GoldfishCheck(pytest.Item):
    """One check of one target."""

    target: "Target"
    check: "Check"

    @classmethod
    def of(
        cls, parent: GoldfishTarget, name: str, target: "Target", check: "Check"
    ) -> "GoldfishCheck":
        """Return the item of a check."""
        node: GoldfishCheck = cls.from_parent(parent, name=name)
        node.target, node.check = target, check
        return node

    def runtest(self) -> None:
        """Run the check, and leave by one of pytest's outcomes."""
        from goldfish.plugin.suite import make_cli_command, run_as_test

        assert isinstance(self.parent, GoldfishTarget)
        seed = self.config.option.goldfish_seed
        again = make_cli_command(self.parent.spec, self.check, seed)
        run_as_test(self.target, self.check, seed, again)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the factory is, and the headline of a failure."""
        assert isinstance(self.parent, GoldfishTarget)
        location = self.target.location
        path = Path(location.file) if location else self.path
        return path, 0, f"{self.parent.spec} {self.name}"


@pytest.fixture
def goldfish_sandbox() -> "Iterator[Sandbox]":
    """Give a private directory, and private databases on real servers on demand."""
    from goldfish.world.sandbox import Sandbox

    sandbox = Sandbox()
    yield sandbox
    sandbox.close()


@pytest.fixture
def memory_store(tmp_path: Path) -> "Iterator[SQLiteMemoryStore]":
    """Give an empty embedded store; ``goldfish.blocking(memory_store)`` needs no event loop."""
    from goldfish import SQLiteMemoryStore

    with _closing(SQLiteMemoryStore(tmp_path / "memory.db")) as store:
        yield store


@pytest.fixture
def redis_store(goldfish_sandbox: "Sandbox") -> "Iterator[RedisMemoryStore]":
    """Give an empty store on a real Redis, in the database of the test's ``goldfish_sandbox``."""
    from goldfish import RedisMemoryStore

    with _told_shortly():
        opened = RedisMemoryStore(goldfish_sandbox.redis_url)
    with _closing(opened) as store:
        yield store


@pytest.fixture
def postgres_store(goldfish_sandbox: "Sandbox") -> "Iterator[PostgresMemoryStore]":
    """Give an empty store on a real PostgreSQL, in the database of ``goldfish_sandbox``."""
    from goldfish import PostgresMemoryStore

    with _told_shortly():
        opened = PostgresMemoryStore(goldfish_sandbox.postgres_dsn)
    with _closing(opened) as store:
        yield store


@pytest.fixture
def mem0_client(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Mem0Client]":
    """Give an empty, real ``mem0.Memory``: Qdrant in a directory, MiniLM, no network, no key."""
    with contextlib.ExitStack() as stack:
        with _told_shortly():
            from goldfish.integrations.mem0.client import fresh

            template = tmp_path_factory.getbasetemp() / "mem0-template"
            client = stack.enter_context(fresh(tmp_path_factory.mktemp("mem0"), template))
        yield client


@pytest.fixture
def model_mirror(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> "Mirror":
    """Give a model endpoint with a clean record, to which the clients of the test are led."""
    from goldfish.mirror.environment import make_environment

    mirror = _start_mirror(request.config)
    mirror.clear()
    for name, value in make_environment(mirror.root, offline=False).items():
        monkeypatch.setenv(name, value)
    return mirror


def _start_mirror(config: pytest.Config) -> "Mirror":
    """Return the mirror of this run; the first test that asks for it starts it."""
    if MIRROR not in config.stash:
        with _told_shortly():
            from goldfish.mirror import Mirror

            mirror = Mirror().start()
        config.stash[MIRROR] = mirror
        config.add_cleanup(mirror.stop)
    return config.stash[MIRROR]


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Show the prompt, shortened, when a text is missing from it."""
    if op not in ("in", "not in") or type(right).__module__ != "goldfish.mirror.record":
        return None
    from goldfish.mirror.display import explain_membership
    from goldfish.mirror.record import Prompt

    if not isinstance(left, str) or not isinstance(right, Prompt):
        return None
    return explain_membership(left, right, expected=op == "in")


@pytest.fixture
def snapshot_db(request: pytest.FixtureRequest, tmp_path: Path) -> "SnapshotDB":
    """Give a private SQLite file, ``snapshot_db.path``, and compare its end with a baseline."""
    from goldfish.snapshots.database_fixture import SnapshotDB

    ignore = request.config.getini("goldfish_snapshot_ignore")
    snapshot = SnapshotDB(_baseline(request), tmp_path, ignore)
    request.node.stash.setdefault(SNAPSHOTS, []).append(snapshot)
    return snapshot


@pytest.fixture
def snapshot_store(request: pytest.FixtureRequest) -> "SnapshotStore":
    """``await snapshot_store(store)`` holds the whole state of any memory against a baseline."""
    from goldfish.snapshots.store_fixture import SnapshotStore

    ignore = request.config.getini("goldfish_snapshot_ignore")
    snapshot = SnapshotStore(_baseline(request), ignore)
    request.node.stash.setdefault(SNAPSHOTS, []).append(snapshot)
    return snapshot


def _baseline(request: pytest.FixtureRequest) -> "Baseline":
    from goldfish.snapshots.baselines import (
        Baseline,
        build_command,
        locate_baseline,
        locate_shared_baseline,
    )

    name = request.node.nodeid.partition("::")[2]
    again = build_command(request.path, name, request.config.invocation_params.dir)
    stems = locate_baseline(request.path, name), locate_shared_baseline(request.path, name)
    return Baseline(*stems, again, _update(request.config))


def _update(config: pytest.Config) -> bool:
    return bool(config.getoption(OUR_UPDATE) or config.getoption(UPDATE, default=False))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Compare when the test has passed, as a part of it: what differs is a failure, no error."""
    snapshots = item.stash.get(SNAPSHOTS, [])
    try:
        result = yield
        for snapshot in snapshots:
            snapshot.settle()
    finally:
        if usage := item.config.stash.get(USAGE, None):
            usage.used.update(str(path) for snapshot in snapshots for path in snapshot.files)
    return result


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin to count which baselines are needed, where there are any."""
    folders = {item.path.parent / "__snapshots__" for item in session.items}
    if any(folder.is_dir() for folder in folders):
        _get_usage(session.config).count(session.items)


def pytest_deselected(items: "list[pytest.Item]") -> None:
    """Note that tests are left out: such a run cannot tell what is unused."""
    if items:
        _get_usage(items[0].config).partial = True


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Tell the controller what a worker of pytest-xdist saw."""
    usage = session.config.stash.get(USAGE, None)
    if usage is not None and (session.shouldstop or session.shouldfail):
        usage.partial = True
    if usage is not None and hasattr(session.config, "workeroutput"):
        session.config.workeroutput[USAGE_OF_WORKER] = usage.as_dict()
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker of pytest-xdist saw."""
    told = getattr(node, "workeroutput", {}).get(USAGE_OF_WORKER)
    if told:
        _get_usage(node.config).add(told)
    elif error:
        _get_usage(node.config).partial = True


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Report the baselines that no test needs."""
    usage = config.stash.get(USAGE, None)
    if usage is None or hasattr(config, "workerinput"):  # a worker knows only its own part
        return
    from goldfish.snapshots.unused import report_unused

    passed = terminalreporter.stats.get("passed", [])
    usage.passed.update(report.nodeid for report in passed)
    report_unused(terminalreporter, usage, update=_update(config), passed=exitstatus == 0)


def _get_usage(config: pytest.Config) -> "BaselineUsage":
    from goldfish.snapshots.unused import BaselineUsage

    return config.stash.setdefault(USAGE, BaselineUsage())


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an async test that uses one of our fixtures, if no other plugin does."""
    import inspect

    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    if not OUR_FIXTURES & set(pyfuncitem.fixturenames):
        return None
    import asyncio

    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names if name in pyfuncitem.funcargs}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


@contextlib.contextmanager
def _told_shortly() -> Iterator[None]:
    """Say in one sentence, without a traceback, that a package or server is missing."""
    from goldfish.errors import GoldfishError, mask

    told = None
    try:
        yield
    except GoldfishError as error:
        told = mask(str(error))
    if told:
        raise pytest.fail.Exception(told, pytrace=False) from None


@contextlib.contextmanager
def _closing(store: Any) -> Iterator[Any]:
    """Close the store in a thread, because the loop that used it is gone, or still runs here."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    yield store
    with ThreadPoolExecutor(1) as thread:
        thread.submit(lambda: asyncio.run(store.aclose())).result()

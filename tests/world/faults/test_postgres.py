"""Each fault of a PostgreSQL does what it says to a real one, and is gone once it is healed."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from goldfish.world.faults import PostgresFaults
from goldfish.world.sandbox import Sandbox
from tests.world.faults.clients import postgres

WRITE = "INSERT INTO fact VALUES ('after')"
READ = "SELECT word FROM fact ORDER BY word"


@pytest.fixture
def faults(sandbox: Sandbox) -> PostgresFaults:
    """The faults of the sandbox's PostgreSQL."""
    return sandbox.faults.server("postgres")


@pytest.fixture
def dsn(sandbox: Sandbox) -> str:
    """The address of a database with one row."""
    with postgres(sandbox.postgres_dsn) as connection:
        connection.execute("CREATE TABLE fact (word text)")
        connection.execute("INSERT INTO fact VALUES ('before')")
    return sandbox.postgres_dsn


def assert_works(dsn: str) -> None:
    """What was written is there, nothing else is, and more can be written."""
    with postgres(dsn) as connection:
        assert connection.execute(READ).fetchall() == [("before",)]
        connection.execute(WRITE)


def test_terminated_backends_end_the_sessions_that_there_are(
    dsn: str, faults: PostgresFaults
) -> None:
    """An old connection is told that it was ended, and a new one works."""
    with postgres(dsn) as old:
        assert faults.terminate_backends().is_healed
        with pytest.raises(psycopg.errors.AdminShutdown):
            old.execute(READ)
    assert_works(dsn)


def test_read_only_refuses_writes_of_old_and_new_sessions(dsn: str, faults: PostgresFaults) -> None:
    """Reads work meanwhile, and writes of all these sessions afterwards."""
    with postgres(dsn) as old:
        with faults.read_only(), postgres(dsn) as new:
            for connection in (old, new):
                with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
                    connection.execute(WRITE)
                assert connection.execute(READ).fetchall() == [("before",)]
        assert_works(dsn)
        old.execute(WRITE)


def test_exhausted_connections_drop_all_and_let_nobody_in(dsn: str, faults: PostgresFaults) -> None:
    """Old sessions end, new ones hear that there are too many clients; then all is as before."""
    with postgres(dsn) as old, faults.exhausted_connections():
        with pytest.raises(psycopg.OperationalError):
            old.execute(READ)
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            postgres(dsn)
    assert_works(dsn)


def test_statements_time_out_in_old_and_new_sessions(dsn: str, faults: PostgresFaults) -> None:
    """The server itself cancels reads and writes, and afterwards lets them pass."""
    with postgres(dsn) as old:
        with faults.statement_timeout(0.02), postgres(dsn) as new:
            with pytest.raises(psycopg.errors.QueryCanceled):
                old.execute(WRITE)
            with pytest.raises(psycopg.errors.QueryCanceled):
                new.execute(READ)
        old.execute("SELECT pg_sleep(0.05)")
    assert_works(dsn)


def test_a_killed_server_refuses_and_comes_back_with_its_data(
    dsn: str, faults: PostgresFaults
) -> None:
    """While it is dead connections are refused, and afterwards nothing is missing."""
    with faults.kill(), pytest.raises(psycopg.OperationalError, match="refused"):
        postgres(dsn)
    assert_works(dsn)


def test_a_restarted_server_has_its_data(dsn: str, faults: PostgresFaults) -> None:
    """The server is back when the call returns."""
    with postgres(dsn) as old:
        faults.restart()
        with pytest.raises(psycopg.OperationalError):
            old.execute(READ)
    assert_works(dsn)


def test_a_paused_server_answers_nothing(
    dsn: str, faults: PostgresFaults, sandbox: Sandbox
) -> None:
    """A request reaches it and no reply comes, until it goes on."""
    proxy = sandbox.faults.network("postgres")
    with postgres(dsn) as connection, ThreadPoolExecutor(1) as thread:
        fault, replies = faults.pause(), proxy.replies
        seen = proxy.requests
        reading = thread.submit(lambda: connection.execute(READ).fetchall())
        proxy.wait_for_request(beyond=seen)
        with pytest.raises(TimeoutError):
            reading.result(timeout=0.05)
        assert proxy.replies == replies
        fault.heal()
        assert reading.result() == [("before",)]
    assert_works(dsn)


def test_a_failover_leads_to_an_empty_server_and_back(dsn: str, faults: PostgresFaults) -> None:
    """Under the same address there is no table; healing brings the old data and no new ones."""
    with faults.failover_to_empty(), postgres(dsn) as connection:
        with pytest.raises(psycopg.errors.UndefinedTable):
            connection.execute(READ)
        connection.execute("CREATE TABLE fact (other int)")
    assert_works(dsn)


def test_a_cut_commit_may_have_happened(dsn: str, sandbox: Sandbox) -> None:
    """The reply to the commit is dropped: the client sees an error, and the row is there."""
    proxy = sandbox.faults.network("postgres")
    with psycopg.connect(dsn) as connection:
        connection.execute(WRITE)
        with proxy.cut_before_reply(asking=b"COMMIT"), pytest.raises(psycopg.OperationalError):
            connection.commit()
    assert proxy.cuts == 1
    with postgres(dsn) as connection:
        assert connection.execute(READ).fetchall() == [("after",), ("before",)]

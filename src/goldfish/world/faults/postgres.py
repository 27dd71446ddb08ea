"""Faults of a PostgreSQL: sessions ended, read-only, no connections left, timeouts."""

from contextlib import ExitStack, closing

from goldfish.errors import NotPossibleError, ServiceError
from goldfish.services import PostgresServer
from goldfish.world.faults.clock import wait_until
from goldfish.world.faults.fault import Fault
from goldfish.world.faults.postgres_session import NAME, PostgresSession
from goldfish.world.faults.server import ServerFaults

_ELSEWHERE = "template1"  # our own sessions would be seen in the sandbox's database

_END_SESSIONS = f"""
SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
        AND application_name <> '{NAME}'
"""
_WAIT_FOR_SLOTS = f"""
DO $$ BEGIN
    WHILE EXISTS (SELECT FROM pg_stat_activity
        WHERE application_name = '{NAME}' AND pid <> pg_backend_pid()) LOOP
        PERFORM pg_sleep(0.002);
        PERFORM pg_stat_clear_snapshot();
    END LOOP;
END $$
"""
_LOCK_ALL_TABLES = """
SET lock_timeout = '5s';
BEGIN;
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT oid::regclass::text FROM pg_class
        WHERE relkind IN ('r', 'p') AND relpersistence <> 't'
            AND relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
    LOOP EXECUTE 'LOCK TABLE ' || name || ' IN ACCESS EXCLUSIVE MODE'; END LOOP;
END $$;
"""
_RAISE_UNLESS = """
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_settings WHERE name = '{name}' AND setting = '{value}')
    THEN RAISE 'not yet'; END IF;
END $$
"""
_USUAL = {"default_transaction_read_only": "off", "statement_timeout": "0"}
_LEAST_TIMEOUT = 20  # milliseconds: with less, we could not ask whether it is set


class PostgresFaults(ServerFaults):
    """Faults of the PostgreSQL of one sandbox; each begins at its call and ends with heal()."""

    def terminate_backends(self) -> Fault:
        """End every session, as an administrator can. There is nothing to heal.

        Expected of a store: at most one error for each connection that it had, nothing
        acknowledged lost, and the next calls work.
        """
        self._run(_END_SESSIONS)
        return self._ledger.note("all sessions were ended")

    def read_only(self) -> Fault:
        """Make new transactions read-only, as on a standby.

        Expected of a store: a write raises, reads go on; afterwards writes work.
        """
        return self._change_setting(
            "PostgreSQL is read-only", "default_transaction_read_only", "on"
        )

    def exhausted_connections(self) -> Fault:
        """End all sessions and take every slot: 'sorry, too many clients already'.

        Expected of a store: every call raises soon and none looks like an empty memory;
        afterwards it works.
        """
        with ExitStack() as slots, self._proxy.hang():  # so that no client takes a slot first
            self._run(_END_SESSIONS)
            last = self._occupy_all(slots)
            kept = slots.pop_all()

        def heal() -> None:
            with closing(last):
                kept.close()
                last.run(_WAIT_FOR_SLOTS)

        return self._ledger.note("PostgreSQL has no connection left", heal)

    def statement_timeout(self, seconds: float = 0.1) -> Fault:
        """Limit statements to so many seconds, and lock every table that exists.

        So whatever reads or writes one of them is cancelled by the server. A store that sets a
        timeout of its own waits for that.

        Expected of a store: a call raises, nothing is half-written, and afterwards it works.
        """
        locks = PostgresSession(self._postgres)
        try:
            milliseconds = str(max(_LEAST_TIMEOUT, round(seconds * 1000)))
            timeout = self._change_setting("statements time out", "statement_timeout", milliseconds)
            self._lock_all_tables(locks)
        except BaseException:
            locks.close()
            raise

        def heal() -> None:
            with closing(locks):
                timeout.heal()

        return self._ledger.note("all tables are locked", heal)

    @property
    def _postgres(self) -> PostgresServer:
        assert isinstance(self._server, PostgresServer)
        return self._server

    def _lock_all_tables(self, locks: PostgresSession) -> None:
        try:
            locks.run(_LOCK_ALL_TABLES)
        except ServiceError as error:
            if "lock timeout" not in str(error):
                raise
            raise NotPossibleError(
                "the tables cannot be locked, because an open transaction has used them: "
                "end it before the call returns"
            ) from error

    def _occupy_all(self, slots: ExitStack) -> PostgresSession:
        """Take slots until none is left; return the first, which outlives the others."""
        first = PostgresSession(self._postgres, database=_ELSEWHERE)
        while True:
            try:
                slots.enter_context(closing(PostgresSession(self._postgres)))
            except ServiceError:
                return first

    def _change_setting(self, what: str, name: str, value: str) -> Fault:
        # For the server, not for its database: the sessions that there are take part, both ways.
        self._configure(f"ALTER SYSTEM SET {name} = '{value}'", name, value)
        reset = f"ALTER SYSTEM RESET {name}"
        return self._ledger.note(what, lambda: self._configure(reset, name, _USUAL[name]))

    def _configure(self, sql: str, name: str, value: str) -> None:
        self._run(sql, "SELECT pg_reload_conf()")
        # The server tells the old sessions before it gives the value to a new one.
        wait_until(lambda: self._has_setting(name, value), what=f"PostgreSQL has {name} = {value}")

    def _has_setting(self, name: str, value: str) -> bool:
        sql = _RAISE_UNLESS.format(name=name, value=value)
        try:
            self._postgres.run(sql, database=_ELSEWHERE)
        except ServiceError:
            return False
        return True

    def _run(self, *statements: str) -> None:
        with closing(PostgresSession(self._postgres, database=_ELSEWHERE)) as session:
            for sql in statements:
                session.run(sql)

"""A real PostgreSQL server of our own."""

import contextlib
import ctypes
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

from goldfish.errors import ServiceError
from goldfish.services import account, postgres_template
from goldfish.services.ports import LOOPBACK
from goldfish.services.process import ServerProcess
from goldfish.services.wire import run_postgres

_SHARED_MEMORY_LINE = 6
_STATUS_LINE = 7
_IPC_RMID = 0

_EMPTY_DATABASE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace
        WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    LOOP EXECUTE format('DROP SCHEMA %I CASCADE', name); END LOOP;
    FOR name IN SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'
    LOOP EXECUTE format('DROP EXTENSION %I CASCADE', name); END LOOP;
    PERFORM lo_unlink(oid) FROM pg_largeobject_metadata;
END $$;
CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC;
ALTER DATABASE {name} RESET ALL;
"""


class PostgresServer(ServerProcess):
    """A PostgreSQL server with a random password, which ``dsn`` carries; root runs it as nobody.

    With in_memory its files are kept in memory where there is room: they outlive a killed server
    as files on a disk do, and a table, which is several files, is made in half the time.
    """

    name: ClassVar[str] = "PostgreSQL"
    stop_signal: ClassVar[signal.Signals] = signal.SIGINT
    gentle_signal: ClassVar[signal.Signals | None] = signal.SIGQUIT

    def __init__(
        self, *, settings: Mapping[str, str] | None = None, in_memory: bool = False
    ) -> None:
        super().__init__(settings=settings, in_memory=in_memory)
        self._programs = Path()
        self._password: str | None = None
        self._databases = _Databases(self._create)

    @property
    def dsn(self) -> str:
        """The URL of the server's database 'postgres'."""
        return self._dsn("postgres")

    def database(self) -> str:
        """Return the URL of a new, empty database."""
        return self._dsn(self._databases.take())

    def release(self, dsn: str) -> None:
        """Disconnect all clients of a database and empty it; it may be handed out again.

        Making a database writes some three hundred files; emptying one is many times faster.
        """
        name = urlsplit(dsn).path.strip("/")
        self._run(_EMPTY_DATABASE.format(name=name), name)
        self._databases.give_back(name)

    @property
    def password(self) -> str:
        """The password of the server's only user, a superuser."""
        return self._require_start(self._password)

    def run(self, sql: str = "", *, database: str = "postgres", timeout: float = 30.0) -> None:
        """Run SQL in a session of its own, and ignore its results."""
        names = {"user": postgres_template.USER, "database": database}
        run_postgres(self.port, sql, password=self.password, timeout=timeout, **names)

    def _dsn(self, database: str) -> str:
        user = f"{postgres_template.USER}:{self.password}"
        return f"postgresql://{user}@{LOOPBACK}:{self.port}/{database}"

    def _create(self) -> str:
        name = f"goldfish_{secrets.token_hex(6)}"
        self._run(f"CREATE DATABASE {name}")
        return name

    def _run(self, sql: str, database: str = "postgres") -> None:
        try:
            self.run(sql, database=database)
        except OSError as error:
            raise ServiceError(
                f"PostgreSQL does not answer ({error}): check that it is running"
            ) from error

    def _prepare(self, data: Path) -> None:
        # Databases made before close() are not in the new data.
        self._databases = _Databases(self._create)
        self._programs = postgres_template.find_programs()
        postgres_template.fill_directory(data, self._programs)
        self._password = postgres_template.read_password(data)

    def _command(self) -> list[str]:
        settings = {
            "listen_addresses": LOOPBACK,
            "unix_socket_directories": "",
            # In our directory, so that a killed server leaves nothing in the system's.
            "dynamic_shared_memory_type": "mmap",
        }
        version = float((self._data / "PG_VERSION").read_text())
        if sys.platform == "linux" and version >= 14:
            # After a kill the server syncs all its files: one call is faster than one per file.
            settings["recovery_init_sync_method"] = "syncfs"
        if self._in_memory:
            settings["max_wal_size"] = "256MB"  # instead of 1 GB
        settings |= self.settings
        command = [str(self._programs / "postgres"), "-D", str(self._data), "-p", str(self.port)]
        return command + [part for each in settings.items() for part in ("-c", "=".join(each))]

    def _launch_options(self) -> dict[str, Any]:
        return {"env": postgres_template.clean_environment(), **account.unprivileged_options()}

    def _answers(self, pid: int) -> bool:
        # Asked only when the server's own file says ready: it is then surely ours on that port,
        # and its log is not full of refused connections.
        status = self._read_lock_file()
        if status[:1] != [str(pid)] or status[_STATUS_LINE:] != ["ready"]:
            return False
        try:
            self.run(timeout=1.0)
        except (OSError, ServiceError):
            return False
        return True

    def _after_end(self, process: subprocess.Popen[bytes]) -> None:
        super()._after_end(process)
        # Only a server that was killed leaves its file, and with it a few bytes of shared memory.
        segment = self._read_lock_file()[_SHARED_MEMORY_LINE:][:1]
        if segment and len(numbers := segment[0].split()) == 2:
            ctypes.CDLL(None).shmctl(int(numbers[1]), _IPC_RMID, None)

    def _read_lock_file(self) -> list[str]:
        with contextlib.suppress(FileNotFoundError):
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            return [line.strip() for line in lines]
        return []


class _Databases:
    """Empty databases: those given back, and one made ahead once a second one was asked for."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._mutex = threading.Lock()
        self._maker: threading.Thread | None = None
        self._ready: list[str] = []
        self._taken = 0

    def take(self) -> str:
        with self._mutex:
            if not self._ready and self._maker is not None:
                self._maker.join()
            name = self._ready.pop() if self._ready else self._make()
            self._taken += 1
            # A caller that takes only one may count connections, so nothing is made ahead for it.
            if self._taken > 1 and not self._ready:
                self._maker = threading.Thread(target=self._make_ahead, daemon=True)
                self._maker.start()
            return name

    def give_back(self, name: str) -> None:
        self._ready.append(name)

    def _make_ahead(self) -> None:
        with contextlib.suppress(ServiceError):
            self._ready.append(self._make())

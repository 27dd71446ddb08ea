"""Writes the engines, sessions and tables of SQLAlchemy that a memory gets in a sandbox."""

import ast
import re

from goldfish.cli.init.backends import NOWHERE, POSTGRES, Place
from goldfish.cli.init.sources import Source, Sources

LOCK = "SELECT pg_advisory_xact_lock(1)"  # until the end of the transaction


class Sql:
    """Writes what is SQLAlchemy's for one memory, whose modules are ``reached``."""

    def __init__(
        self, place: Place, reached: list[Source], sources: Sources, requirements: set[str]
    ) -> None:
        self.place, self.reached, self.sources = place, reached, sources
        self._requirements = requirements

    @property
    def is_on_postgres(self) -> bool:
        """Whether the project's SQLAlchemy talks to PostgreSQL."""
        tops = {each.partition(".")[0] for source in self.sources.all
                for each in source.imports.values()}  # fmt: skip
        named = {each.replace("-binary", "").replace("-", "_") for each in self._requirements}
        return bool((tops | named) & POSTGRES) or any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.startswith("postgres")
            for source in self.reached
            for node in ast.walk(source.tree)
        )

    def is_async(self) -> bool:
        """Return True if the project uses SQLAlchemy with asyncio."""
        named = " ".join(str(each.imports) for each in self.reached)
        return re.search("AsyncSession|create_async_engine|async_sessionmaker", named) is not None

    def url(self, *, is_async: bool) -> str:
        """Return the URL of SQLAlchemy for a database of the sandbox."""
        if self.is_on_postgres:
            self.place.services.add("postgres")
            scheme = f"postgresql+{self._find_driver(is_async=is_async)}:"
            return f'sandbox.postgres_dsn.replace("postgresql:", "{scheme}", 1)'
        driver = "sqlite+aiosqlite" if is_async else "sqlite"
        return f"f\"{driver}:///{{sandbox.path / 'memory.db'}}\""

    def _find_driver(self, *, is_async: bool) -> str:
        """Return the driver for PostgreSQL that the project has."""
        said = [each.value for source in self.sources.all for each in ast.walk(source.tree)
                if isinstance(each, ast.Constant) and "postgres" in str(each.value)]  # fmt: skip
        named = f"{self._requirements} {[s.imports for s in self.sources.all]} {said}"
        sync = "psycopg2" if "psycopg2" in named else "psycopg"
        return "asyncpg" if is_async and "asyncpg" in named else sync

    def nowhere(self) -> str:
        """Return a URL of a server that is not there, for the driver that the project has."""
        driver = self._find_driver(is_async=self.is_async())
        return NOWHERE["postgres"].replace("postgresql:", f"postgresql+{driver}:")

    def engine(self) -> str:
        """Return the name of an engine, whose tables are made before it is used."""
        is_async = self.is_async()
        maker = "create_async_engine" if is_async else "create_engine"
        home = "sqlalchemy.ext.asyncio" if is_async else "sqlalchemy"
        self.place.imports.add(f"from {home} import {maker}")
        line = f"engine = {maker}({self.url(is_async=is_async)})"
        if line not in self.place.before:
            self.place.before.append(line)
            self.place.before += self._make_tables(is_async)
        return "engine"

    def _make_tables(self, is_async: bool) -> list[str]:
        base = self._find_base()
        if base is None:
            return []
        self.place.awaits |= is_async
        waits, entered = ("await ", "async with") if is_async else ("", "with")
        alone = LOCK if self.is_on_postgres else "BEGIN IMMEDIATE"
        made = f"{base}.metadata.create_all"
        made = f"await connection.run_sync({made})" if is_async else f"{made}(connection)"
        return [
            "# Several openings at once would race to create the tables: each waits for its turn.",
            f"{entered} engine.begin() as connection:",
            f'    {waits}connection.exec_driver_sql("{alone}")',
            f"    {made}",
        ]

    def _find_base(self) -> str | None:
        """Return the name of the base of the project's tables."""
        for source in [*self.reached, *self.sources.all]:
            names = [
                name
                for name, owner in source.classes.items()
                if any(each.endswith("DeclarativeBase") for each in
                       (source.resolve(base) for base in owner.bases))
            ]  # fmt: skip
            names += [name for name, value in source.values.items()
                      if "declarative_base(" in ast.unparse(value)]  # fmt: skip
            if names:
                return self.place.names.use(source.module, names[0])
            if "sqlmodel.SQLModel" in source.imports.values():
                self.place.imports.add("from sqlmodel import SQLModel")
                return "SQLModel"
        return None

    def handle(self, name: str, written: str, is_handle: bool) -> str:
        """Return an engine, a factory of sessions or a session, as a name or a type asks for."""
        is_async = self.is_async()
        home = "sqlalchemy.ext.asyncio" if is_async else "sqlalchemy.orm"
        low = name.lower()
        if re.search(r"engine", low) or written.rstrip("]").endswith("Engine"):
            return self.engine()
        if "sessionmaker" in written or re.search(r"maker|factory|local|scope", low):
            maker = "async_sessionmaker" if is_async else "sessionmaker"
            self.place.imports.add(f"from {home} import {maker}")
            return f"{maker}({self.engine()}, expire_on_commit=False)"
        if is_handle or re.search(r"\bA?(sync)?Session$", written):
            kind = "AsyncSession" if is_async else "Session"
            self.place.imports.add(f"from {home} import {kind}")
            return f"{kind}({self.engine()}, expire_on_commit=False)"
        return ""

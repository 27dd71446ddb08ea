"""A PostgreSQL server of the user, by its connection string."""

import secrets
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from goldfish.errors import MissingExtraError, ServiceError, mask
from goldfish.services.external import External


class ExternalPostgres(External):
    """A PostgreSQL server that somebody else runs."""

    @property
    def dsn(self) -> str:
        """The connection string as it was given."""
        return self._address

    def database(self) -> str:
        """Create an empty database with a random name; return its connection string."""
        name = f"goldfish_{secrets.token_hex(6)}"
        self._run(f"CREATE DATABASE {name}")
        dsn = _with_database(self._address, name)
        self._mine.append(dsn)
        return dsn

    def _remove(self, address: str) -> None:
        name = _import_psycopg().conninfo.conninfo_to_dict(address)["dbname"]
        self._run(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def _run(self, sql: str) -> None:
        psycopg = _import_psycopg()
        try:
            with psycopg.connect(self._address, autocommit=True) as connection:
                connection.execute(sql)
        except psycopg.Error as error:
            told = " ".join(mask(str(error), self._address).split()).rstrip(".")
            raise ServiceError(
                f"PostgreSQL at {mask(self._address)} failed: {told}; check that it is running, or "
                "unset GOLDFISH_POSTGRES_DSN to let goldfish start one"
            ) from None


def _with_database(dsn: str, name: str) -> str:
    if not dsn.startswith(("postgresql://", "postgres://")):
        return str(_import_psycopg().conninfo.make_conninfo(dsn, dbname=name))
    parts = urlsplit(dsn)
    query = [(key, value) for key, value in parse_qsl(parts.query) if key != "dbname"]
    return parts._replace(path=f"/{name}", query=urlencode(query)).geturl()


def _import_psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise MissingExtraError.of("psycopg", "postgres") from error
    return psycopg

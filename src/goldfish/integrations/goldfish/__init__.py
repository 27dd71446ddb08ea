"""Our own stores as targets, and the starters for a memory that is of no library."""

from functools import partial

from goldfish.integrations.library import BuiltIn, Library, Starter

_target = partial(BuiltIn, module=f"{__name__}.targets")

OWN = Starter("own", "a memory of your own", "goldfish/starters/own.py", is_placeholder=True)

GOLDFISH = Library(
    name="goldfish",
    title="goldfish",
    extra="",
    distributions=("goldfish",),
    targets=(
        _target("memory", "memory", "a dict in the process, which dies with it"),
        _target("sqlite", "sqlite", "one SQLite file, the embedded default"),
        _target("redis", "redis", "a real Redis", extra="redis", packages=("redis",)),
        _target(
            "postgres", "postgres", "a real PostgreSQL", extra="postgres", packages=("psycopg",)
        ),
    ),
    starters=(
        Starter(
            "redis",
            "a memory on Redis",
            "goldfish/starters/redis.py",
            imports=("redis", "valkey"),
            requirements=("redis", "valkey"),
            extra="redis",
            needs=("redis",),
            service="redis",
            is_placeholder=True,
        ),
        Starter(
            "postgres",
            "a memory on PostgreSQL",
            "goldfish/starters/postgres.py",
            imports=("psycopg", "psycopg2", "asyncpg"),
            requirements=("psycopg", "psycopg2", "psycopg2-binary", "asyncpg"),
            extra="postgres",
            needs=("psycopg",),
            service="postgres",
            is_placeholder=True,
        ),
        OWN,  # suits any project, and is asked for by none
    ),
)

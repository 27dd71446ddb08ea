"""A server that the user gives is used and cleaned, and never tormented."""

from collections.abc import Iterator

import psycopg
import pytest
import redis

from goldfish.errors import ServiceError
from goldfish.services import ExternalPostgres, ExternalRedis, RedisServer, shared_postgres


@pytest.fixture(scope="module")
def users_redis() -> Iterator[str]:
    """A Redis with a password that stands for the user's own."""
    with RedisServer(settings={"requirepass": "s3cret", "databases": "6"}) as server:
        yield server.url


@pytest.fixture(scope="module")
def users_postgres() -> str:
    """The shared PostgreSQL, which stands for the user's own."""
    return shared_postgres().dsn


def keys(url: str) -> int:
    """How many keys a logical database has."""
    with redis.Redis.from_url(url) as client:
        return int(client.dbsize())


def test_redis_gives_empty_databases_and_flushes_only_those(users_redis: str) -> None:
    """A database with the user's keys is neither handed out nor flushed."""
    users = users_redis.replace("/0", "/2")
    with redis.Redis.from_url(users) as client:
        client.set("theirs", "1")
    with ExternalRedis(users_redis) as one, ExternalRedis(users_redis) as other:
        given = [one.database(), other.database(), one.database(), other.database()]
        assert [url.rpartition("/")[2] for url in given] == ["1", "3", "4", "5"]
        with redis.Redis.from_url(given[0]) as client:
            client.set("ours", "1")
        with pytest.raises(ServiceError, match="databases") as caught:
            one.database()
        assert "s3cret" not in str(caught.value)
        one.release(given[0])
        assert other.database() == given[0]
    assert [keys(url) for url in (users_redis, *given, users)] == [0, 0, 0, 0, 0, 1]


def test_postgres_makes_databases_and_drops_only_those(users_postgres: str) -> None:
    """close() drops the databases that database() made, and no other."""
    with ExternalPostgres(users_postgres) as server:
        first, second = server.database(), server.database()
        assert first != second
        psycopg.connect(first).close()
    with pytest.raises(psycopg.OperationalError, match="does not exist"):
        psycopg.connect(first)
    psycopg.connect(users_postgres).close()


def test_a_connection_string_of_keywords_works_too(users_postgres: str) -> None:
    """A DSN in the form of keywords gives one in the same form."""
    keywords = psycopg.conninfo.make_conninfo(users_postgres)
    with ExternalPostgres(keywords) as server, psycopg.connect(server.database()) as connection:
        assert connection.info.dbname.startswith("goldfish_")


@pytest.mark.parametrize("verb", ["stop", "kill", "pause", "resume", "restart"])
@pytest.mark.parametrize(
    "server",
    [ExternalRedis("redis://u:s3cret@h:1/0"), ExternalPostgres("postgresql://u:s3cret@h:1/x")],
    ids=["redis", "postgres"],
)
def test_a_server_that_is_not_ours_is_not_tormented(
    server: ExternalRedis | ExternalPostgres, verb: str
) -> None:
    """The verbs that torment are refused, with the address but without the password."""
    with pytest.raises(ServiceError, match=f"did not start .* cannot {verb} it: ") as caught:
        getattr(server, verb)()
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:6379", "redis://:s3cret@localhost:no/0"])
def test_what_is_no_address_of_a_redis_is_a_service_error(url: str) -> None:
    """Which says how one is written, and keeps the password to itself."""
    with pytest.raises(ServiceError, match="write it as redis://host:6379/0") as caught:
        ExternalRedis(url).database()
    assert "s3cret" not in str(caught.value)


def test_an_unreachable_server_is_a_service_error_without_the_password() -> None:
    """When nobody answers, the error says where, and keeps the password to itself."""
    for server in (
        ExternalRedis("redis://:s3cret@127.0.0.1:1/0"),
        ExternalPostgres("postgresql://u:s3cret@127.0.0.1:1/x"),
    ):
        with pytest.raises(ServiceError, match=r"127\.0\.0\.1:1") as caught:
            server.database()
        assert "s3cret" not in str(caught.value)

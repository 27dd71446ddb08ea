"""Statements from threads without an event loop, on a connection of their own."""

import os
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest

import goldfish
from goldfish import MemoryStoreBackendError, PostgresMemoryStore
from goldfish.integrations.two_ways import run_here
from goldfish.services import PostgresServer
from goldfish.stores.blocking import BlockingMemoryStore
from goldfish.stores.facts.engine import FactEngine, Told
from goldfish.stores.postgres.direct import DirectLane


@pytest.fixture
def memory(dsn: str) -> Iterator[BlockingMemoryStore]:
    """A store whose lane has its connection."""
    with goldfish.blocking(PostgresMemoryStore(dsn, timeout=4, embedder=None)) as opened:
        warm_up(opened)
        yield opened


def warm_up(memory: BlockingMemoryStore) -> None:
    while lane_of(memory)._connection is None:
        put(memory, "first")
        time.sleep(0.02)


def lane_of(memory: BlockingMemoryStore) -> DirectLane:
    store = memory.store
    assert isinstance(store, PostgresMemoryStore)
    return store._calls._lane


def facts_of(memory: BlockingMemoryStore) -> FactEngine:
    facts = memory.store._facts_from_thread()
    assert facts is not None
    return facts


def put(memory: BlockingMemoryStore, text: str) -> None:
    run_here(facts_of(memory).replace("u", "name", Told(text, {}, None)))


def text_of(memory: BlockingMemoryStore) -> str | None:
    fact, _ = run_here(facts_of(memory).find_named("u", "name"))
    return None if fact is None else fact.text


def test_what_is_written_here_is_seen_there(memory: BlockingMemoryStore) -> None:
    """And the other way round: in the loop and in the thread it is the same store."""
    put(memory, "second")
    assert [fact.text for fact in memory.list_facts("u")] == ["second"]
    memory.forget_all("u")
    assert text_of(memory) is None


def test_threads_that_find_the_lane_in_use_take_the_way_through_a_loop(
    memory: BlockingMemoryStore,
) -> None:
    """None of them waits for another, or meets an error."""
    errors: list[BaseException] = []

    def write(number: int) -> None:
        try:
            for _ in range(5):
                put(memory, f"of {number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []
    assert len(memory.list_facts("u")) == 1


def test_a_call_that_waits_for_a_lock_ends_in_time(memory: BlockingMemoryStore, dsn: str) -> None:
    """The server ends it, so that nothing is written, and the connection stays."""
    with psycopg.connect(dsn) as other:
        other.execute("SELECT pk FROM goldfish.fact_users FOR UPDATE")
        began = time.monotonic()
        with pytest.raises(MemoryStoreBackendError, match="nothing was written"):
            put(memory, "late")
        assert time.monotonic() - began < 20
    assert text_of(memory) == "first"


def test_a_lane_whose_server_hung_up_is_opened_again(memory: BlockingMemoryStore, dsn: str) -> None:
    """No call is given the dead connection."""
    with psycopg.connect(dsn, autocommit=True) as other:
        ended = """SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE application_name = 'goldfish' AND datname = current_database()"""
        assert all(done for (done,) in other.execute(ended).fetchall())
    put(memory, "after")
    assert text_of(memory) == "after"
    warm_up(memory)


def test_a_server_that_does_not_answer_is_given_up_in_time() -> None:
    """The call says that its write may still take effect; the next one works."""
    with PostgresServer() as server:
        store = PostgresMemoryStore(server.dsn, timeout=2, embedder=None)
        with goldfish.blocking(store) as memory:
            warm_up(memory)
            server.pause()
            try:
                began = time.monotonic()
                with pytest.raises(MemoryStoreBackendError, match="may still take effect"):
                    put(memory, "late")
                assert time.monotonic() - began < 10
            finally:
                server.resume()
            put(memory, "last")
            assert text_of(memory) == "last"


def test_a_forked_child_leaves_the_connection_to_its_parent(memory: BlockingMemoryStore) -> None:
    """Both go on with connections of their own."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            put(memory, "child")
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0
    assert text_of(memory) == "child"
    put(memory, "parent")
    assert text_of(memory) == "parent"


def test_a_store_behind_a_pooler_has_no_lane(dsn: str) -> None:
    """A session that is lent for one transaction keeps nothing between two calls."""
    store = PostgresMemoryStore(dsn, pooler=True, embedder=None)
    with goldfish.blocking(store) as memory:
        for number in range(5):
            put(memory, str(number))
            time.sleep(0.05)
        assert text_of(memory) == "4"
        assert lane_of(memory)._connection is None


def test_a_closed_store_holds_no_connection(dsn: str) -> None:
    """Not even that of the lane."""
    store = PostgresMemoryStore(dsn, embedder=None)
    with goldfish.blocking(store) as memory:
        warm_up(memory)
        lane = lane_of(memory)
    assert lane._connection is None

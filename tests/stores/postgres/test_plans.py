"""What statements about facts read of a user with many: what they answer, and not all there is."""

import json
from typing import Any

from psycopg import sql

from goldfish import PostgresMemoryStore
from goldfish.stores.postgres.facts import PostgresFacts
from tests.stores.postgres.places import connected

MANY = 5000


def count_rows(plan: dict[str, Any]) -> int:
    """How many rows the nodes of a plan that read a table found or left out."""
    loops, rows = plan["Actual Loops"], 0
    if "Relation Name" in plan:
        rows = loops * (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0))
    return int(rows) + sum(map(count_rows, plan.get("Plans", [])))


async def test_a_few_changes_are_read_by_an_index(dsn: str) -> None:
    """Though nearly all facts are those of one user, and the plan is one for any values."""
    async with PostgresMemoryStore(dsn, embedder=None) as store:
        await store.remember("u", "I like tea")
    async with connected(dsn) as connection:
        for table, columns, values in [
            (
                "facts",
                "owner, seq, changed, said_at, id, key, base, said, vectors",
                "n, n, n, n::text::bytea, n::text::bytea, '{}', '{}', ''",
            ),
            ("fact_marks", "owner, seq, said_at, marks", "n, n, ''"),
        ]:
            await connection.execute(
                f"""INSERT INTO goldfish.{table} ({columns}) SELECT pk, {values}
                FROM goldfish.fact_users, generate_series(2, {MANY}) AS n""".encode()
            )
        await connection.execute(f"UPDATE goldfish.fact_users SET version = {MANY}".encode())
        await connection.execute("ANALYZE goldfish.facts, goldfish.fact_marks")
        await connection.execute("SET plan_cache_mode = force_generic_plan")
        cursor = await connection.execute("SELECT epoch FROM goldfish.fact_users")
        (epoch,) = await cursor.fetchone() or ()
        statement = PostgresFacts(store._run, '"goldfish"')._sql.changes.decode()
        for number in range(statement.count("%b")):
            statement = statement.replace("%b", f"${number + 1}", 1)
        await connection.execute(f"PREPARE asked AS {statement}".encode())
        known = sql.SQL(", ").join([epoch, MANY - 3, 0, 500, b"u"])
        query = sql.SQL("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked ({})").format(known)
        cursor = await connection.execute(query)
        (explained,) = await cursor.fetchone() or ()
        found = explained if isinstance(explained, list) else json.loads(explained)
        assert count_rows(found[0]["Plan"]) < MANY / 10

"""The examination of a PostgreSQL store: settings that lose data, and rows that disagree."""

from dataclasses import replace
from typing import Any, NamedTuple

from goldfish.stores.observation import Observation
from goldfish.stores.postgres.calls import Run
from goldfish.stores.postgres.schema.migration import MIGRATIONS
from goldfish.stores.postgres.schema.v2_snapshots import ALIVE


class _Setting(NamedTuple):
    """A setting of the server with the value under which acknowledged data can be lost."""

    name: str
    bad: str
    advice: str


class _Flaw(NamedTuple):
    """Rows that contradict each other: how to count and, where that is safe, repair them."""

    subject: str
    counted: str
    detail: str
    advice: str
    repair: str | None = None


_SETTINGS = (
    _Setting("fsync", "off", "set fsync = on: a crash of the machine can destroy the database"),
    _Setting("full_page_writes", "off", "set full_page_writes = on: a crash can tear pages"),
    _Setting(
        "synchronous_commit",
        "off",
        "set synchronous_commit = on for this role and database: a crash loses the newest commits",
    ),
    _Setting("zero_damaged_pages", "on", "set zero_damaged_pages = off: it discards damaged pages"),
)

_RESTORE = "restore from a backup, or report how it came about"
_UNREACHABLE = "examine with repair=True removes them: no call can reach them"

_ORPHANS = {  # what hangs on a session, and whether it is text that somebody may want to rescue
    "messages": True,
    "archive": True,
    "kept": True,
    "state": True,
    "snapshots": True,
    "lives": False,
}


def _make_orphans(table: str, is_text: bool) -> _Flaw:
    which = f"FROM {{s}}.{table} AS t WHERE NOT EXISTS (SELECT 1 FROM {{s}}.sessions WHERE pk = "
    return _Flaw(
        f"{table} without a session",
        f"SELECT count(*) {which}t.session)",
        f"{{n}} rows in {table} belong to no session",
        _RESTORE if is_text else _UNREACHABLE,
        # Whoever begins a session holds its row before anything hangs on it.
        None if is_text else f"DELETE {which}t.session)",
    )


def _make_counter(table: str, column: str, *also: str) -> _Flaw:
    """Return the flaw of a counter behind its rows, as after a restore or a failover."""
    name = f"pg_get_serial_sequence('{{l}}.{table}', '{column}')"
    newest = ", ".join(f"(SELECT max({column}) FROM {{s}}.{each})" for each in (table, *also))
    newest = f"greatest({newest}, 0)"
    return _Flaw(
        f"counter of {table}",
        f"SELECT (coalesce(pg_sequence_last_value({name}), 0) < {newest})::int",
        f"the next number for {table} is one that was used",
        "examine with repair=True raises it: until then writes fail or lose their order",
        f"LOCK TABLE {{s}}.{table} IN SHARE ROW EXCLUSIVE MODE; PERFORM setval({name}, {newest})",
    )


_WITHOUT_MESSAGE = """FROM {{s}}.{} AS v WHERE NOT EXISTS (
    SELECT 1 FROM {{s}}.messages AS m WHERE m.session = v.session AND m.seq = v.seq)
    AND NOT EXISTS (SELECT 1 FROM {{s}}.archive AS a WHERE a.session = v.session AND a.seq = v.seq)
    AND NOT EXISTS (SELECT 1 FROM {{s}}.kept AS k WHERE k.session = v.session AND k.seq = v.seq)"""

_MISTAKEN = """FROM {s}.sessions AS x LEFT JOIN LATERAL (
        SELECT number, top FROM {s}.snapshots WHERE session = x.pk ORDER BY number DESC LIMIT 1
    ) AS n ON true WHERE x.snapshot IS DISTINCT FROM n.number OR x.top IS DISTINCT FROM n.top"""

_FLAWS = (
    *(_make_orphans(table, is_text) for table, is_text in _ORPHANS.items()),
    *(
        _Flaw(
            f"{table} without a message",
            f"SELECT count(*) {_WITHOUT_MESSAGE.format(table)}",
            f"{{n}} {table} belong to no message",
            _UNREACHABLE,
            f"DELETE {_WITHOUT_MESSAGE.format(table)}",
        )
        for table in ("vectors", "marks")
    ),
    _Flaw(
        "newest snapshots",
        f"SELECT count(*) {_MISTAKEN}",
        "{n} sessions do not know their newest snapshot",
        "examine with repair=True tells them: until then snapshots can miss what is removed",
        f"""LOCK TABLE {{s}}.sessions IN EXCLUSIVE MODE;
            UPDATE {{s}}.sessions AS s SET snapshot = y.number, top = y.top
            FROM (SELECT x.pk, n.number, n.top {_MISTAKEN}) AS y WHERE s.pk = y.pk""",
    ),
    _Flaw(
        "what snapshots show",
        f"""SELECT count(*) FROM {{s}}.lives AS l WHERE born >= died
            OR died = {ALIVE} AND NOT EXISTS (SELECT 1 FROM {{s}}.messages AS m
                WHERE m.session = l.session AND m.seq = l.seq)
            OR NOT EXISTS (SELECT 1 FROM {{s}}.messages AS m
                WHERE m.session = l.session AND m.seq = l.seq)
            AND NOT EXISTS (SELECT 1 FROM {{s}}.archive AS a
                WHERE a.session = l.session AND a.seq = l.seq)""",
        "{n} messages that snapshots show are not there",
        _RESTORE,
    ),
    _Flaw(
        "messages set aside",
        """SELECT count(*) FROM {s}.archive AS a WHERE EXISTS (SELECT 1 FROM {s}.messages AS m
                WHERE m.session = a.session AND m.seq = a.seq)
            OR NOT EXISTS (SELECT 1 FROM {s}.lives AS l
                WHERE l.session = a.session AND l.seq = a.seq)""",
        "{n} messages are set aside although no snapshot needs them",
        _RESTORE,
    ),
    _Flaw(
        "facts without a user",
        "SELECT count(*) FROM {s}.facts WHERE owner NOT IN (SELECT pk FROM {s}.fact_users)",
        "{n} facts belong to no user",
        _RESTORE,
    ),
    _Flaw(
        "history of facts",
        """SELECT count(*) FROM {s}.fact_history AS h WHERE NOT EXISTS (
            SELECT 1 FROM {s}.facts AS f WHERE f.owner = h.owner AND f.seq = h.seq)""",
        "{n} earlier texts belong to no fact",
        _UNREACHABLE,
        """DELETE FROM {s}.fact_history AS h WHERE NOT EXISTS (
            SELECT 1 FROM {s}.facts AS f WHERE f.owner = h.owner AND f.seq = h.seq)""",
    ),
    _Flaw(
        "counters of facts",
        """SELECT count(*) FROM {s}.fact_users AS u WHERE version < (
            SELECT max(greatest(changed, said_at, seq)) FROM {s}.facts WHERE owner = u.pk)""",
        "{n} users have facts beyond their counter",
        "examine with repair=True raises it: until then changes can be missed",
        """LOCK TABLE {s}.fact_users IN EXCLUSIVE MODE;
            UPDATE {s}.fact_users AS u SET version = newest FROM (
                SELECT owner, max(greatest(changed, said_at, seq)) AS newest FROM {s}.facts
                GROUP BY owner) AS f WHERE f.owner = u.pk AND version < newest""",
    ),
    _Flaw(
        "marks of facts",
        """SELECT count(DISTINCT u.pk)
            FROM {s}.fact_users AS u JOIN {s}.facts AS f ON f.owner = u.pk
            LEFT JOIN {s}.fact_marks AS m ON m.owner = f.owner AND m.seq = f.seq
            WHERE u.marked AND m.said_at IS DISTINCT FROM f.said_at""",
        "{n} users have facts that cannot be recalled",
        "examine with repair=True lets the next recall find them",
        """UPDATE {s}.fact_users AS u SET marked = false WHERE marked AND EXISTS (
            SELECT 1 FROM {s}.facts AS f
            LEFT JOIN {s}.fact_marks AS m ON m.owner = f.owner AND m.seq = f.seq
            WHERE f.owner = u.pk AND m.said_at IS DISTINCT FROM f.said_at)""",
    ),
    _make_counter("sessions", "pk"),
    _make_counter("messages", "seq", "archive", "kept", "lives"),
    _make_counter("snapshots", "number"),
    _make_counter("fact_users", "pk"),
)


class PostgresExamination:
    """The examination of one schema; ``run`` runs a statement, ``schema`` is a quoted name."""

    def __init__(self, run: Run, schema: str) -> None:
        self._run = run
        self._schema = schema

    async def examine(self, *, repair: bool) -> list[Observation]:
        """Return all observations, settings first; do not migrate the schema."""
        found = [*await self._observe_settings(), await self._observe_standby()]
        version = await self._find_version()
        found.append(_observe_version(version))
        if version != len(MIGRATIONS):
            return found
        found += [await self._observe_unlogged(), await self._observe_indexes()]
        return found + [await self._observe_flaw(flaw, repair=repair) for flaw in _FLAWS]

    async def _observe_settings(self) -> list[Observation]:
        # As they are for this session: what is set for a role or a database is in it.
        found = dict(await self._ask("SELECT name, setting FROM pg_settings"))
        return [
            _observe_setting(
                each.name, each.bad == (value := found.get(each.name, "")), value, each.advice
            )
            for each in _SETTINGS
        ]

    async def _observe_standby(self) -> Observation:
        standby = (await self._ask("SELECT pg_is_in_recovery()"))[0][0]
        detail = "is a standby, which refuses writes" if standby else "accepts writes"
        advice = "give the store the address of the primary"
        return _observe("server", "warning" if standby else "ok", f"the server {detail}", advice)

    async def _find_version(self) -> int:
        """Return the version of the schema, or 0 if there is none."""
        there = "SELECT 1 FROM pg_class WHERE relname = 'version' AND relnamespace = "
        if not await self._ask(f"{there}to_regnamespace(%b)", self._schema):
            return 0
        return int((await self._ask("SELECT number FROM {s}.version"))[0][0])

    async def _observe_unlogged(self) -> Observation:
        ((count,),) = await self._ask(
            """SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'
                AND relnamespace = to_regnamespace(%b)""",
            self._schema,
        )
        detail = f"{count} tables of the store are unlogged: a crash empties them"
        advice = "ALTER TABLE … SET LOGGED for each table of the schema"
        if count:
            return _observe("unlogged tables", "warning", detail, advice)
        return _observe("unlogged tables", "ok", "none", "")

    async def _observe_indexes(self) -> Observation:
        ((count,),) = await self._ask(
            """SELECT count(*) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
                WHERE NOT (indisvalid AND indisready) AND relnamespace = to_regnamespace(%b)""",
            self._schema,
        )
        if count:
            detail = f"{count} indexes are not valid"
            return _observe("indexes", "damage", detail, "REINDEX SCHEMA CONCURRENTLY")
        return _observe("indexes", "ok", "all are valid", "")

    async def _observe_flaw(self, flaw: _Flaw, *, repair: bool) -> Observation:
        ((count,),) = await self._ask(flaw.counted)
        if not count:
            return _observe(flaw.subject, "ok", "as it should be", "")
        detail = flaw.detail.replace("{n}", str(count))
        observation = _observe(flaw.subject, "damage", detail, flaw.advice)
        if flaw.repair is None:
            return observation
        if repair:
            # One statement is one transaction; a block can lock and then look again.
            await self._ask(f"DO $$ BEGIN {flaw.repair}; END $$")
        return replace(observation, repairable=True, repaired=repair)

    async def _ask(self, statement: str, *values: str) -> list[tuple[Any, ...]]:
        schema = self._schema.replace("%", "%%")  # which would begin a placeholder
        filled = statement.replace("{s}", schema).replace("{l}", schema.replace("'", "''"))
        return await self._run(filled.encode(), list(values))


def _observe_version(version: int) -> Observation:
    newest = len(MIGRATIONS)
    if version > newest:
        detail = f"version {version}, and this goldfish knows {newest}"
        return _observe("schema version", "warning", detail, "pip install --upgrade goldfish")
    if version == newest:
        detail = f"version {version}"
    elif version:
        detail = f"version {version}, which the next write or read brings to {newest}"
    else:
        detail = "nothing is stored yet"
    return _observe("schema version", "ok", detail, "")


def _observe_setting(name: str, bad: bool, value: str, advice: str) -> Observation:
    return _observe(name, "warning" if bad else "ok", f"{name} is {value or 'unknown'}", advice)


def _observe(subject: str, level: Any, detail: str, advice: str) -> Observation:
    return Observation(subject, level, detail, "" if level == "ok" else advice)

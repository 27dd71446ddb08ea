"""The SQL that the store sends: calls of the functions of its schema, and reads."""

from goldfish.stores.postgres.schema.v2_snapshots import ALIVE

# Messages are counted when somebody asks: counting them when a snapshot is saved would make saving
# depend on the length of the history. Each message is counted once, at the first snapshot whose
# top is beyond it; lives that ended or began later correct the sum.
_LIST_SNAPSHOTS = f"""WITH saved AS (
        SELECT *, coalesce(lag(top) OVER (ORDER BY number), 0) AS top_before
        FROM {{s}}.snapshots WHERE session = (SELECT pk FROM {{s}}.sessions WHERE key = %b)
    ), counted AS (
        SELECT *, (SELECT count(*) FROM {{s}}.messages AS m WHERE m.session = saved.session
            AND seq > top_before AND seq <= top) AS added FROM saved
    )
    SELECT id, label, created_at, (sum(added) OVER (ORDER BY number)
        - (SELECT count(*) FROM {{s}}.lives AS l WHERE l.session = counted.session
            AND died = {ALIVE} AND born >= number AND seq <= top)
        + (SELECT count(*) FROM {{s}}.lives AS l WHERE l.session = counted.session
            AND died >= number AND died < {ALIVE} AND born < number AND seq <= top))::bigint
    FROM counted ORDER BY number"""


class Statements:
    """The SQL of the store for one schema; ``%b`` sends a value in binary form."""

    def __init__(self, s: str) -> None:
        # The session as a value, not as a join: so the planner walks the end of an index.
        messages = f"""SELECT body FROM {s}.messages WHERE session = (SELECT pk FROM {s}.sessions
            WHERE key = %b AND (expires_at IS NULL OR expires_at > clock_timestamp()))
            ORDER BY seq"""
        self.read = messages.encode()
        self.read_last = f"{messages} DESC LIMIT %b::bigint".encode()
        self.keep_last = f"SELECT {s}.keep_last(%b, %b::bigint)".encode()
        self.append_marked = f"""SELECT {s}.append_marked(%b, %b, %b::bytea[], %b::bytea[],
            %b::double precision, %b::bytea, %b::bytea[], %b::bytea[])""".encode()
        self.append_and_read = f"""SELECT {s}.append_and_read(%b, %b, %b::bytea[], %b::bytea[],
            %b::double precision, %b::bigint)""".encode()
        self.keep_the_rest = f"SELECT {s}.keep_last_and_the_rest(%b, %b::bigint)".encode()
        self.set_apart = f"SELECT {s}.set_apart(%b, %b::bytea[])".encode()
        self.remove = f"SELECT {s}.remove(%b, %b::bytea[])".encode()
        self.clear = f"SELECT {s}.clear(%b, %b)".encode()
        self.clear_all = f"SELECT {s}.clear_all()".encode()
        sessions = f"""SELECT session_id FROM {s}.sessions AS x
            WHERE (expires_at IS NULL OR expires_at > clock_timestamp())
            AND EXISTS (SELECT 1 FROM {s}.messages WHERE session = x.pk)"""
        self.sessions = sessions.encode()
        # Of a long id the index has only a digest, and that begins with 0xff.
        digests = r"key >= '\xff'"
        self.sessions_from = f"{sessions} AND (key >= %b AND key < %b OR {digests})".encode()
        self.set_ttl = f"SELECT {s}.set_ttl(%b, %b::double precision)".encode()
        self.get_ttl = f"""SELECT extract(epoch FROM expires_at - clock_timestamp())::float8
            FROM {s}.sessions WHERE key = %b AND expires_at > clock_timestamp()""".encode()
        self.save = f"SELECT {s}.save_snapshot(%b, %b, %b, %b::bytea, %b)".encode()
        self.rollback = f"SELECT {s}.rollback_to_snapshot(%b, %b)".encode()
        self.snapshots = _LIST_SNAPSHOTS.replace("{s}", s).encode()
        self.delete_snapshot = f"SELECT {s}.delete_snapshot(%b, %b)".encode()
        self.fork = f"SELECT {s}.fork(%b, %b, %b, %b, %b::bytea)".encode()

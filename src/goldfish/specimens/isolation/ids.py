"""Stores that take the id of one session for that of another."""

import fnmatch
import hashlib
import html
import json
import os.path
import re
import unicodedata
import zlib
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import unquote_plus

from goldfish.encoding import encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.sqlite import Reference

NEIGHBOURS = "CLR TRM TTL"  # families that look at a session beside another


class Renamed(Reference):
    """A correct store, but for the name by which it knows a session."""

    def rename(self, session_id: str) -> str:
        return session_id

    def key(self, session_id: str) -> bytes:
        return super().key(self.rename(session_id))

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        self.db.executemany(
            "INSERT OR IGNORE INTO messages (session, id, body) VALUES (?, ?, ?)",
            [(self.key(session_id), Reference.key(self, name), body) for name, body in rows],
        )

    def delete_messages(self, session_id: str, ids: Iterable[str]) -> int:
        names = [(self.key(session_id), Reference.key(self, name)) for name in ids]
        return self.db.executemany(
            "DELETE FROM messages WHERE session = ? AND id = ?", names
        ).rowcount


class Matched(Reference):
    """A correct store, but for the sessions whose messages a reader is given."""

    def matches(self, asked: str, there: str) -> bool:
        return asked == there

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        rows = self.db.execute("SELECT session, body FROM messages ORDER BY n").fetchall()
        found = [(bytes(name).decode("utf-8", "surrogatepass"), body) for name, body in rows]
        return [body for name, body in found if self.matches(session_id, name)]


variant("prefix-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are matched by prefix.",
    matches=lambda self, asked, there: there.startswith(asked),
)
variant("suffix-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are matched by their end, as in keys with a prefix of the application.",
    matches=lambda self, asked, there: there.endswith(asked),
)
variant("substring-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="A session is found wherever its id is part of another.",
    matches=lambda self, asked, there: asked in there,
)


@specimen("glued-keys", "ISO02", "lost", explains="TRM CLR DUR")
class GluedKeys(Reference):
    bug = "A message is filed under id and number without anything between: 'user-1' + '10'."

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.files: dict[str, str] = {}

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT COUNT(*) FROM messages WHERE session = ?"
        (there,) = self.db.execute(query, (self.key(session_id),)).fetchone()
        for number, row in enumerate(rows, there):
            if self.files.setdefault(f"{session_id}{number}", session_id) == session_id:
                super().insert(session_id, [row])


variant("lower-case", Renamed, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are lower-cased.", rename=lambda self, session_id: session_id.lower()
)
variant("case-folded", Renamed, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are case-folded, but for ASCII, so that only other scripts suffer.",
    rename=lambda self, session_id: session_id if session_id.isascii() else session_id.casefold(),
)
variant("sql-nocase", Matched, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are compared by LIKE, which ignores the case of ASCII letters.",
    matches=lambda self, asked, there: (
        re.fullmatch(re.escape(asked), there, re.IGNORECASE | re.ASCII) is not None
    ),
)
variant("session-stripped", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="White space around a session id is dropped.",
    rename=lambda self, session_id: session_id.strip(),
)
variant("padded", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="Trailing blanks of a session id do not count, as in SQL's CHAR columns.",
    rename=lambda self, session_id: session_id.rstrip(" "),
)
variant("single-spaced", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="White space in a session id is collapsed to one blank.",
    rename=lambda self, session_id: re.sub(r"\s+", " ", session_id),
)
variant("nfc", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised to NFC.",
    rename=lambda self, session_id: unicodedata.normalize("NFC", session_id),
)
variant("nfkc", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised to NFKC, which unfolds ligatures and wide letters.",
    rename=lambda self, session_id: unicodedata.normalize("NFKC", session_id),
)
variant("ascii-only", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Characters beyond ASCII are left out of a session id.",
    rename=lambda self, session_id: session_id.encode("ascii", "ignore").decode(),
)
variant("latin-1", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Characters beyond Latin-1 become question marks in a session id.",
    rename=lambda self, session_id: session_id.encode("latin-1", "replace").decode("latin-1"),
)
variant("session-three-byte-utf8", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Characters of four bytes, such as emoji, become question marks in a session id.",
    rename=lambda self, session_id: re.sub("[\U00010000-\U0010ffff]", "?", session_id),
)
variant("unaccented", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Accents are dropped from session ids.",
    rename=lambda self, session_id: "".join(
        each for each in unicodedata.normalize("NFD", session_id) if not unicodedata.combining(each)
    ),
)
variant("refuses-non-ascii", Renamed, "ISO05", "refused", explains=NEIGHBOURS)(
    bug="Session ids that are not ASCII are an error.",
    rename=lambda self, session_id: session_id.encode("ascii").decode(),
)
variant("like-pattern", Matched, "ISO06", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are compared by LIKE, so that _ and % match anything.",
    matches=lambda self, asked, there: (
        re.fullmatch(
            "".join(
                ".*" if each == "%" else "." if each == "_" else re.escape(each) for each in asked
            ),
            there,
            re.DOTALL,
        )
        is not None
    ),
)
variant("glob-pattern", Matched, "ISO06", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are found by a glob, as with KEYS in Redis.",
    matches=lambda self, asked, there: asked == there or fnmatch.fnmatchcase(there, asked),
)


@specimen("regular-expression", "ISO06", "leaked", explains=NEIGHBOURS)
class RegularExpression(Matched):
    bug = "Session ids are taken for regular expressions where they are valid ones."

    def matches(self, asked: str, there: str) -> bool:
        try:
            return asked == there or re.fullmatch(asked, there) is not None
        except re.error:
            return False


variant("unknown-wildcard", Matched, "ISO06", "leaked", explains=NEIGHBOURS)(
    bug="The session '*' is everybody's.", matches=lambda self, asked, there: asked in {"*", there}
)
variant("slugged", Renamed, "ISO07", "leaked", explains=NEIGHBOURS)(
    bug="What is no letter, digit, dot or dash becomes '_' in a session id.",
    rename=lambda self, session_id: re.sub(r"[^\w.-]", "_", session_id),
)
variant("first-part", Renamed, "ISO07", "leaked", explains=NEIGHBOURS)(
    bug="The session id ends at its first colon, where the store's own keys go on.",
    rename=lambda self, session_id: session_id.partition(":")[0] or session_id,
)


@specimen("own-index", "ISO07", "phantom", explains=NEIGHBOURS)
class OwnIndex(Reference):
    bug = "The ids of session X are kept as a message of the session 'X:ids'."

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows)
        if not session_id.endswith(":ids"):
            index = ChatMessage(role="system", content=json.dumps([name for name, _ in rows]))
            super().insert(f"{session_id}:ids", encode_batch([index]))

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if not name.endswith(":ids")]


variant("base-name", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="Only the last part of a session id with slashes counts.",
    rename=lambda self, session_id: os.path.basename(session_id) or session_id,
)
variant("normal-path", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised as paths: 'a/x/../b' is 'a/b'.",
    rename=lambda self, session_id: os.path.normpath(session_id) if session_id else "",
)
variant("file-stem", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="What looks like an extension is dropped from a session id.",
    rename=lambda self, session_id: re.sub(r"\.(json|jsonl|db|tmp|txt)$", "", session_id),
)


@specimen("file-per-session", "ISO08", "refused", explains=NEIGHBOURS)
class FilePerSession(Renamed):
    bug = "A session with a slash in its id has no folder to go to."

    def rename(self, session_id: str) -> str:
        if "/" in session_id.strip("/"):
            raise FileNotFoundError(session_id)
        return session_id


@specimen("quoted-by-hand", "ISO09", "refused", explains=NEIGHBOURS)
class QuotedByHand(Reference):
    bug = "The session id is written into the SQL between quotes."

    def bodies(self, session_id: str) -> list[str]:
        known = f"session = CAST('{session_id}' AS BLOB)"  # the bug
        if "\0" in session_id or not session_id.isprintable() or self.expired(session_id):
            return super().bodies(session_id)
        query = f"SELECT body FROM messages WHERE {known} ORDER BY n"
        return [body for (body,) in self.db.execute(query)]


variant("quotes-dropped", Renamed, "ISO09", "leaked", explains=NEIGHBOURS)(
    bug="Quotes are dropped from session ids, out of fear of SQL.",
    rename=lambda self, session_id: re.sub("['\"`;]", "", session_id),
)
variant("template", Renamed, "ISO09", "refused", explains=NEIGHBOURS)(
    bug="The session id goes through str.format with the key of the store.",
    rename=lambda self, session_id: session_id.format(session_id="x"),
)
variant("percent-decoded", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are decoded as in the query of a URL.",
    rename=lambda self, session_id: unquote_plus(session_id, errors="surrogateescape"),
)
variant("html-decoded", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="HTML entities in session ids are decoded.",
    rename=lambda self, session_id: html.unescape(session_id),
)
variant("quotes-peeled", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="Quotes around a session id are peeled off.",
    rename=lambda self, session_id: session_id.strip("'\"") or session_id,
)


@specimen("integer-ids", "ISO11", "leaked", explains=NEIGHBOURS)
class IntegerIds(Renamed):
    bug = "Session ids that are integers to Python are kept as integers."

    def rename(self, session_id: str) -> str:
        try:
            return str(int(session_id))
        except ValueError:
            return session_id


variant("numeric-column", Renamed, "ISO11", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are kept in a column of numeric affinity: '1e0' is 1.",
    rename=lambda self, session_id: (
        repr(float(session_id))
        if re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", session_id, re.ASCII)
        else session_id
    ),
)
variant("uuid-ids", Renamed, "ISO11", "leaked", explains=NEIGHBOURS)(
    bug="Session ids that are UUIDs lose their dashes.",
    rename=lambda self, session_id: (
        session_id.replace("-", "") if len(session_id) == 36 else session_id
    ),
)
variant("null-words", Renamed, "ISO12", "leaked", explains=NEIGHBOURS)(
    bug="Several words for nothing are one session.",
    rename=lambda self, session_id: (
        "null" if session_id.lower() in {"null", "none", "nil", ""} else session_id
    ),
)
variant("default-session", Renamed, "ISO12", "leaked", explains=NEIGHBOURS)(
    bug="An empty session id is the session 'default'.",
    rename=lambda self, session_id: session_id or "default",
)


@specimen("reserved-word", "ISO12", "refused", explains=NEIGHBOURS)
class ReservedWord(Renamed):
    bug = "The session id 'default' is the store's own, and refused."

    def rename(self, session_id: str) -> str:
        if session_id == "default":
            raise ValueError("reserved")
        return session_id


variant("cut-at-64", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are cut after 64 characters.", rename=lambda self, session_id: session_id[:64]
)
variant("cut-at-1024", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are cut after 1,024 characters.",
    rename=lambda self, session_id: session_id[:1024],
)
variant("last-40", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Only the last 40 characters of a session id count.",
    rename=lambda self, session_id: session_id[-40:],
)
variant("c-string", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Session ids end at the first NUL.",
    rename=lambda self, session_id: session_id.partition("\0")[0],
)
variant("session-surrogates-replaced", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Lone surrogates in a session id become question marks.",
    rename=lambda self, session_id: session_id.encode("utf-8", "replace").decode(),
)
variant("no-control-characters", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Control characters are left out of session ids.",
    rename=lambda self, session_id: re.sub("[\x01-\x08\x0e-\x1f\x7f]", "", session_id),
)


@specimen("empty-id-ignored", "ISO14", "swallowed", explains=NEIGHBOURS)
class EmptyIdIgnored(Reference):
    bug = "Messages of a session with an empty id are acknowledged and dropped."

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        if session_id:
            super().insert(session_id, rows)


variant("eight-hex-digits", Renamed, "ISO16", "leaked", explains=NEIGHBOURS)(
    bug="Sessions are filed under eight hex digits of a digest.",
    rename=lambda self, session_id: hashlib.sha256(Reference.key(self, session_id)).hexdigest()[:8],
)
variant("checksum", Renamed, "ISO16", "leaked", explains=NEIGHBOURS)(
    bug="Sessions are filed under the CRC-32 of their ids.",
    rename=lambda self, session_id: str(zlib.crc32(Reference.key(self, session_id))),
)

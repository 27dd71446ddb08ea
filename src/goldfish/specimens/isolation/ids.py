"""Stores that take the id of one session for that of another."""

import fnmatch
import hashlib
import html
import json
import os.path
import re
import unicodedata
import zlib
from urllib.parse import unquote_plus

from goldfish.encoding import encode_batch
from goldfish.messages import ChatMessage
from goldfish.specimens import specimen, variant
from goldfish.specimens.references.keys import Rows, decoded
from goldfish.specimens.references.sqlite import Reference

NEIGHBOURS = "CLR TRM TTL"  # families that look at a session beside another


class Renamed(Reference):
    """A correct store, except for the name by which it knows a session."""

    def rename(self, name: str) -> str:
        """Return the name by which a session is known."""
        return name

    def key(self, session_id: str) -> bytes:
        return super().key(self.rename(session_id))


class Matched(Reference):
    """A correct store, except for the sessions whose messages a read returns."""

    def matches(self, asked: str, there: str) -> bool:
        """Return True if a read of one session returns the messages of another."""
        return asked == there

    def bodies(self, session_id: str) -> list[str]:
        if self.expired(session_id):
            return []
        rows = self.db.execute("SELECT session, body FROM messages ORDER BY n").fetchall()
        return [body for name, body in rows if self.matches(session_id, decoded(name))]


variant("prefix-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are matched by prefix.",
    matches=lambda self, asked, there: there.startswith(asked),
)
variant("suffix-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are matched by their end, as if each key had a prefix.",
    matches=lambda self, asked, there: there.endswith(asked),
)
variant("substring-match", Matched, "ISO02", "leaked", explains=NEIGHBOURS)(
    bug="A session is found wherever its id is part of another.",
    matches=lambda self, asked, there: asked in there,
)


@specimen("glued-keys", "ISO02", "lost", explains="TRM CLR DUR")
class GluedKeys(Reference):
    bug = "A message is filed under id and number with nothing between: 'user-1' + '10'."

    def set_up(self) -> None:
        self.files: dict[str, str] = {}

    def insert(self, session_id: str, rows: Rows) -> None:
        query = "SELECT COUNT(*) FROM messages WHERE session = ?"
        (there,) = self.db.execute(query, (self.key(session_id),)).fetchone()
        for number, row in enumerate(rows, there):
            if self.files.setdefault(f"{session_id}{number}", session_id) == session_id:
                super().insert(session_id, [row])


variant("lower-case", Renamed, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are lower-cased.", rename=lambda self, name: name.lower()
)
variant("case-folded", Renamed, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are case-folded unless they are ASCII, so only other scripts suffer.",
    rename=lambda self, name: name if name.isascii() else name.casefold(),
)
variant("sql-nocase", Matched, "ISO03", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are compared by LIKE, which ignores the case of ASCII letters.",
    matches=lambda self, asked, there: (
        re.fullmatch(re.escape(asked), there, re.IGNORECASE | re.ASCII) is not None
    ),
)
variant("session-stripped", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="White space around a session id is dropped.", rename=lambda self, name: name.strip()
)
variant("padded", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="Trailing spaces of a session id are ignored, as in SQL's CHAR columns.",
    rename=lambda self, name: name.rstrip(" "),
)
variant("single-spaced", Renamed, "ISO04", "leaked", explains=NEIGHBOURS)(
    bug="White space in a session id is collapsed to one space.",
    rename=lambda self, name: re.sub(r"\s+", " ", name),
)
variant("nfc", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised to NFC.",
    rename=lambda self, name: unicodedata.normalize("NFC", name),
)
variant("nfkc", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised to NFKC, which unfolds ligatures and wide letters.",
    rename=lambda self, name: unicodedata.normalize("NFKC", name),
)
variant("ascii-only", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Characters beyond ASCII are dropped from a session id.",
    rename=lambda self, name: name.encode("ascii", "ignore").decode(),
)
variant("latin-1", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Characters beyond Latin-1 become question marks in a session id.",
    rename=lambda self, name: name.encode("latin-1", "replace").decode("latin-1"),
)
variant("session-three-byte-utf8", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Four-byte characters, such as emoji, become question marks in a session id.",
    rename=lambda self, name: re.sub("[\U00010000-\U0010ffff]", "?", name),
)
variant("unaccented", Renamed, "ISO05", "leaked", explains=NEIGHBOURS)(
    bug="Accents are dropped from session ids.",
    rename=lambda self, name: "".join(
        each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each)
    ),
)
variant("refuses-non-ascii", Renamed, "ISO05", "refused", explains=NEIGHBOURS)(
    bug="Session ids that are not ASCII are refused.",
    rename=lambda self, name: name.encode("ascii").decode(),
)
variant("like-pattern", Matched, "ISO06", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are compared by LIKE, so _ and % match anything.",
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
    bug="Session ids are matched as globs, as KEYS does in Redis.",
    matches=lambda self, asked, there: asked == there or fnmatch.fnmatchcase(there, asked),
)


@specimen("regular-expression", "ISO06", "leaked", explains=NEIGHBOURS)
class RegularExpression(Matched):
    bug = "Session ids are used as regular expressions where they are valid."

    def matches(self, asked: str, there: str) -> bool:
        try:
            return asked == there or re.fullmatch(asked, there) is not None
        except re.error:
            return False


variant("unknown-wildcard", Matched, "ISO06", "leaked", explains=NEIGHBOURS)(
    bug="The session '*' is everybody's.", matches=lambda self, asked, there: asked in {"*", there}
)
variant("slugged", Renamed, "ISO07", "leaked", explains=NEIGHBOURS)(
    bug="All but letters, digits, dots and dashes become '_' in a session id.",
    rename=lambda self, name: re.sub(r"[^\w.-]", "_", name),
)
variant("first-part", Renamed, "ISO07", "leaked", explains=NEIGHBOURS)(
    bug="A session id ends at its first colon, where the store's own keys go on.",
    rename=lambda self, name: name.partition(":")[0] or name,
)


@specimen("own-index", "ISO07", "phantom", explains=NEIGHBOURS)
class OwnIndex(Reference):
    bug = "The ids of session X are kept as a message of the session 'X:ids'."

    def insert(self, session_id: str, rows: Rows) -> None:
        super().insert(session_id, rows)
        if not session_id.endswith(":ids"):
            index = ChatMessage(role="system", content=json.dumps([name for name, _ in rows]))
            super().insert(f"{session_id}:ids", encode_batch([index]))

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if not name.endswith(":ids")]


variant("base-name", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="Only the last part of a session id with slashes counts.",
    rename=lambda self, name: os.path.basename(name) or name,
)
variant("normal-path", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are normalised as paths: 'a/x/../b' is 'a/b'.",
    rename=lambda self, name: os.path.normpath(name) if name else "",
)
variant("file-stem", Renamed, "ISO08", "leaked", explains=NEIGHBOURS)(
    bug="What looks like a file extension is dropped from a session id.",
    rename=lambda self, name: re.sub(r"\.(json|jsonl|db|tmp|txt)$", "", name),
)


@specimen("file-per-session", "ISO08", "refused", explains=NEIGHBOURS)
class FilePerSession(Renamed):
    bug = "A session with a slash in its id has no folder to go to."

    def rename(self, name: str) -> str:
        if "/" in name.strip("/"):
            raise FileNotFoundError(name)
        return name


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
    rename=lambda self, name: re.sub("['\"`;]", "", name),
)
variant("template", Renamed, "ISO09", "refused", explains=NEIGHBOURS)(
    bug="The session id goes through str.format with the store's key.",
    rename=lambda self, name: name.format(session_id="x"),
)
variant("percent-decoded", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are decoded like the query of a URL.",
    rename=lambda self, name: unquote_plus(name, errors="surrogateescape"),
)
variant("html-decoded", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="HTML entities in session ids are decoded.", rename=lambda self, name: html.unescape(name)
)
variant("quotes-peeled", Renamed, "ISO10", "leaked", explains=NEIGHBOURS)(
    bug="Quotes around a session id are removed.",
    rename=lambda self, name: name.strip("'\"") or name,
)


@specimen("integer-ids", "ISO11", "leaked", explains=NEIGHBOURS)
class IntegerIds(Renamed):
    bug = "Session ids that Python reads as integers are kept as integers."

    def rename(self, name: str) -> str:
        try:
            return str(int(name))
        except ValueError:
            return name


variant("numeric-column", Renamed, "ISO11", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are kept in a numeric column: '1e0' is 1.",
    rename=lambda self, name: (
        repr(float(name))
        if re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", name, re.ASCII)
        else name
    ),
)
variant("uuid-ids", Renamed, "ISO11", "leaked", explains=NEIGHBOURS)(
    bug="Session ids that are UUIDs lose their dashes.",
    rename=lambda self, name: name.replace("-", "") if len(name) == 36 else name,
)
variant("null-words", Renamed, "ISO12", "leaked", explains=NEIGHBOURS)(
    bug="Several words for nothing are one session.",
    rename=lambda self, name: "null" if name.lower() in {"null", "none", "nil", ""} else name,
)
variant("default-session", Renamed, "ISO12", "leaked", explains=NEIGHBOURS)(
    bug="An empty session id is the session 'default'.", rename=lambda self, name: name or "default"
)


@specimen("reserved-word", "ISO12", "refused", explains=NEIGHBOURS)
class ReservedWord(Renamed):
    bug = "The session id 'default' is reserved for the store, and refused."

    def rename(self, name: str) -> str:
        if name == "default":
            raise ValueError("reserved")
        return name


variant("cut-at-64", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are cut after 64 characters.", rename=lambda self, name: name[:64]
)
variant("cut-at-1024", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Session ids are cut after 1,024 characters.", rename=lambda self, name: name[:1024]
)
variant("last-40", Renamed, "ISO13", "leaked", explains=NEIGHBOURS)(
    bug="Only the last 40 characters of a session id count.", rename=lambda self, name: name[-40:]
)
variant("c-string", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Session ids end at the first NUL.", rename=lambda self, name: name.partition("\0")[0]
)
variant("session-surrogates-replaced", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Lone surrogates in a session id become question marks.",
    rename=lambda self, name: name.encode("utf-8", "replace").decode(),
)
variant("no-control-characters", Renamed, "ISO14", "leaked", explains=NEIGHBOURS)(
    bug="Control characters are dropped from session ids.",
    rename=lambda self, name: re.sub("[\x01-\x08\x0e-\x1f\x7f]", "", name),
)


@specimen("empty-id-ignored", "ISO14", "swallowed", explains=NEIGHBOURS)
class EmptyIdIgnored(Reference):
    bug = "Messages of a session with an empty id are acknowledged and dropped."

    def insert(self, session_id: str, rows: Rows) -> None:
        if session_id:
            super().insert(session_id, rows)


variant("eight-hex-digits", Renamed, "ISO16", "leaked", explains=NEIGHBOURS)(
    bug="Sessions are filed under eight hex digits of a hash.",
    rename=lambda self, name: hashlib.sha256(Reference.key(self, name)).hexdigest()[:8],
)
variant("checksum", Renamed, "ISO16", "leaked", explains=NEIGHBOURS)(
    bug="Sessions are filed under the CRC-32 of their ids.",
    rename=lambda self, name: str(zlib.crc32(Reference.key(self, name))),
)

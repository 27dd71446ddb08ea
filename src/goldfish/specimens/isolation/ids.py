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
from goldfish.specimens import specimen
from goldfish.specimens.references.sqlite import Reference

NEIGHBOURS = ("CLR", "TRM", "TTL")  # families that look at a session beside another


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


@specimen("prefix-match", caught_by="ISO02", finding="leaked", explains=NEIGHBOURS)
class PrefixMatch(Matched):
    """Session ids are matched by prefix."""

    def matches(self, asked: str, there: str) -> bool:
        return there.startswith(asked)


@specimen("suffix-match", caught_by="ISO02", finding="leaked", explains=NEIGHBOURS)
class SuffixMatch(Matched):
    """Session ids are matched by their end, as in keys with a prefix of the application."""

    def matches(self, asked: str, there: str) -> bool:
        return there.endswith(asked)


@specimen("substring-match", caught_by="ISO02", finding="leaked", explains=NEIGHBOURS)
class SubstringMatch(Matched):
    """A session is found wherever its id is part of another."""

    def matches(self, asked: str, there: str) -> bool:
        return asked in there


@specimen("glued-keys", caught_by="ISO02", finding="lost", explains=("TRM", "CLR", "DUR"))
class GluedKeys(Reference):
    """A message is filed under id and number without anything between: 'user-1' + '10'."""

    def __init__(self, sandbox: Any, *, ttl: float | None = None) -> None:
        super().__init__(sandbox, ttl=ttl)
        self.files: dict[str, str] = {}

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        query = "SELECT COUNT(*) FROM messages WHERE session = ?"
        (there,) = self.db.execute(query, (self.key(session_id),)).fetchone()
        for number, row in enumerate(rows, there):
            if self.files.setdefault(f"{session_id}{number}", session_id) == session_id:
                super().insert(session_id, [row])


@specimen("lower-case", caught_by="ISO03", finding="leaked", explains=NEIGHBOURS)
class LowerCase(Renamed):
    """Session ids are lower-cased."""

    def rename(self, session_id: str) -> str:
        return session_id.lower()


@specimen("case-folded", caught_by="ISO03", finding="leaked", explains=NEIGHBOURS)
class CaseFolded(Renamed):
    """Session ids are case-folded, but for ASCII, so that only other scripts suffer."""

    def rename(self, session_id: str) -> str:
        return session_id if session_id.isascii() else session_id.casefold()


@specimen("sql-nocase", caught_by="ISO03", finding="leaked", explains=NEIGHBOURS)
class SqlNocase(Matched):
    """Session ids are compared by LIKE, which ignores the case of ASCII letters."""

    def matches(self, asked: str, there: str) -> bool:
        return re.fullmatch(re.escape(asked), there, re.IGNORECASE | re.ASCII) is not None


@specimen("session-stripped", caught_by="ISO04", finding="leaked", explains=NEIGHBOURS)
class Stripped(Renamed):
    """White space around a session id is dropped."""

    def rename(self, session_id: str) -> str:
        return session_id.strip()


@specimen("padded", caught_by="ISO04", finding="leaked", explains=NEIGHBOURS)
class Padded(Renamed):
    """Trailing blanks of a session id do not count, as in SQL's CHAR columns."""

    def rename(self, session_id: str) -> str:
        return session_id.rstrip(" ")


@specimen("single-spaced", caught_by="ISO04", finding="leaked", explains=NEIGHBOURS)
class SingleSpaced(Renamed):
    """White space in a session id is collapsed to one blank."""

    def rename(self, session_id: str) -> str:
        return re.sub(r"\s+", " ", session_id)


@specimen("nfc", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class Nfc(Renamed):
    """Session ids are normalised to NFC."""

    def rename(self, session_id: str) -> str:
        return unicodedata.normalize("NFC", session_id)


@specimen("nfkc", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class Nfkc(Renamed):
    """Session ids are normalised to NFKC, which unfolds ligatures and wide letters."""

    def rename(self, session_id: str) -> str:
        return unicodedata.normalize("NFKC", session_id)


@specimen("ascii-only", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class AsciiOnly(Renamed):
    """Characters beyond ASCII are left out of a session id."""

    def rename(self, session_id: str) -> str:
        return session_id.encode("ascii", "ignore").decode()


@specimen("latin-1", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class Latin1(Renamed):
    """Characters beyond Latin-1 become question marks in a session id."""

    def rename(self, session_id: str) -> str:
        return session_id.encode("latin-1", "replace").decode("latin-1")


@specimen("session-three-byte-utf8", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class ThreeByteUtf8(Renamed):
    """Characters of four bytes, such as emoji, become question marks in a session id."""

    def rename(self, session_id: str) -> str:
        return re.sub("[\U00010000-\U0010ffff]", "?", session_id)


@specimen("unaccented", caught_by="ISO05", finding="leaked", explains=NEIGHBOURS)
class Unaccented(Renamed):
    """Accents are dropped from session ids."""

    def rename(self, session_id: str) -> str:
        apart = unicodedata.normalize("NFD", session_id)
        return "".join(each for each in apart if not unicodedata.combining(each))


@specimen("refuses-non-ascii", caught_by="ISO05", finding="refused", explains=NEIGHBOURS)
class RefusesNonAscii(Renamed):
    """Session ids that are not ASCII are an error."""

    def rename(self, session_id: str) -> str:
        return session_id.encode("ascii").decode()


@specimen("like-pattern", caught_by="ISO06", finding="leaked", explains=NEIGHBOURS)
class LikePattern(Matched):
    """Session ids are compared by LIKE, so that _ and % match anything."""

    def matches(self, asked: str, there: str) -> bool:
        parts = (".*" if each == "%" else "." if each == "_" else re.escape(each) for each in asked)
        return re.fullmatch("".join(parts), there, re.DOTALL) is not None


@specimen("glob-pattern", caught_by="ISO06", finding="leaked", explains=NEIGHBOURS)
class GlobPattern(Matched):
    """Session ids are found by a glob, as with KEYS in Redis."""

    def matches(self, asked: str, there: str) -> bool:
        return asked == there or fnmatch.fnmatchcase(there, asked)


@specimen("regular-expression", caught_by="ISO06", finding="leaked", explains=NEIGHBOURS)
class RegularExpression(Matched):
    """Session ids are taken for regular expressions where they are valid ones."""

    def matches(self, asked: str, there: str) -> bool:
        try:
            return asked == there or re.fullmatch(asked, there) is not None
        except re.error:
            return False


@specimen("unknown-wildcard", caught_by="ISO06", finding="leaked", explains=NEIGHBOURS)
class UnknownWildcard(Matched):
    """The session '*' is everybody's."""

    def matches(self, asked: str, there: str) -> bool:
        return asked in {"*", there}


@specimen("slugged", caught_by="ISO07", finding="leaked", explains=NEIGHBOURS)
class Slugged(Renamed):
    """What is no letter, digit, dot or dash becomes '_' in a session id."""

    def rename(self, session_id: str) -> str:
        return re.sub(r"[^\w.-]", "_", session_id)


@specimen("first-part", caught_by="ISO07", finding="leaked", explains=NEIGHBOURS)
class FirstPart(Renamed):
    """The session id ends at its first colon, where the store's own keys go on."""

    def rename(self, session_id: str) -> str:
        return session_id.partition(":")[0] or session_id


@specimen("own-index", caught_by="ISO07", finding="phantom", explains=NEIGHBOURS)
class OwnIndex(Reference):
    """The ids of session X are kept as a message of the session 'X:ids'."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        super().insert(session_id, rows)
        if not session_id.endswith(":ids"):
            index = ChatMessage(role="system", content=json.dumps([name for name, _ in rows]))
            super().insert(f"{session_id}:ids", encode_batch([index]))

    def list_sessions(self) -> list[str]:
        return [name for name in super().list_sessions() if not name.endswith(":ids")]


@specimen("base-name", caught_by="ISO08", finding="leaked", explains=NEIGHBOURS)
class BaseName(Renamed):
    """Only the last part of a session id with slashes counts."""

    def rename(self, session_id: str) -> str:
        return os.path.basename(session_id) or session_id


@specimen("normal-path", caught_by="ISO08", finding="leaked", explains=NEIGHBOURS)
class NormalPath(Renamed):
    """Session ids are normalised as paths: 'a/x/../b' is 'a/b'."""

    def rename(self, session_id: str) -> str:
        return os.path.normpath(session_id) if session_id else ""


@specimen("file-stem", caught_by="ISO08", finding="leaked", explains=NEIGHBOURS)
class FileStem(Renamed):
    """What looks like an extension is dropped from a session id."""

    def rename(self, session_id: str) -> str:
        return re.sub(r"\.(json|jsonl|db|tmp|txt)$", "", session_id)


@specimen("file-per-session", caught_by="ISO08", finding="refused", explains=NEIGHBOURS)
class FilePerSession(Renamed):
    """A session with a slash in its id has no folder to go to."""

    def rename(self, session_id: str) -> str:
        if "/" in session_id.strip("/"):
            raise FileNotFoundError(session_id)
        return session_id


@specimen("quoted-by-hand", caught_by="ISO09", finding="refused", explains=NEIGHBOURS)
class QuotedByHand(Reference):
    """The session id is written into the SQL between quotes."""

    def bodies(self, session_id: str) -> list[str]:
        known = f"session = CAST('{session_id}' AS BLOB)"  # the bug
        if "\0" in session_id or not session_id.isprintable() or self.expired(session_id):
            return super().bodies(session_id)
        query = f"SELECT body FROM messages WHERE {known} ORDER BY n"
        return [body for (body,) in self.db.execute(query)]


@specimen("quotes-dropped", caught_by="ISO09", finding="leaked", explains=NEIGHBOURS)
class QuotesDropped(Renamed):
    """Quotes are dropped from session ids, out of fear of SQL."""

    def rename(self, session_id: str) -> str:
        return re.sub("['\"`;]", "", session_id)


@specimen("template", caught_by="ISO09", finding="refused", explains=NEIGHBOURS)
class Template(Renamed):
    """The session id goes through str.format with the key of the store."""

    def rename(self, session_id: str) -> str:
        return session_id.format(session_id="x")


@specimen("percent-decoded", caught_by="ISO10", finding="leaked", explains=NEIGHBOURS)
class PercentDecoded(Renamed):
    """Session ids are decoded as in the query of a URL."""

    def rename(self, session_id: str) -> str:
        return unquote_plus(session_id, errors="surrogateescape")


@specimen("html-decoded", caught_by="ISO10", finding="leaked", explains=NEIGHBOURS)
class HtmlDecoded(Renamed):
    """HTML entities in session ids are decoded."""

    def rename(self, session_id: str) -> str:
        return html.unescape(session_id)


@specimen("quotes-peeled", caught_by="ISO10", finding="leaked", explains=NEIGHBOURS)
class QuotesPeeled(Renamed):
    """Quotes around a session id are peeled off."""

    def rename(self, session_id: str) -> str:
        return session_id.strip("'\"") or session_id


@specimen("integer-ids", caught_by="ISO11", finding="leaked", explains=NEIGHBOURS)
class IntegerIds(Renamed):
    """Session ids that are integers to Python are kept as integers."""

    def rename(self, session_id: str) -> str:
        try:
            return str(int(session_id))
        except ValueError:
            return session_id


@specimen("numeric-column", caught_by="ISO11", finding="leaked", explains=NEIGHBOURS)
class NumericColumn(Renamed):
    """Session ids are kept in a column of numeric affinity: '1e0' is 1."""

    def rename(self, session_id: str) -> str:
        numeric = re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", session_id, re.ASCII)
        return repr(float(session_id)) if numeric else session_id


@specimen("uuid-ids", caught_by="ISO11", finding="leaked", explains=NEIGHBOURS)
class UuidIds(Renamed):
    """Session ids that are UUIDs lose their dashes."""

    def rename(self, session_id: str) -> str:
        return session_id.replace("-", "") if len(session_id) == 36 else session_id


@specimen("null-words", caught_by="ISO12", finding="leaked", explains=NEIGHBOURS)
class NullWords(Renamed):
    """Several words for nothing are one session."""

    def rename(self, session_id: str) -> str:
        return "null" if session_id.lower() in {"null", "none", "nil", ""} else session_id


@specimen("default-session", caught_by="ISO12", finding="leaked", explains=NEIGHBOURS)
class DefaultSession(Renamed):
    """An empty session id is the session 'default'."""

    def rename(self, session_id: str) -> str:
        return session_id or "default"


@specimen("reserved-word", caught_by="ISO12", finding="refused", explains=NEIGHBOURS)
class ReservedWord(Renamed):
    """The session id 'default' is the store's own, and refused."""

    def rename(self, session_id: str) -> str:
        if session_id == "default":
            raise ValueError("reserved")
        return session_id


@specimen("cut-at-64", caught_by="ISO13", finding="leaked", explains=NEIGHBOURS)
class CutAt64(Renamed):
    """Session ids are cut after 64 characters."""

    def rename(self, session_id: str) -> str:
        return session_id[:64]


@specimen("cut-at-1024", caught_by="ISO13", finding="leaked", explains=NEIGHBOURS)
class CutAt1024(Renamed):
    """Session ids are cut after 1,024 characters."""

    def rename(self, session_id: str) -> str:
        return session_id[:1024]


@specimen("last-40", caught_by="ISO13", finding="leaked", explains=NEIGHBOURS)
class Last40(Renamed):
    """Only the last 40 characters of a session id count."""

    def rename(self, session_id: str) -> str:
        return session_id[-40:]


@specimen("c-string", caught_by="ISO14", finding="leaked", explains=NEIGHBOURS)
class CString(Renamed):
    """Session ids end at the first NUL."""

    def rename(self, session_id: str) -> str:
        return session_id.partition("\0")[0]


@specimen("session-surrogates-replaced", caught_by="ISO14", finding="leaked", explains=NEIGHBOURS)
class SurrogatesReplaced(Renamed):
    """Lone surrogates in a session id become question marks."""

    def rename(self, session_id: str) -> str:
        return session_id.encode("utf-8", "replace").decode()


@specimen("no-control-characters", caught_by="ISO14", finding="leaked", explains=NEIGHBOURS)
class NoControlCharacters(Renamed):
    """Control characters are left out of session ids."""

    def rename(self, session_id: str) -> str:
        return re.sub("[\x01-\x08\x0e-\x1f\x7f]", "", session_id)


@specimen("empty-id-ignored", caught_by="ISO14", finding="swallowed", explains=NEIGHBOURS)
class EmptyIdIgnored(Reference):
    """Messages of a session with an empty id are acknowledged and dropped."""

    def insert(self, session_id: str, rows: Sequence[tuple[str, str]]) -> None:
        if session_id:
            super().insert(session_id, rows)


@specimen("eight-hex-digits", caught_by="ISO16", finding="leaked", explains=NEIGHBOURS)
class EightHexDigits(Renamed):
    """Sessions are filed under eight hex digits of a digest."""

    def rename(self, session_id: str) -> str:
        return hashlib.sha256(Reference.key(self, session_id)).hexdigest()[:8]


@specimen("checksum", caught_by="ISO16", finding="leaked", explains=NEIGHBOURS)
class Checksum(Renamed):
    """Sessions are filed under the CRC-32 of their ids."""

    def rename(self, session_id: str) -> str:
        return str(zlib.crc32(Reference.key(self, session_id)))

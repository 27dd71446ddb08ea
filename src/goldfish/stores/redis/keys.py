"""The names of a store's keys in Redis: ids to keys, and back."""

from urllib.parse import quote, unquote_to_bytes

from goldfish.stores import arguments
from goldfish.stores.redis.scripts.parts import NAMES, PLAIN_NAMES

SESSION, USER = b"s", b"u"  # the kinds of owners that keys have


class RedisKeys:
    """The keys under one prefix.

    The id of the owner is the hash tag, so a cluster keeps the owner's keys together. Inside the
    tag only the characters that would end or unsettle it are escaped; the kind before the id makes
    the tag of an empty id not empty, for an empty tag counts as none.
    """

    def __init__(self, prefix: str) -> None:
        if not arguments.require_text(prefix, "prefix") or "{" in prefix or "}" in prefix:
            raise ValueError("prefix must be text without braces, and not empty")
        self.prefix = as_bytes(prefix)
        self.layout = self.prefix + b":layout"

    def of_session(self, session_id: str) -> tuple[bytes, ...]:
        """Return all keys that a session may have."""
        tag = self._tag(SESSION, session_id)
        return tuple(tag + name for name in NAMES)

    def plain(self, session_id: str) -> tuple[bytes, ...]:
        """Return the keys that a plain script looks at."""
        tag = self._tag(SESSION, session_id)
        return tuple([tag + name for name in PLAIN_NAMES])

    def one(self, session_id: str, name: bytes) -> bytes:
        """Return one key of a session."""
        return self._tag(SESSION, session_id) + name

    def of_user(self, user_id: str, names: tuple[bytes, ...]) -> tuple[bytes, ...]:
        """Return the keys of these names of a user."""
        tag = self._tag(USER, user_id)
        return tuple(tag + name for name in names)

    def kind(self, key: bytes) -> bytes:
        """Return the kind of owner of a key: SESSION or USER."""
        return key[len(self.prefix) + len(":{") :][:1]

    def owner(self, key: bytes) -> tuple[str, bytes]:
        """Return the id of the session or user that a key belongs to, and the name of the key."""
        tag, _, name = key.rpartition(b":")
        escaped = tag[len(self.prefix) + len(":{s") : -1]
        return unquote_to_bytes(escaped).decode("utf-8", "surrogatepass"), name

    def pattern(self, kind: bytes, name: str, begins: str = "") -> bytes:
        """Return the pattern for SCAN of keys of this name, of owners whose id begins so."""
        start = _escape_glob(b"%b:{%b%b" % (self.prefix, kind, _escape(begins)))
        return start + b"*}:" + name.encode()

    def marks(self) -> bytes:
        """Return the pattern for SCAN of the keys ``parts`` and ``meta``."""
        return _escape_glob(self.prefix) + b":{*}:[pm][ae][rt][ta]*"

    def _tag(self, kind: bytes, owner: str) -> bytes:
        return b"%b:{%b%b}:" % (self.prefix, kind, _escape(owner))


def as_bytes(text: str | bytes) -> bytes:
    """Return the text as Redis keeps it: every string of Python has bytes of its own."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def as_text(answer: str | bytes) -> str:
    """Return an answer as text; a client may have decoded it already."""
    return answer if isinstance(answer, str) else answer.decode("utf-8", "surrogatepass")


def _escape(owner: str) -> bytes:
    if owner.isascii() and not ("{" in owner or "}" in owner or "%" in owner):
        return owner.encode()
    return "".join(map(_escape_character, owner)).encode()


def _escape_character(character: str) -> str:
    if character in "{}%" or "\ud800" <= character <= "\udfff":
        return quote(character, safe="", errors="surrogatepass")
    return character


def _escape_glob(text: bytes) -> bytes:
    return b"".join(b"\\" + bytes([c]) if chr(c) in "*?[]\\^-" else bytes([c]) for c in text)

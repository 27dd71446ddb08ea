"""Credentials in a text of any kind, found by how addresses are built, and blotted out.

People paste passwords as they are: with ``@``, ``/``, quotes, spaces and line breaks, and access
tokens of thousands of characters. So no pattern has a bound, and in doubt more is blotted out, not
less. Everything is read once from left to right: a hostile text costs as much as any other.
"""

import re
from collections.abc import Callable, Iterable, Iterator

BLOT = "***"
SHORTEST_KNOWN = 4  # a shorter password would be found in the middle of words

Span = tuple[int, int]

_SPACE = re.compile(r"\s")
_URL_SIGNS = re.compile(r"[/?#@:\[\]\s]")  # at which a parser cuts a password that has them
_AFTER_AUTHORITY = re.compile(r"[/?#\s]")
_BEGINS_AS_ADDRESS = re.compile(r"(?!https?:)[a-z][\w+.-]*://", re.IGNORECASE)
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
_PUNCTUATION = "'\"`)]}>.,;:…"
_IN_NAMES = ("pass", "pw", "secret", "token", "credential", "sig", "authorization", "key")
_NAMED = re.compile(
    r"""(?:password|passwd|passphrase|pwd|secret|token|credentials?|signature|authorization
    |(?:access|account|api|private|secret|shared)[_-]?key|(?<![a-z])(?:pass|pw|sig))\d*
    (?P<quote>\\*["'])?\s*(?P<sign>=+>?|:)\s*""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_OPENING = re.compile(r"[bru]{0,2}(?P<escapes>\\*)(?P<quote>[\"'])", re.IGNORECASE)
_CLOSING = {mark: re.compile(rf"(?<!\\)(\\*){mark}(?=[\s,;&)\]}}>'\"\\]|$)") for mark in ("'", '"')}
_BLOTTED = re.compile(r"\*\*\*(?=[\s&,)\]}>'\"]|$)")
_IN_QUERY = re.compile(r"[^\s&]*")
_IN_CONNECTION_STRING = re.compile(r"(?:\\.|[^\s\\])*", re.DOTALL)
_IN_DICT = re.compile(r"(?!None|null)[^\s,}\]]*")
_IN_HEADER = re.compile(r"[^\r\n]*")


def mask(text: str, *addresses: str) -> str:
    """The text with the credentials of every URL, connection string and dict in it blotted out.

    What the addresses hold as a secret is blotted out wherever it stands, however it is written.
    """
    for secret in sorted(_forms(addresses), key=len, reverse=True) if addresses else ():
        text = text.replace(secret, BLOT)
    return _blotted(_blotted(text, _user_infos), _named_values)


def secrets_in(address: str) -> list[str]:
    """The passwords and tokens that a URL or a connection string carries, as they are written."""
    infos = [address[start:end] for start, end in _user_infos(address)]
    found = [info.partition(":")[2] if ":" in info else info for info in infos]
    return found + [address[start:end] for start, end in _named_values(address)]


def _forms(addresses: Iterable[str]) -> set[str]:
    """Every way in which a driver may write the secrets of the addresses."""
    from urllib.parse import quote, unquote, unquote_plus  # not for a command that has no address

    plain: set[str] = set()
    for secret in (each for address in addresses for each in secrets_in(address)):
        bare = re.sub(r"\\(.)", r"\1", secret.strip("'\""), flags=re.DOTALL)
        plain |= {secret, bare, unquote(bare), unquote_plus(bare), *_URL_SIGNS.split(secret)}
    forms = {form for each in plain for form in (each, repr(each)[1:-1], quote(each, safe=""))}
    return {each for each in forms if len(each) >= SHORTEST_KNOWN and each != BLOT}


def _blotted(text: str, find: Callable[[str], Iterator[Span]]) -> str:
    kept, done = [], 0
    for start, end in find(text):
        kept += [text[done:start], BLOT]
        done = end
    return "".join([*kept, text[done:]])


def _user_infos(text: str) -> Iterator[Span]:
    """Where the user and password of each URL are."""
    last = text.rfind("@")
    first = _leading_user_info(text)
    if first is not None:
        yield first
    place = text.find("://", first[1] if first else 0)
    while -1 < place < last:
        space = _SPACE.search(text, place)
        end = space.start() if space else len(text)
        found = _user_info(text, place, end, last)
        if found is not None:
            yield found
            end = max(end, found[1])
        place = text.find("://", end)


def _leading_user_info(text: str) -> Span | None:
    """Where the credentials are if the text begins as an address, whatever is in them."""
    begins = _BEGINS_AS_ADDRESS.match(text)
    if begins is None or text.startswith(("/", "?", BLOT + "@"), begins.end()):
        return None
    start, following = begins.end(), text.find("://", begins.end())
    at = text.rfind("@", start, following if following != -1 else len(text))
    return (start, at) if at != -1 else None


def _user_info(text: str, place: int, end: int, last: int) -> Span | None:
    """Where the credentials are in a run of characters without spaces, or beyond it.

    They end at the last ``@`` of the run, for the password may have one. If there is none, a
    password goes on after the space, unless what looked like one is a port.
    """
    at = text.rfind("@", place, end)
    while -1 < place < end:
        start = place + 3
        after = _AFTER_AUTHORITY.search(text, start)
        head = text[start : after.start() if after else len(text)]
        if at < start:
            if _has_password_begun(head):
                return start, last
        elif "@" in head or ":" in head or (head and not _is_web(text, place)):
            return start, at
        place = text.find("://", start + len(head), end)
    return None


def _is_web(text: str, place: int) -> bool:
    """Whether an ``@`` after the host may be part of a path, as in the names of authors."""
    return text[max(0, place - 5) : place].lower().endswith(("http", "https"))


def _has_password_begun(head: str) -> bool:
    """Whether what stands where hosts and their ports should be is a user and a password."""
    if head.endswith(":") and head.count(":") == 1:  # a space is the first of its characters
        return True
    return not all(map(_HOST.fullmatch, head.rstrip(_PUNCTUATION).split(",")))


def _named_values(text: str) -> Iterator[Span]:
    """Where the values are that follow a name like ``password``."""
    lowered = text.lower()
    if not any(each in lowered for each in _IN_NAMES):  # much faster than the pattern
        return
    done = 0
    for found in _NAMED.finditer(text):
        if found.start() < done:
            continue
        value = _value(text, found)
        if value is not None:
            yield value
            done = value[1]


def _value(text: str, name: re.Match[str]) -> Span | None:
    """Where the value of a name begins and ends; None if the name is only a word."""
    start = name.end()
    if _BLOTTED.match(text, start):
        return None
    is_header = name[0].lower().startswith("authorization")
    if name["sign"] == ":" and not name["quote"] and not is_header:
        return None
    opening = _OPENING.match(text, start)
    if opening is not None:
        return start, _closed(text, opening)
    if name["sign"] != ":":
        is_query = _begins_in_query(text, name.start())
        pattern = _IN_QUERY if is_query else _IN_CONNECTION_STRING
    else:
        pattern = _IN_DICT if name["quote"] else _IN_HEADER
    value = pattern.match(text, start)
    return value.span() if value is not None and value[0] else None


def _begins_in_query(text: str, place: int) -> bool:
    """Whether the name that goes on at the place is one of a URL's query."""
    while place and (text[place - 1].isalnum() or text[place - 1] in "_.-"):
        place -= 1
    return place > 0 and text[place - 1] in "?&"


def _closed(text: str, opening: re.Match[str]) -> int:
    """Where a quoted value ends: at the same quote, as often escaped, with nothing after it."""
    escapes = len(opening["escapes"])
    for found in _CLOSING[opening["quote"]].finditer(text, opening.end()):
        there = len(found[1])
        if there == escapes if escapes else there % 2 == 0:
            return found.end()
    return len(text)

"""Replace credentials in any text with ``***``, by the syntax of addresses.

People paste passwords as they are: with ``@``, ``/``, quotes, spaces and line breaks, and access
tokens of thousands of characters. So no pattern has a bound, and in doubt more is masked, not less.
The text is read once from left to right: a hostile text costs as much as any other.
"""

import re
from collections.abc import Callable, Iterable, Iterator

MASK = "***"
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
_MASKED = re.compile(r"\*\*\*(?=[\s&,)\]}>'\"]|$)")
_IN_QUERY = re.compile(r"[^\s&]*")
_IN_CONNECTION_STRING = re.compile(r"(?:\\.|[^\s\\])*", re.DOTALL)
_IN_DICT = re.compile(r"(?!None|null)[^\s,}\]]*")
_IN_HEADER = re.compile(r"[^\r\n]*")


def mask(text: str, *addresses: str) -> str:
    """Return the text with the credentials of every URL, connection string and dict masked.

    The secrets of the given addresses are masked wherever they stand, however they are written.
    """
    for secret in sorted(_spell_secrets(addresses), key=len, reverse=True) if addresses else ():
        text = text.replace(secret, MASK)
    return _replace_spans(_replace_spans(text, _find_user_infos), _find_named_values)


def find_secrets(address: str) -> list[str]:
    """Return the passwords and tokens of a URL or a connection string, as they are written."""
    infos = [address[start:end] for start, end in _find_user_infos(address)]
    found = [info.partition(":")[2] if ":" in info else info for info in infos]
    return found + [address[start:end] for start, end in _find_named_values(address)]


def _spell_secrets(addresses: Iterable[str]) -> set[str]:
    """Return every way in which a driver may write the secrets of the addresses."""
    from urllib.parse import quote, unquote, unquote_plus  # not for a command that has no address

    plain: set[str] = set()
    for secret in (each for address in addresses for each in find_secrets(address)):
        bare = re.sub(r"\\(.)", r"\1", secret.strip("'\""), flags=re.DOTALL)
        plain |= {secret, bare, unquote(bare), unquote_plus(bare), *_URL_SIGNS.split(secret)}
    forms = {form for each in plain for form in (each, repr(each)[1:-1], quote(each, safe=""))}
    return {each for each in forms if len(each) >= SHORTEST_KNOWN and each != MASK}


def _replace_spans(text: str, find: Callable[[str], Iterator[Span]]) -> str:
    kept, done = [], 0
    for start, end in find(text):
        kept += [text[done:start], MASK]
        done = end
    return "".join([*kept, text[done:]])


def _find_user_infos(text: str) -> Iterator[Span]:
    """Yield where the user and password of each URL are."""
    last = text.rfind("@")
    first = _find_leading_user_info(text)
    if first is not None:
        yield first
    place = text.find("://", first[1] if first else 0)
    while -1 < place < last:
        space = _SPACE.search(text, place)
        end = space.start() if space else len(text)
        found = _find_user_info(text, place, end, last)
        if found is not None:
            yield found
            end = max(end, found[1])
        place = text.find("://", end)


def _find_leading_user_info(text: str) -> Span | None:
    """Return where the credentials are if the text begins as an address, whatever is in them."""
    begins = _BEGINS_AS_ADDRESS.match(text)
    if begins is None or text.startswith(("/", "?", MASK + "@"), begins.end()):
        return None
    start, following = begins.end(), text.find("://", begins.end())
    at = text.rfind("@", start, following if following != -1 else len(text))
    return (start, at) if at != -1 else None


def _find_user_info(text: str, place: int, end: int, last: int) -> Span | None:
    """Return where the credentials are in a run of characters without spaces, or beyond it.

    They end at the last ``@`` of the run, because the password may have one. If there is none, a
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
    """Return True if an ``@`` after the host may be part of a path, as in names of authors."""
    return text[max(0, place - 5) : place].lower().endswith(("http", "https"))


def _has_password_begun(head: str) -> bool:
    """Return True if a user and a password stand where hosts and ports should be."""
    if head.endswith(":") and head.count(":") == 1:  # a space is the first of its characters
        return True
    return not all(map(_HOST.fullmatch, head.rstrip(_PUNCTUATION).split(",")))


def _find_named_values(text: str) -> Iterator[Span]:
    """Yield where the values are that follow a name like ``password``."""
    lowered = text.lower()
    if not any(each in lowered for each in _IN_NAMES):  # much faster than the pattern
        return
    done = 0
    for found in _NAMED.finditer(text):
        if found.start() < done:
            continue
        value = _find_value(text, found)
        if value is not None:
            yield value
            done = value[1]


def _find_value(text: str, name: re.Match[str]) -> Span | None:
    """Return where the value of a name begins and ends; None if the name is only a word."""
    start = name.end()
    if _MASKED.match(text, start):
        return None
    is_header = name[0].lower().startswith("authorization")
    if name["sign"] == ":" and not name["quote"] and not is_header:
        return None
    opening = _OPENING.match(text, start)
    if opening is not None:
        return start, _find_closing_quote(text, opening)
    if name["sign"] != ":":
        is_query = _is_in_query(text, name.start())
        pattern = _IN_QUERY if is_query else _IN_CONNECTION_STRING
    else:
        pattern = _IN_DICT if name["quote"] else _IN_HEADER
    value = pattern.match(text, start)
    return value.span() if value is not None and value[0] else None


def _is_in_query(text: str, place: int) -> bool:
    """Return True if the name around this place belongs to the query of a URL."""
    while place and (text[place - 1].isalnum() or text[place - 1] in "_.-"):
        place -= 1
    return place > 0 and text[place - 1] in "?&"


def _find_closing_quote(text: str, opening: re.Match[str]) -> int:
    """Return where a quoted value ends: at the same quote, as often escaped, before a delimiter."""
    escapes = len(opening["escapes"])
    for found in _CLOSING[opening["quote"]].finditer(text, opening.end()):
        there = len(found[1])
        if there == escapes if escapes else there % 2 == 0:
            return found.end()
    return len(text)

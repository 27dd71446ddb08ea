"""Plain text in Markdown: nothing in it is taken for markup."""

import re

_MARKUP = re.compile(r"([\\*_\[\]<>#|~^$!&])")
_CODE = re.compile(r"``(.+?)``|`(.+?)`")


def escaped(text: str) -> str:
    """The text as it is, but for what is in backticks, which is code."""
    parts, done = [], 0
    for match in _CODE.finditer(text):
        parts += [_plain(text[done : match.start()]), f"`{match[1] or match[2]}`"]
        done = match.end()
    return "".join([*parts, _plain(text[done:])])


def _plain(text: str) -> str:
    return _MARKUP.sub(lambda match: f"&#{ord(match[1])};", text)

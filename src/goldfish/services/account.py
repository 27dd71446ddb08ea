"""The unprivileged account for servers that refuse to run as root, and the files it can reach."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from goldfish.errors import ServiceError

NOBODY = 65534

_MEMORY = Path("/dev/shm")  # files in memory, on Linux
_ROOM_IN_MEMORY = 2**31  # containers often have no more than 64 MB there


def is_root() -> bool:
    """Return True if this process runs as root, so that a server must run as somebody else."""
    return os.geteuid() == 0


def unprivileged_options() -> dict[str, Any]:
    """Return options for subprocess that start a program as nobody if we are root."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if is_root() else {}


def is_reachable(path: Path) -> bool:
    """Return True if any account can read and enter this path through all its parents."""
    path = path.resolve()
    return _allows(path, 0o005) and all(_allows(parent, 0o001) for parent in path.parents)


def make_private_directory(*, in_memory: bool = False) -> Path:
    """Make a directory that the unprivileged account can pass through but not list."""
    parent = _MEMORY if in_memory and _has_memory_for_files() else temporary_directory()
    directory = Path(tempfile.mkdtemp(prefix="goldfish-", dir=parent))
    directory.chmod(0o711 if is_root() else 0o700)
    return directory


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner may read."""
    with open(path, "x", opener=open_private) as file:
        file.write(text)


def open_private(path: str, flags: int) -> int:
    """Open a file for ``open``; only its owner may read it if it is new."""
    return os.open(path, flags, 0o600)


def temporary_directory() -> Path:
    """Return the directory for temporary files; as root, one that any account can reach."""
    usual = Path(tempfile.gettempdir())
    if not is_root():
        return usual
    for candidate in (usual, Path("/tmp"), Path("/var/tmp")):
        if candidate.is_dir() and all(_allows(each, 0o001) for each in _with_parents(candidate)):
            return candidate
    raise ServiceError(f"nobody (uid {NOBODY}) cannot reach {usual}: set TMPDIR to another place")


def hand_over(tree: Path) -> None:
    """As root, give a directory tree to the unprivileged account; otherwise do nothing."""
    if is_root():
        for each in (tree, *tree.rglob("*")):
            os.chown(each, NOBODY, NOBODY, follow_symlinks=False)


def open_to_all(tree: Path) -> None:
    """Let every account read a directory tree, and run or enter what its owner can."""
    for each in (tree, *tree.rglob("*")):
        if not each.is_symlink():
            mode = each.stat().st_mode
            each.chmod(mode | 0o444 | (0o111 if mode & 0o100 else 0))


def _has_memory_for_files() -> bool:
    # A directory that the user names is used.
    if "TMPDIR" in os.environ or not os.access(_MEMORY, os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(_MEMORY).free >= _ROOM_IN_MEMORY


def _with_parents(path: Path) -> tuple[Path, ...]:
    resolved = path.resolve()
    return (resolved, *resolved.parents)


def _allows(path: Path, bits: int) -> bool:
    try:
        return path.stat().st_mode & bits == bits
    except OSError:
        return False

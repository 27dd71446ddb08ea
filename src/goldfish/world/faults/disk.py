"""Faults of files: a full disk, a read-only one, a foreign lock, missing bytes.

``limit_file_size`` and ``unlimit`` are called inside the process that writes.
"""

import os
import random
import stat
import tempfile
from pathlib import Path

from goldfish.errors import NotPossibleError
from goldfish.world.faults.fault import Fault, Ledger
from goldfish.world.faults.file_lock import FileLock
from goldfish.world.faults.file_size import (
    limit_file_size,
    limit_file_size_of,
    restore_file_size_of,
    unlimit,
)

__all__ = ["DiskFaults", "full_disk", "limit_file_size", "unlimit"]


class DiskFaults:
    """Faults of files; each begins at its call and ends with heal()."""

    def __init__(self, ledger: Ledger | None = None) -> None:
        self._ledger = ledger or Ledger()

    def full(self, pid: int | None = None, allowance: int = 0) -> Fault:
        """No file of a process, or of this one, can be written beyond so many bytes (EFBIG).

        Another process can be limited on Linux only, and must ignore SIGXFSZ, as every Python
        does from its start; elsewhere call limit_file_size() inside it.

        Expected of a store: a write raises and leaves nothing half-written, reads go on;
        afterwards writes work.
        """
        if pid is None or pid == os.getpid():
            pid, before = os.getpid(), limit_file_size(allowance)
        else:
            before = limit_file_size_of(pid, allowance)
        return self._ledger.note(
            f"the disk is full for process {pid}", lambda: restore_file_size_of(pid, before)
        )

    def read_only_directory(self, path: Path | str) -> Fault:
        """A directory and everything in it loses its write permission; NotPossibleError for root.

        A file that is open for writing already stays so.

        Expected of a store: a write, or an opening that has to write, raises; afterwards it works.
        """
        top = Path(path)
        modes = {each: stat.S_IMODE(each.lstat().st_mode) for each in (top, *_list_files(top))}
        fault = self._ledger.note(f"{top.name} is read-only", lambda: _set_modes(modes))
        try:
            _set_modes({each: mode & ~0o222 for each, mode in modes.items()})
            binds = not _is_writable(top)
        except OSError as error:
            fault.heal()
            raise NotPossibleError(
                f"{top.name} cannot be made read-only ({error.strerror}): own what is in it"
            ) from error
        if not binds:
            fault.heal()
            raise NotPossibleError(
                "permissions do not bind this user, who is probably root: run as another user"
            )
        return fault

    def locked(self, path: Path | str) -> Fault:
        """Another process holds a lock on a file: BEGIN EXCLUSIVE if it is SQLite's, else flock.

        In SQLite's WAL mode readers are not disturbed by that, only writers.

        Expected of a store: a call raises when its patience ends, and none is swallowed;
        afterwards it works.
        """
        lock = FileLock(Path(path))
        return self._ledger.note(f"{Path(path).name} is locked", lock.release)

    def truncated(
        self, path: Path | str, to_fraction: float = 0.5, *, restore: bool = True
    ) -> Fault:
        """The end of a file is missing; with ``restore``, healing brings the old bytes back.

        For a store that is closed: what it writes meanwhile is gone after healing.

        Expected of a store: it raises, or has what the rest of the file says; a damaged memory
        never looks like an empty one.
        """
        if not 0 <= to_fraction <= 1:
            raise ValueError(f"to_fraction must be from 0 to 1 (got {to_fraction})")
        original = Path(path).read_bytes()
        kept = original[: int(len(original) * to_fraction)]
        return self._replace(Path(path), original, kept, "is truncated", restore)

    def damaged(
        self,
        path: Path | str,
        seed: int = 0,
        *,
        flips: int = 16,
        spared: bytes = b"",
        restore: bool = True,
    ) -> Fault:
        """Some bytes of a file are wrong, the same ones for the same seed.

        Bytes that are among those ``spared`` stay, such as the ends of lines. ``restore``, and what
        is expected, are as for truncated().
        """
        original = Path(path).read_bytes()
        wrong = bytearray(original)
        chance = random.Random(seed)
        for place in chance.sample(range(len(wrong)), min(flips, len(wrong))):
            flip = chance.randrange(1, 256)
            if wrong[place] not in spared:
                wrong[place] ^= flip
        return self._replace(Path(path), original, bytes(wrong), "is damaged", restore)

    def _replace(self, path: Path, original: bytes, new: bytes, what: str, restore: bool) -> Fault:
        _overwrite(path, new)
        heal = (lambda: _overwrite(path, original)) if restore else None
        return self._ledger.note(f"{path.name} {what}", heal)


def full_disk(pid: int, allowance: int = 0) -> Fault:
    """No file of this process can be written beyond so many bytes: see DiskFaults.full()."""
    return DiskFaults().full(pid, allowance)


def _list_files(top: Path) -> list[Path]:
    return [each for each in top.rglob("*") if not each.is_symlink()]


def _set_modes(modes: dict[Path, int]) -> None:
    for path, mode in modes.items():
        # A file that needs no change may be somebody else's.
        if path.exists() and stat.S_IMODE(path.stat().st_mode) != mode:
            path.chmod(mode)


def _is_writable(directory: Path) -> bool:
    try:
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _overwrite(path: Path, contents: bytes) -> None:
    """Write these bytes into the existing file, which others may have open."""
    with open(path, "r+b" if path.exists() else "wb") as file:
        file.write(contents)
        file.truncate()

"""FLT: a disk that is full, read-only, locked or damaged costs errors, and no more."""

import contextlib
import itertools
import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from goldfish.catalogue.registry import OtherProcess, Reopening, check
from goldfish.catalogue.support.comparison import label_findings
from goldfish.catalogue.support.sizes import draw_size
from goldfish.catalogue.support.trials import BRIEF, FactTrial, LargeTrial, MessageTrial, Trial
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.crash import CrashViolation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Client, Memory, OpeningError, contents_of
from goldfish.harness.pods import Pod
from goldfish.world.faults import Fault

WRITE_AHEAD = ("-wal", "-shm", ".wal")  # how files are named beside their databases


@check(
    "FLT24",
    "When the disk is full, a batch is stored whole or fails; with room again, the store works.",
    incident="opencode issue 7607: the disk ran full during a session, two of its files were left "
    "with no bytes, and the session could not be opened any more.",
    needs=[OtherProcess],
)
async def a_full_disk_is_an_error_and_no_loss(memory: Memory) -> None:
    # No room, about enough for one more message, and enough for what fits beside the rest.
    trial = await _fill_disk(memory, MessageTrial, lambda size: (0, size + 300, 20_000))
    await trial.expect(await memory.open())


@check(
    "FLT31",
    "When the disk is full, no acknowledged fact is lost; with room again, the store works.",
    incident="qTox/qTox issue 2179: the disk was full when the program was restarted, and its "
    "history was empty.",
    about="facts",
    needs=[OtherProcess],
)
async def a_full_disk_is_an_error_and_forgets_nothing(memory: Memory) -> None:
    trial = await _fill_disk(memory, FactTrial, lambda size: (0, size))
    await trial.expect(await memory.reopen())
    # Once more, without a later write that would save what was acknowledged meanwhile.
    trial.client = await memory.elsewhere()
    await trial.live_through(_fill(memory, trial, 0))
    await trial.expect(await memory.reopen())


def _fill(memory: Memory, trial: Trial, room: int) -> Callable[[], Fault]:
    """Return what fills the disk for the process of a trial, up to files of so many bytes."""
    pod = trial.client.opened
    assert isinstance(pod, Pod)
    return partial(memory.sandbox.faults.disk.full, pod.pid, room)


@check(
    "FLT34",
    "A disk that is full amid a large message, or a session's first one, costs no more than an "
    "error.",
    incident="can1357/oh-my-pi issue 8596: the disk was full in the middle of an entry, half of it "
    "stayed in the file, and the next one was written right behind it: both were lost.",
    needs=[OtherProcess],
)
async def a_disk_full_amid_a_large_message_bricks_no_session(memory: Memory) -> None:
    await MessageTrial.begin(memory)
    _list_files(memory)
    await memory.close()
    known = await LargeTrial.begin(memory, await memory.elsewhere())
    pod = known.client.opened
    assert isinstance(pod, Pod)
    for share in (0.3, 0.8):
        new = LargeTrial(memory, known.client)
        for trial, beside in ((known, _list_files(memory)[0].stat().st_size), (new, 0)):
            trial.size = draw_size(memory, 40_000, 200_000)
            room = beside + int(share * trial.size)
            await trial.survive(partial(memory.sandbox.faults.disk.full, pod.pid, room))
            await trial.expect(await memory.open())


async def _fill_disk(
    memory: Memory, kind: type[Trial], choose_room: Callable[[int], Sequence[int]]
) -> Trial:
    """Survive a disk with room for files of so many bytes, chosen by the size of the largest."""
    await kind.begin(memory)
    _list_files(memory)
    await memory.close()
    trial = await kind.begin(memory, await memory.elsewhere())
    for room in choose_room(_list_files(memory)[0].stat().st_size):
        await trial.survive(_fill(memory, trial, room))
    return trial


@check(
    "FLT25",
    "While its files are read-only, no write is falsely acknowledged; afterwards the store works.",
    incident="memorix issue 291: without write access the store fell back to a mode that stored "
    "nothing, without a warning.",
    needs=[Reopening],
)
async def a_read_only_directory_is_an_error(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    _list_files(memory)
    disk = memory.sandbox.faults.disk
    await trial.survive(partial(disk.read_only_directory, memory.sandbox.path))


@check(
    "FLT26",
    "While another process has locked the file, a call waits or fails; afterwards the store works.",
    incident='mem0 issue 7196: a reader of the same file made writes fail with "database is '
    'locked", and what they carried was lost.',
    needs=[Reopening],
)
async def a_file_locked_by_others_is_an_error_or_a_wait(memory: Memory) -> None:
    trial = await MessageTrial.begin(memory)
    largest = _list_files(memory)[0]
    await trial.survive(partial(memory.sandbox.faults.disk.locked, largest), patience=BRIEF)


@check(
    "FLT27",
    "A file that lost its second half is an error; only a log may end where it does, and go on.",
    incident="canopy issue 24: a file that was cut off decoded to nothing, the program showed an "
    "empty list, and the next save made it permanent.",
    needs=[Reopening],
)
async def a_truncated_file_is_not_an_empty_memory(memory: Memory) -> None:
    session, written, states = await _write_and_close(memory)
    files = [path for path in _list_files(memory) if not _is_databases_log(path)]
    are_logs = all(_is_log(path, [read for _, read in states]) for path in files)
    for path in files:
        memory.sandbox.faults.disk.truncated(path, 0.5)
    left = {path: path.stat().st_size for path in files}
    read = await _read_damaged(memory, session)
    if read is None:
        return
    client, found = read
    # A log whose end is missing is, byte for byte, what a killed writer leaves: what was written
    # before the cut has to be there, and no more can be asked.
    before = [
        count
        for count, read in states
        if all(len(read[path]) <= left[path] for path in read.keys() & left)
    ]
    if are_logs and len(found) >= max(before, default=0) and found == written[: len(found)]:
        batch = memory.messages(2)
        if await client.offer(session, batch) is None:
            with label_findings("a write behind the cut"):
                await client.expect(session, [*found, *contents_of(batch)])
        return
    if found != written:
        raise Violation(
            "swallowed: a file lost its second half, but it was opened without an error, and "
            f"{len(found)} of {len(written)} messages were returned"
        )


Contents = dict[Path, bytes]  # of the files that a store keeps
States = list[tuple[int, Contents]]  # of those files, each with how much was written by then


async def _write_and_close(memory: Memory) -> tuple[str, list[Any], States]:
    """Write some batches and close; return the session, what is in it, and the files after each."""
    session, written, states = memory.session(), list[Any](), States()
    for _ in range(8):
        batch = memory.messages(5)
        await memory.client.add(session, batch)
        written += contents_of(batch)
        states.append((len(written), _read_files(memory)))
    await memory.close()
    return session, written, states


def _read_files(memory: Memory) -> Contents:
    """Return what is in the files of the sandbox now."""
    found: Contents = {}
    for path in memory.sandbox.path.rglob("*"):
        with contextlib.suppress(OSError):
            if path.is_file() and (content := path.read_bytes()):
                found[path] = content
    return found


def _is_log(path: Path, states: Sequence[Contents]) -> bool:
    """Return True if every write has lengthened the file, and changed nothing before its end."""
    contents = [state.get(path, b"") for state in states]
    pairs = list(itertools.pairwise([*contents, path.read_bytes()]))
    return all(after.startswith(before) for before, after in pairs) and all(
        len(before) < len(after) for before, after in pairs[:-1]
    )


@check(
    "FLT28",
    "A file that is full of random bytes is an error, and never taken for an empty memory.",
    incident="claude-code issue 59811: after a crash a session's file held nothing but zeros, and "
    "the session disappeared from every list without a warning.",
    needs=[Reopening],
)
async def a_file_full_of_nonsense_is_not_an_empty_memory(memory: Memory) -> None:
    session, written, states = await _write_and_close(memory)
    files, reads = _list_files(memory), [read for _, read in states]
    # Without the ends of its lines a log is one line, which a killed writer might have left; where
    # records have no lines, the nonsense that stands for a length may say just that.
    has_records = all(_is_log(path, reads) and not _has_lines(path, reads) for path in files)
    for path in files:
        memory.sandbox.faults.disk.damaged(path, 1, flips=1 << 20, spared=b"\n")
    read = await _read_damaged(memory, session)
    if read is None:
        return
    _, found = read
    if has_records and found == written[: len(found)]:
        return
    if found != written:
        raise Violation(
            "swallowed: a file was full of random bytes, but it was opened without an error, and "
            f"{len(found)} of {len(written)} messages were returned"
        )


def _is_databases_log(path: Path) -> bool:
    """Return True for the write-ahead log of SQLite or DuckDB, or the index of it.

    A memory that is never closed leaves one. The database goes on from what is whole in it, as its
    format has it, and no memory can tell a cut from the end.
    """
    name = path.name
    found = (name.removesuffix(end) for end in WRITE_AHEAD if name.endswith(end))
    return any(path.with_name(each).exists() for each in found)


def _has_lines(path: Path, states: Sequence[Contents]) -> bool:
    """Return True if the file ended with the end of a line after every write."""
    return all(state.get(path, b"\n").endswith(b"\n") for state in states)


async def _read_damaged(memory: Memory, session: str) -> tuple[Client, list[Any]] | None:
    """Open what was damaged, in another process if there can be one; return None if that fails.

    A library that maps its file into memory is ended by SIGBUS where the file is too short. That
    is how the system says so: nobody can catch it, and nobody takes it for an empty memory.
    """
    try:
        client = await (memory.elsewhere() if memory.target.location else memory.open())
        return client, await client.contents(session)
    except (StoreError, OpeningError):
        return None
    except CrashViolation as violation:
        if violation.crash.code != -signal.SIGBUS:
            raise
        return None


def _list_files(memory: Memory) -> list[Path]:
    """Return the files that the store keeps in its sandbox, the largest first."""
    files = [path for path in memory.sandbox.path.rglob("*") if path.is_file()]
    sizes = {path: path.stat().st_size for path in files}
    if not any(sizes.values()):
        raise UnsupportedError(Reason.stated("it writes no files into its sandbox"))
    return sorted((path for path in files if sizes[path]), key=lambda path: -sizes[path])

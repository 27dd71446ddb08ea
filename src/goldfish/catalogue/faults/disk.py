"""FLT: a disk that is full, read-only, locked or damaged costs errors, and no more."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from goldfish.catalogue.registry import OtherProcess, Reopening, check
from goldfish.catalogue.support.trials import BRIEF, FactTrial, MessageTrial, Trial
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.errors import StoreError
from goldfish.harness.memory import Memory, OpeningError, contents_of
from goldfish.harness.pods import Pod
from goldfish.world.faults import Fault


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


async def _fill_disk(
    memory: Memory, kind: type[Trial], choose_room: Callable[[int], Sequence[int]]
) -> Trial:
    """Survive a disk with room for files of so many bytes, chosen by the size of the largest."""
    await kind.begin(memory)
    _list_files(memory)
    await memory.close()
    trial = await kind.begin(memory, await memory.elsewhere())
    pod = trial.client.opened
    assert isinstance(pod, Pod)
    for room in choose_room(_list_files(memory)[0].stat().st_size):
        await trial.survive(partial(memory.sandbox.faults.disk.full, pod.pid, room))
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
    "A file that has lost its second half is an error, and never taken for a shorter history.",
    incident="canopy issue 24: a file that was cut off decoded to nothing, the program showed an "
    "empty list, and the next save made it permanent.",
    needs=[Reopening],
)
async def a_truncated_file_is_not_an_empty_memory(memory: Memory) -> None:
    disk = memory.sandbox.faults.disk
    await _expect_noticed(memory, lambda path: disk.truncated(path, 0.5), "lost its second half")


@check(
    "FLT28",
    "A file that is full of random bytes is an error, and never taken for an empty memory.",
    incident="claude-code issue 59811: after a crash a session's file held nothing but zeros, and "
    "the session disappeared from every list without a warning.",
    needs=[Reopening],
)
async def a_file_full_of_nonsense_is_not_an_empty_memory(memory: Memory) -> None:
    disk = memory.sandbox.faults.disk
    await _expect_noticed(
        memory, lambda path: disk.damaged(path, 1, flips=1 << 20), "was full of random bytes"
    )


async def _expect_noticed(memory: Memory, harm: Callable[[Path], Fault], what: str) -> None:
    """Harm the files of a closed store; raise if the next opening reads less without an error."""
    session, batch = memory.session(), memory.messages(40)
    await memory.client.add(session, batch)
    await memory.close()
    for path in _list_files(memory):
        harm(path)
    try:
        found = await (await memory.open()).contents(session)
    except (StoreError, OpeningError):
        return
    if found != contents_of(batch):
        raise Violation(
            f"swallowed: a file {what}, but it was opened without an error, and {len(found)} of "
            f"{len(batch)} messages were returned"
        )


def _list_files(memory: Memory) -> list[Path]:
    """Return the files that the store keeps in its sandbox, the largest first."""
    files = [path for path in memory.sandbox.path.rglob("*") if path.is_file()]
    sizes = {path: path.stat().st_size for path in files}
    if not any(sizes.values()):
        raise UnsupportedError(Reason.stated("it writes no files into its sandbox"))
    return sorted((path for path in files if sizes[path]), key=lambda path: -sizes[path])

"""SNP: a session can be saved and rolled back exactly, and nothing else changes."""

from typing import Any

from goldfish.catalogue.registry import Reopening, Retries, carries, check, method, trait
from goldfish.catalogue.support.comparison import expect_messages
from goldfish.catalogue.support.refusals import is_taken
from goldfish.catalogue.support.sessions import write_session
from goldfish.catalogue.support.sizes import draw_size
from goldfish.catalogue.support.snapshots import (
    expect_listed,
    expect_refused,
    expect_state,
    list_snapshots,
    roll_back,
    save,
)
from goldfish.findings.comparison import quote
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.memory import MISSING, Client, Memory, contents_of, field, identity
from goldfish.messages import ChatMessage

SAVE, ROLLBACK = method("save_snapshot"), method("rollback_to_snapshot")
LIST, DELETE, FORK = method("list_snapshots"), method("delete_snapshot"), method("fork")
RESTORING = [SAVE, ROLLBACK]
REPEATING = [*RESTORING, trait("later_snapshots")]  # one goes forward again
# Ordinary session ids that a careless lookup confuses.
TWINS = (("al", "alice"), ("john_doe", "john-doe"), ("a:b", "a"), ("100%", "1000"), ("Bo", "bo"))


async def save_states(
    memory: Memory, client: Client, session: str, count: int, *, size: int = 2
) -> list[tuple[Any, list[ChatMessage]]]:
    """Add a batch and save, that many times; return each snapshot's id and its messages."""
    saved, there = list[tuple[Any, list[ChatMessage]]](), list[ChatMessage]()
    for _ in range(count):
        there = [*there, *memory.messages(size)]
        await client.add(session, there[-size:])
        saved.append((await save(client, session), there))
    return saved


@check(
    "SNP01",
    "After a rollback, the session has the messages that were saved and can be continued.",
    incident="deer-flow issue 2554: a rollback wrote the old state back, but asking for the latest "
    "state still returned the newer one.",
    needs=RESTORING,
    suite="smoke",
)
async def a_rollback_restores_what_was_saved(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    kept, later, then = memory.messages(3), memory.messages(2), memory.messages(2)
    await client.add(session, kept)
    name = await save(client, session)
    await client.expect(session, contents_of(kept))
    await client.add(session, later)
    await expect_state(client, session, name, kept, gone=later)
    await client.add(session, then)
    await client.expect(session, contents_of([*kept, *then]), gone=contents_of(later))


@check(
    "SNP02",
    "After a rollback, all snapshots are still listed: older, newer and the restored one.",
    incident="The rollback that wiped: a refactor moved a transaction boundary, and a rollback "
    "rebuilt the conversation and emptied the snapshots table.",
    needs=[*REPEATING, LIST],
    suite="smoke",
)
async def a_rollback_keeps_every_snapshot(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    names = [name for name, _ in await save_states(memory, client, session, 4)]
    for name in (names[1], names[1], names[3], names[0]):
        await roll_back(client, session, name)
        await expect_listed(client, session, names)


@check(
    "SNP03",
    "Rolling back, forward, and twice to one snapshot restores the right messages each time.",
    incident="supply-drop-bbs pull request 325: restoring A and then B deleted the only copy of "
    "what had been there before.",
    needs=REPEATING,
)
async def one_can_go_back_and_forward_again(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    saved = await save_states(memory, client, session, 4)
    for number in (1, 3, 0, 0, 2, 3):
        await expect_state(client, session, *saved[number], gone=saved[-1][1])


@check(
    "SNP04",
    "A rollback brings removed messages back in order and with every field unchanged.",
    incident="openchamber pull request 3088: copied messages got new ids, and what was pinned to "
    "the old ones pointed nowhere.",
    needs=RESTORING,
)
async def what_came_back_is_as_it_was(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    batch = [
        *memory.messages(3),
        memory.message(name="Zoë", metadata={"n": [1, {"deep": "ü"}]}),
        memory.message(role="assistant", tool_calls=[{"id": "c1", "name": "f", "args": {"x": 1}}]),
        memory.message(role="tool", tool_call_id="c1"),
    ]
    await client.add(session, batch)
    name = await save(client, session)
    fields = sorted(memory.target.carries - {"content"})
    for way in ("trim", "delete_messages", "clear", "none"):
        if way == "clear" and not memory.promised("SNP09"):
            continue  # the store clears the snapshots as well
        if way == "none" or client.has(way):
            await _remove(client, session, way, batch)
        await client.add(session, memory.messages(1))
        await roll_back(client, session, name)
        await expect_messages(client, session, batch, fields)


async def _remove(client: Client, session: str, way: str, batch: list[ChatMessage]) -> None:
    """Remove some or all of the messages in this way."""
    if way == "trim":
        await client.call("trim", session, keep_last=2)
    elif way == "delete_messages":
        await client.call("delete_messages", session, [batch[1].id, batch[4].id])
    elif way == "clear":
        await client.call("clear", session)


@check(
    "SNP05",
    "Messages written after a save do not reach the snapshot.",
    incident="akka.net issue 3157: its in-memory snapshot store kept the object that it was "
    "given, so later changes to that object changed the snapshot.",
    needs=RESTORING,
)
async def a_snapshot_does_not_change_with_its_session(memory: Memory) -> None:
    client, (session, kept) = memory.client, await write_session(memory, 2)
    name = await save(client, session)
    for _ in range(3):
        later = memory.messages(2)
        await client.add(session, later)
        await expect_state(client, session, name, kept, gone=later)


@check(
    "SNP06",
    "Rolling back one session changes neither the messages nor the snapshots of another.",
    incident="langgraph-checkpoint-sqlite 3.1.0 looked up its records by a prefix of their names: "
    "a search for user 'al' returned what belonged to 'alice'.",
    needs=RESTORING,
)
async def a_rollback_touches_no_other_session(memory: Memory) -> None:
    client = memory.client
    twins = [*TWINS, (memory.session("one"), memory.session("two"))]
    for one, two in twins:
        mine, theirs = memory.messages(2), memory.messages(3)
        first = (one, mine[:1]), (two, theirs[:2])
        if not all([await is_taken(memory, *each) for each in first]):
            continue
        name, other = await save(client, one), await save(client, two)
        await client.add(one, mine[1:])
        await client.add(two, theirs[2:])
        await expect_state(client, one, name, mine[:1], gone=mine[1:], foreign=theirs)
        await client.expect(two, contents_of(theirs), foreign=contents_of(mine))
        await expect_state(client, two, other, theirs[:2], gone=theirs[2:], foreign=mine)
        await client.expect(one, contents_of(mine[:1]), foreign=contents_of(theirs))


@check(
    "SNP07",
    "Rolling back to an unknown snapshot raises and leaves the session as it is.",
    incident="hermes-agent issue 52514: two proposed fixes used the last message when the wanted "
    "one was not found, and would have cut off another turn for good.",
    needs=RESTORING,
)
async def an_unknown_snapshot_is_refused_and_changes_nothing(memory: Memory) -> None:
    client, (session, batch) = memory.client, await write_session(memory, 3)
    name = await save(client, session)
    for unknown in ("no-such-snapshot", f"{name}0", "00000000-0000-4000-8000-000000000000"):
        await expect_refused(
            client, "an unknown snapshot", "rollback_to_snapshot", session, unknown
        )
        await client.expect(session, contents_of(batch))
    never = memory.session("never")
    await expect_refused(client, "a session without", "rollback_to_snapshot", never, unknown)
    await client.expect(never, [])


@check(
    "SNP08",
    "Rolling back to another session's snapshot raises and reveals none of its messages.",
    incident="langgraphgo issue 72: checkpoints were looked up by run instead of by thread, so "
    "callers had to tell those of different conversations apart.",
    needs=RESTORING,
)
async def a_snapshot_of_another_session_is_refused(memory: Memory) -> None:
    client, mine, theirs = memory.client, memory.session("mine"), memory.session("theirs")
    own, foreign = memory.messages(2), memory.messages(3)
    await client.add(mine, own)
    await client.add(theirs, foreign)
    name = await save(client, theirs)
    try:
        await expect_refused(client, "another session's", "rollback_to_snapshot", mine, name)
    except Violation:
        await client.expect(mine, contents_of(own), foreign=contents_of(foreign))
        raise
    await client.expect(mine, contents_of(own), foreign=contents_of(foreign))
    await client.expect(theirs, contents_of(foreign))


@check(
    "SNP09",
    "A cleared session can be rolled back to a snapshot that was saved before.",
    incident="claude-code issue 70690: people clear a conversation by mistake and want it back; "
    "rewinding is the way, and it was not documented.",
    needs=[*RESTORING, method("clear"), trait("cleared_snapshots")],
)
async def clearing_a_session_keeps_its_snapshots(memory: Memory) -> None:
    client, (session, batch) = memory.client, await write_session(memory, 3)
    name = await save(client, session)
    await client.call("clear", session)
    await client.expect(session, [], gone=contents_of(batch))
    await expect_listed(client, session, [name])
    await expect_state(client, session, name, batch)


@check(
    "SNP10",
    "After clear_all, no snapshot is listed, and none can be rolled back to.",
    incident="langgraph issue 7206: a thread that was deleted during a turn came back.",
    needs=[*RESTORING, method("clear_all")],
)
async def clearing_everything_removes_the_snapshots(memory: Memory) -> None:
    client, sessions = memory.client, [memory.session() for _ in range(2)]
    saved = []
    for session in sessions:
        await client.add(session, memory.messages(2))
        saved.append(await save(client, session))
    await client.call("clear_all")
    for session, name in zip(sessions, saved, strict=True):
        if client.has("list_snapshots") and name in await list_snapshots(client, session):
            raise Violation(f"resurrected: snapshot {quote(name)} is still listed after clear_all")
        try:
            await roll_back(client, session, name)
        except Exception:  # whatever it raises, the snapshot is gone
            continue
        if found := await client.contents(session):
            raise Violation(
                f"resurrected: a rollback after clear_all brought back {quote(found[0])}"
            )


@check(
    "SNP11",
    "Snapshots are listed oldest first, with the id that save returned and their message count.",
    incident="langgraph pull request 7023: checkpoints were ordered by comparing their ids as "
    'text, so "2" came after "10".',
    needs=[SAVE, LIST],
)
async def snapshots_are_listed_as_they_were_saved(memory: Memory) -> None:
    client, session, names = memory.client, memory.session(), []
    for number in range(12):
        await client.add(session, memory.messages(1 + number % 2))
        names.append(await save(client, session))
    if len(set(map(repr, names))) < len(names):
        raise Violation("wrong: two snapshots of one session have the same id")
    await expect_listed(client, session, names)
    _expect_counts(await client.call("list_snapshots", session), names)
    strangers = set(map(repr, await list_snapshots(client, memory.session("other"))))
    if strangers & set(map(repr, names)):
        raise Violation("leaked: a session without snapshots lists those of another session")


def _expect_counts(found: list[object], names: list[object]) -> None:
    """Raise if the list has message counts that are not those of the check above."""
    counts = {repr(identity(each)): field(each, "message_count") for each in found}
    told = [counts[repr(name)] for name in names]
    right, total = [], 0
    for number in range(len(names)):
        total += 1 + number % 2
        right.append(total)
    if any(isinstance(each, int) and each for each in told) and told != right:
        raise Violation(f"wrong: the snapshots have {right} messages, but are listed with {told}")


@check(
    "SNP12",
    "A snapshot is listed with the label that it was given.",
    incident="kopia issue 5118: six snapshots were listed in no order and all looked the same; "
    "each had to be opened to find the right one.",
    needs=[method("save_snapshot", "label"), LIST],
)
async def labels_come_back_as_they_were_given(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    labels = ["before the refund", "", None, "it's 100%; DROP TABLE x;--"]
    labels += ["前 🐠", "../../etc", "a"]
    await client.add(session, memory.messages(1))
    saved = {repr(await save(client, session, label=label)): label for label in labels}
    for each in await client.call("list_snapshots", session):
        name, label = repr(identity(each)), field(each, "label")
        if label is MISSING:
            raise UnsupportedError(Reason.of(Why.LACKS_ANSWER, "list_snapshots returns no labels"))
        if name in saved and (label or None) != (saved[name] or None):
            raise Violation(f"corrupted: label {quote(saved[name])} came back as {quote(label)}")


@check(
    "SNP13",
    "Deleting a snapshot, even twice, removes only that one; other snapshots and messages stay.",
    incident="langgraph-redis issue 162: checkpoints share blobs, so what looks like part of a "
    "deleted one may be needed by another.",
    needs=[*REPEATING, DELETE],
)
async def deleting_a_snapshot_deletes_that_one(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    saved = await save_states(memory, client, session, 3)
    there = saved[-1][1]
    doomed, _ = saved.pop(1)
    for _ in range(2):
        await client.call("delete_snapshot", session, doomed)
        await client.expect(session, contents_of(there))
    if client.has("list_snapshots") and doomed in await list_snapshots(client, session):
        raise Violation(f"resurrected: snapshot {quote(doomed)} was deleted, but is still listed")
    await expect_refused(client, "a deleted snapshot", "rollback_to_snapshot", session, doomed)
    for state in (saved[0], saved[1], saved[0]):
        await expect_state(client, session, *state, gone=there)


@check(
    "SNP14",
    "Two saves of one state are two snapshots, each usable without the other.",
    incident="langgraph4j issue 175: a checkpoint was stored under the id of the one before it.",
    needs=REPEATING,
)
async def saving_the_same_state_twice_makes_two_snapshots(memory: Memory) -> None:
    client, (session, batch) = memory.client, await write_session(memory, 2)
    first, second = await save(client, session), await save(client, session)
    if first == second and client.has("delete_snapshot"):
        raise Violation(
            f"wrong: two saves returned the same id {quote(first)}: one delete removes both"
        )
    await client.add(session, memory.messages(1))
    await expect_state(client, session, first, batch)
    if client.has("delete_snapshot"):
        await client.call("delete_snapshot", session, first)
    await client.add(session, memory.messages(1))
    await expect_state(client, session, second, batch)


@check(
    "SNP15",
    "A fork starts with the snapshot's messages; neither session sees the other's later ones.",
    incident="nac pull request 215: its first fork copied only the transcript, and what belonged "
    "to it was empty in the copy.",
    needs=[SAVE, FORK],
)
async def a_fork_has_what_was_saved_and_a_life_of_its_own(memory: Memory) -> None:
    client, session, fork = memory.client, memory.session(), memory.session("fork")
    kept, later, then = memory.messages(3), memory.messages(2), memory.messages(2)
    await client.add(session, kept)
    name = await save(client, session)
    await client.add(session, later)
    await client.call("fork", session, name, fork)
    await client.expect(fork, contents_of(kept), foreign=contents_of(later))
    await client.add(fork, then)
    await client.expect(fork, contents_of([*kept, *then]), foreign=contents_of(later))
    await client.expect(session, contents_of([*kept, *later]), foreign=contents_of(then))
    if client.has("clear"):
        await client.call("clear", session)
        await client.expect(fork, contents_of([*kept, *then]))


@check(
    "SNP16",
    "A fork into a session that has messages, or of an unknown snapshot, is refused.",
    incident="aegra pull request 321: a fork from a chosen checkpoint silently continued from the "
    "latest one, or from the very beginning.",
    needs=[SAVE, FORK],
)
async def a_fork_overwrites_nothing(memory: Memory) -> None:
    client, session, taken = memory.client, memory.session(), memory.session("taken")
    kept, there = memory.messages(2), memory.messages(2)
    await client.add(session, kept)
    await client.add(taken, there)
    name = await save(client, session)
    await expect_refused(client, "a session that has messages", "fork", session, name, taken)
    await client.expect(taken, contents_of(there), foreign=contents_of(kept))
    free = memory.session("free")
    await expect_refused(client, "an unknown snapshot", "fork", session, f"{name}0", free)
    await client.expect(free, [])


@check(
    "SNP17",
    "After a rollback, a removed id can be added again, and a restored id is a no-op.",
    incident="oh-my-pi issue 7739: what an earlier rewind had left behind was taken for part of "
    "the next one.",
    needs=[*RESTORING, Retries, carries("id")],
)
async def ids_count_as_there_only_while_they_are(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    kept, later = memory.messages(2), memory.messages(2)
    await client.add(session, kept)
    name = await save(client, session)
    await client.add(session, later)
    await expect_state(client, session, name, kept, gone=later)
    await client.add(session, [kept[1], later[0]])
    await client.expect(session, contents_of([*kept, later[0]]))


@check(
    "SNP18",
    "A rollback restores the deadline: the time that was left at the save, or none.",
    incident="ioBroker.js-controller issue 1796: expiring values were restored from a backup "
    "without their expiry, and stayed.",
    needs=[*REPEATING, method("set_ttl"), method("get_ttl"), trait("snapshot_deadlines")],
)
async def a_rollback_restores_the_time_that_was_left(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    await client.add(session, memory.messages(1))
    usual = await client.call("get_ttl", session)  # None, unless there is a store-wide expiry
    free = await save(client, session)
    await client.call("set_ttl", session, 1000)
    timed = await save(client, session)
    await client.call("set_ttl", session, 5000)
    for name, most in ((timed, 1000), (free, usual), (timed, 1000)):
        await roll_back(client, session, name)
        left = await client.call("get_ttl", session)
        if most is None and left is not None:
            raise Violation(f"wrong: saved without a deadline, rolled back with {quote(left)} left")
        # A store-wide expiry may count a rollback as a write, which renews it.
        if most is not None and not any(_is_about(left, each) for each in (most, usual)):
            raise Violation(f"wrong: saved with {most:g} s left, rolled back with {quote(left)}")


def _is_about(left: Any, asked: float | None) -> bool:
    return asked is not None and isinstance(left, int | float) and -100 < left - asked <= 1


@check(
    "SNP19",
    "After a reopen, snapshots are listed and can be rolled back to.",
    incident="vscode issue 326450: after a restore, switching to another session and back brought "
    "back everything that had been undone.",
    needs=[*REPEATING, Reopening],
)
async def snapshots_survive_reopen(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    (first, old), (second, both) = await save_states(memory, client, session, 2)
    client = await memory.reopen()
    await expect_listed(client, session, [first, second])
    await expect_state(client, session, first, old, gone=both)
    client = await memory.reopen()
    await client.expect(session, contents_of(old), gone=contents_of(both))
    await expect_state(client, session, second, both)


@check(
    "SNP20",
    "In a long session with dozens of snapshots, each restores all of its messages in order.",
    incident="deer-flow pull request 3637: the checkpoint to go back to was searched for among the "
    "first two hundred; a longer thread has more.",
    needs=REPEATING,
)
async def long_sessions_with_many_snapshots_come_back_whole(memory: Memory) -> None:
    client, session = memory.client, memory.session()
    saved = await save_states(memory, client, session, draw_size(memory, 24, 60), size=10)
    await expect_listed(client, session, [name for name, _ in saved])
    for number in (3, -1, 11, 0, 22):
        await expect_state(client, session, *saved[number], gone=saved[-1][1])

"""SEQ: random sequences of one kind of call, and of all kinds together."""

from goldfish.catalogue.registry import Reopening, check, method
from goldfish.catalogue.sequences.drawing import (
    DEADLINES,
    KNOWLEDGE,
    MESSAGES,
    REMOVAL,
    SEARCH,
    SNAPSHOTS,
    STATE,
    Ways,
)
from goldfish.catalogue.sequences.learning import PROBES, learn_powers
from goldfish.catalogue.sequences.powers import Powers
from goldfish.catalogue.sequences.trying import (
    Openings,
    follow_model,
    learn_openings,
)
from goldfish.catalogue.support.subjects import Facts, Messages, Subject
from goldfish.findings.reason import Reason
from goldfish.findings.result import UnsupportedError
from goldfish.harness.memory import Memory

REOPENING: Ways = {"reopen": (2, "add")}
TALK: Ways = {**MESSAGES, "clear": (2, "clear")}
EVERYTHING: Ways = {**MESSAGES, **REMOVAL, **DEADLINES, **SNAPSHOTS, **STATE, **KNOWLEDGE}
SIMPLE = {"add", "repeat", "again", "last", "clear"}


async def _learn(memory: Memory, ways: Ways, *more: str) -> Powers:
    """Return the powers that these calls take, and those by which they are read."""
    return await learn_powers(memory, [*(power for _, power in ways.values()), *more])


def _require(powers: Powers, name: str, why: str) -> None:
    if name not in powers.can:
        raise UnsupportedError(Reason.stated(why))


async def _learn_openings(memory: Memory, subject: Subject) -> Openings:
    openings = await learn_openings(memory, subject)
    if openings == Openings():
        told = "what it holds is not seen by another opening, which DUR is about"
        raise UnsupportedError(Reason.stated(told))
    return openings


@check(
    "SEQ01",
    "Any sequence of adds, repeated turns, reads and clears is read back as it was written.",
    incident="microsoft/agent-framework pull request 4716: messages were compared by role and "
    "content, and a second 'yes' of the same conversation was dropped as a duplicate.",
)
async def messages_follow_the_model(memory: Memory) -> None:
    powers = await _learn(memory, TALK)
    await follow_model(memory, powers, TALK)


@check(
    "SEQ02",
    "In any sequence, trimming, deleting and clearing remove exactly what they name.",
    incident="kparal/esmska issue 294: a message that arrived between choosing another one and "
    "deleting it moved the numbers, and the wrong message was deleted.",
)
async def removals_follow_the_model(memory: Memory) -> None:
    ways: Ways = {**MESSAGES, **REMOVAL}
    powers = await _learn(memory, ways, "count_trimmed", "count_deleted")
    if not {"trim", "delete", "clear_all", "list_sessions"} & powers.can:
        raise UnsupportedError(Reason.stated("it removes messages by clearing only"))
    await follow_model(memory, powers, ways)


@check(
    "SEQ04",
    "In any sequence of writes, saves, rollbacks and forks, each snapshot stays as it was saved.",
    incident="jsboige/CoursIA pull request 7701: restoring a checkpoint handed out its own lists, "
    "and what was written after the rollback changed the checkpoint itself.",
    needs=[method("save_snapshot"), method("rollback_to_snapshot")],
)
async def snapshots_follow_the_model(memory: Memory) -> None:
    ways: Ways = {**TALK, **SNAPSHOTS, "trim": (1, "trim"), "delete": (1, "delete")}
    powers = await _learn(memory, ways, "list_snapshots", "label")
    _require(powers, "save", "a rollback does not restore even one session")
    await follow_model(memory, powers, ways, always=("save", "rollback"))


@check(
    "SEQ05",
    "In any sequence, named values are those that were set last, and no others.",
    incident="kubestellar/console issue 4969: clearing a key left its snapshot behind, and the "
    "next store to be opened loaded the old values from there.",
    about="state",
)
async def state_follows_the_model(memory: Memory) -> None:
    ways: Ways = {**STATE, "clear": (1, "clear"), "clear_all": (1, "clear_all"), "add": (1, "add")}
    if not memory.client.has("add_messages"):
        ways = dict(STATE)
    powers = await _learn(memory, ways)
    _require(powers, "state", "setting a value replaces all others")
    await follow_model(memory, powers, ways)


@check(
    "SEQ06",
    "In any sequence, facts that are told, revised and forgotten are listed and recalled as such.",
    incident="mem0ai/mem0 issue 1674: telling a memory word for word once more deleted it.",
    about="facts",
)
async def facts_follow_the_model(memory: Memory) -> None:
    powers = await _learn(memory, KNOWLEDGE, "list_facts", "fact_ids")
    _require(powers, "facts", "facts are not kept as they are told")
    await follow_model(memory, powers, KNOWLEDGE)


@check(
    "SEQ07",
    "Any sequence of all calls together is answered as each of them promises.",
    incident="BurntSushi/quickcheck issue 134 tells of a bug in LevelDB that took about seventeen "
    "operations to appear; random sequences that were compared with a model found it.",
)
async def everything_follows_the_model(memory: Memory) -> None:
    powers = await _learn(memory, EVERYTHING, *PROBES)
    if powers.can <= SIMPLE:
        raise UnsupportedError(Reason.stated("it has messages only, which SEQ01 is about"))
    await follow_model(memory, powers, EVERYTHING)


@check(
    "SEQ08",
    "Reopening the storage, and another process that uses it, change nothing in any sequence.",
    incident="matrixarkai/TemporalStore pull request 314: a rollback was not written to the log, "
    "and the next start brought back everything that it had undone.",
    needs=[Reopening],
)
async def everything_follows_the_model_across_openings(memory: Memory) -> None:
    openings = await _learn_openings(memory, Messages(memory))
    powers = await _learn(memory, EVERYTHING, *PROBES)
    ways = {**EVERYTHING, **(REOPENING if openings.reopens else {})}
    await follow_model(memory, powers, ways, count=20, openings=openings, always=("reopen",))


@check(
    "SEQ09",
    "In any sequence, a search finds what the asked sessions say, and nothing of others.",
    incident="infino-ai/infino issue 259: deleted entries were taken out after the best k had been "
    "chosen, and a search returned nothing although other entries matched.",
    needs=[method("search_history")],
)
async def searches_follow_the_model(memory: Memory) -> None:
    ways: Ways = {**MESSAGES, **REMOVAL, **SEARCH, "repeat": (6, "repeat")}
    powers = await _learn(memory, ways)
    _require(powers, "search", "a search does not find a message by its own words")
    await follow_model(memory, powers, ways, always=("search", "repeat"))


@check(
    "SEQ10",
    "Reopening the storage, and another process that uses it, change no fact in any sequence.",
    incident="mem0ai 2.2.1 with faiss: two processes that add memories one after the other leave "
    "those of the second only.",
    needs=[Reopening],
    about="facts",
)
async def facts_follow_the_model_across_openings(memory: Memory) -> None:
    openings = await _learn_openings(memory, Facts(memory))
    powers = await _learn(memory, KNOWLEDGE, "list_facts", "fact_ids")
    _require(powers, "facts", "facts are not kept as they are told")
    ways = {**KNOWLEDGE, **({"reopen": (2, "facts")} if openings.reopens else {})}
    await follow_model(memory, powers, ways, count=20, openings=openings, always=("reopen",))

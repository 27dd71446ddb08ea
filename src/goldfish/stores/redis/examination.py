"""The examination of a Redis store: settings that lose data, and whether the keys agree."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from goldfish.encoding import decode_messages
from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.observation import Observation
from goldfish.stores.redis.keys import as_bytes, as_text
from goldfish.stores.redis.scripts import examination as scripts
from goldfish.stores.redis.scripts.script import Evaluate

Settings = Mapping[str, Any]
AT_ONCE = 1000  # messages in one look

LOST = "restore them from a backup, or give them up: "
FORGETFUL = "set appendonly to yes and appendfsync to always, or open the store with wait_aof=True"


@dataclass(frozen=True)
class Examined:
    """What an examination asks of the store."""

    ask: Callable[..., Awaitable[Any]]  # a command about settings
    owners: Callable[[bytes], AsyncIterator[str]]  # of keys: all sessions (s), or all users (u)
    session: Evaluate
    facts: Evaluate
    values: Evaluate

    async def nodes(self, *command: str) -> list[Settings]:
        """The answers of every server to a command about its settings."""
        return list_settings(await self.ask(*command))


def eviction_policies(nodes: Iterable[Settings]) -> set[str]:
    """The policies by which these servers make room, but for the one that evicts nothing."""
    found = {str(node["maxmemory_policy"]) for node in nodes if "maxmemory_policy" in node}
    return found - {"noeviction"}


def list_settings(answer: Any) -> list[Settings]:
    """The answers of several servers, or of one, as a list."""
    if isinstance(answer, list):  # names and values in turn, from some clients
        answer = dict(zip(answer[::2], answer[1::2], strict=True))
    if not isinstance(answer, dict):
        return []
    if answer and all(isinstance(each, dict) for each in answer.values()):
        return list(answer.values())
    return [answer]


async def examine(store: Examined, layout: int, repair: bool) -> list[Observation]:
    """All that there is to see, settings first."""
    seen = await _examine_servers(store)
    seen.append(Observation("layout", "ok", f"the keys have layout {layout}"))
    seen += await _examine_sessions(store, repair)
    return seen + await _examine_users(store, repair)


async def _examine_servers(store: Examined) -> list[Observation]:
    try:
        nodes = await store.nodes("INFO")
    except MemoryStoreBackendError:
        nodes = []
    if not nodes:
        detail = "the server does not tell its settings"
        return [Observation("server", "warning", detail, "allow this account INFO, and look again")]
    seen = [_observe_version(nodes), _observe_eviction(nodes), _observe_role(nodes)]
    seen.append(_observe_persistence(nodes, await _read_configuration(store)))
    if any(node.get("cluster_enabled") for node in nodes):
        detail = f"a cluster of {len(nodes)} servers"
        seen.append(Observation("cluster", "ok", detail))
    return seen


async def _read_configuration(store: Examined) -> Settings:
    """What only CONFIG tells, which many managed servers refuse."""
    found: dict[str, Any] = {}
    for name in ("appendfsync", "save"):
        try:
            for node in await store.nodes("CONFIG GET", name):
                found.update({as_text(key): as_text(value) for key, value in node.items()})
        except MemoryStoreBackendError:
            continue
    return found


def _observe_version(nodes: list[Settings]) -> Observation:
    versions = Counter(_name_version(node) for node in nodes)
    return Observation("server", "ok", ", ".join(sorted(versions)))


def _name_version(node: Settings) -> str:
    if "valkey_version" in node:
        return f"Valkey {node['valkey_version']}"
    return f"Redis {node.get('redis_version', 'of unknown version')}"


def _observe_eviction(nodes: list[Settings]) -> Observation:
    risky = eviction_policies(nodes)
    if not risky:
        return Observation("eviction policy", "ok", "maxmemory-policy is noeviction")
    full = any(int(node.get("maxmemory", 0)) for node in nodes)
    when = "when memory is full" if full else "once maxmemory is set and reached"
    detail = f"maxmemory-policy is {', '.join(sorted(risky))}: acknowledged data are dropped {when}"
    return Observation("eviction policy", "warning", detail, "set maxmemory-policy to noeviction")


def _observe_role(nodes: list[Settings]) -> Observation:
    if all(node.get("role") == "slave" for node in nodes):
        detail = "the server is a replica, and refuses writes"
        return Observation("role", "warning", detail, "open the store on the primary")
    replicas = sum(int(node.get("connected_slaves", 0)) for node in nodes)
    return Observation("role", "ok", f"primary, with {replicas} replicas")


def _observe_persistence(nodes: list[Settings], configured: Settings) -> Observation:
    subject = "persistence"
    failing = [
        name
        for name in ("aof_last_write_status", "aof_last_bgrewrite_status", "rdb_last_bgsave_status")
        if any(node.get(name, "ok") != "ok" for node in nodes)
    ]
    if failing:
        detail = f"the server cannot write its files: {', '.join(failing)} is not ok"
        return Observation(subject, "warning", detail, "look into its log; is the disk full?")
    if not all(node.get("aof_enabled") for node in nodes):
        return Observation(subject, "warning", _describe_missing_aof(configured), FORGETFUL)
    losses = {
        "always": "",
        "everysec": "a crash of the machine can lose the last second",
        "no": "a crash of the machine can lose what the system has not flushed, up to a minute",
    }
    fsync = configured.get("appendfsync", "unknown")
    loss = losses.get(fsync, "how much a crash can lose depends on appendfsync")
    if not loss:
        return Observation(subject, "ok", "appendonly with appendfsync always")
    return Observation(subject, "warning", f"appendfsync is {fsync}: {loss}", FORGETFUL)


def _describe_missing_aof(configured: Settings) -> str:
    if "save" not in configured:
        return "there is no append-only file: what came after the last snapshot is lost in a crash"
    if configured["save"]:
        return f"no append-only file, RDB at '{configured['save']}': a crash loses what came since"
    return "neither an append-only file nor RDB: everything is lost when the server stops"


async def _examine_sessions(store: Examined, repair: bool) -> list[Observation]:
    judged: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    async for owner in store.owners(b"s"):
        verdict = await _judge_session(store, owner)
        judged[verdict] += 1
        if repair and verdict in _REPAIRS:
            repaired[verdict] += await _REPAIRS[verdict](store, owner)
    seen = [
        _observe_lost(
            *("sessions", judged["lost"], judged.total(), "have lost keys"),
            LOST + "clear(session_id, snapshots=True)",
        )
    ]
    if judged["ids"]:
        detail = "have their messages, but not the list of message ids"
        seen.append(_observe_repairable("message ids", judged, "ids", detail, repaired))
    if judged["ended"]:
        detail = f"{judged['ended']} expired sessions have left something behind"
        done = repaired["ended"] == judged["ended"]
        seen.append(Observation("expired", "ok", detail, repairable=True, repaired=done))
    return seen


async def _judge_session(store: Examined, owner: str) -> str:
    verdict = as_text(await store.session(scripts.JUDGE_SESSION, owner, [], writes=False))
    if verdict != "ok":
        return verdict
    first = 0
    while True:
        values = [b"%d" % first, b"%d" % (first + AT_ONCE - 1)]
        ids, bodies = await store.session(scripts.PAIR, owner, values, writes=False)
        if not _match(ids, bodies):
            return "lost"
        if len(bodies) < AT_ONCE:
            return verdict
        first += AT_ONCE


def _match(ids: list[Any], bodies: list[Any]) -> bool:
    """Whether these are the ids, in ASCII, of these messages."""
    try:
        own = [_encode_ascii(message.id) for message in decode_messages(bodies)]
    except MemoryStoreBackendError:
        return False
    return own == list(map(as_text, ids))


def _encode_ascii(message_id: str) -> str:
    """The id as the script has it."""
    plain = (
        chr(each) if each < 128 and each != ord("%") else f"%{each:02x}"
        for each in as_bytes(message_id)
    )
    return "".join(plain)


async def _restore_ids(store: Examined, owner: str) -> int:
    """The ids are in the messages: write them down again, unless the session has changed."""
    _, bodies = await store.session(scripts.PAIR, owner, [b"0", b"-1"], writes=False)
    ids = [as_bytes(message.id) for message in decode_messages(bodies)]
    if len(set(ids)) < len(ids):
        return 0
    return int(await store.session(scripts.RESTORE_IDS, owner, ids))


async def _remove_ended(store: Examined, owner: str) -> int:
    await store.session(scripts.END, owner, [])
    return 1


_REPAIRS: dict[str, Callable[[Examined, str], Awaitable[int]]] = {
    "ids": _restore_ids,
    "ended": _remove_ended,
}


async def _examine_users(store: Examined, repair: bool) -> list[Observation]:
    judged: Counter[str] = Counter()
    repaired: Counter[str] = Counter()
    async for owner in store.owners(b"u"):
        verdict = as_text(await store.facts(scripts.JUDGE_FACTS, owner, [], writes=False))
        judged[verdict] += 1
        if verdict == "ended" and repair:
            await store.facts(scripts.END_FACTS, owner, [])
        if repair and verdict == "derived":
            repaired[verdict] += int(await store.facts(scripts.RESTORE_FACTS, owner, []))
        if await store.values(scripts.JUDGE_VALUES, owner, [], writes=False):
            judged["values"] += 1
            if repair:
                repaired["values"] += int(await store.values(scripts.FORGET_VALUES, owner, []))
    many = judged.total() - judged["values"]
    detail, advice = "have lost facts", LOST + "forget_all(user_id)"
    seen = [_observe_lost("facts", judged["lost"], many, detail, advice, "users")]
    if judged["derived"]:
        detail = "have their facts, but not the lists that lead to them"
        seen.append(
            _observe_repairable("lists of facts", judged, "derived", detail, repaired, "users")
        )
    if judged["values"]:
        detail = f"{judged['values']} users have lost their named values"
        advice = "restore them from a backup; a repair lets these users begin anew"
        done = repaired["values"] == judged["values"]
        seen.append(Observation("user state", "damage", detail, advice, True, done))
    return seen


def _observe_lost(
    subject: str, bad: int, total: int, detail: str, advice: str, owners: str = "sessions"
) -> Observation:
    if not bad:
        return Observation(subject, "ok", f"the keys of {total} {owners} agree")
    return Observation(subject, "damage", f"{bad} of {total} {owners} {detail}", advice)


def _observe_repairable(
    subject: str,
    judged: Counter[str],
    verdict: str,
    detail: str,
    repaired: Counter[str],
    owners: str = "sessions",
) -> Observation:
    sentence = f"{judged[verdict]} of {judged.total()} {owners} {detail}"
    done = repaired[verdict] == judged[verdict]
    return Observation(subject, "damage", sentence, "examine with repair=True", True, done)

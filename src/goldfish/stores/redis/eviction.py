"""Servers that evict keys: a warning at the start, and a clear error when keys are missing."""

import logging
from collections.abc import Iterable

from goldfish.errors import MemoryStoreBackendError
from goldfish.stores.redis.keys import USER, RedisKeys
from goldfish.stores.redis.scripts.parts import DISAGREE

_logger = logging.getLogger("goldfish.stores.redis")


class EvictionWatch:
    """What one store knows of its server's eviction policy."""

    def __init__(self, server: str, keys: RedisKeys) -> None:
        self._server = server
        self._keys = keys
        self.looked = False  # at the policy
        self.lasting = False  # whether keys with a deadline are evicted, and only these
        self._blamed = False  # in the log

    def note(self, policies: Iterable[str]) -> None:
        """Note the policies by which the servers make room, and warn of each."""
        for policy in policies:
            self.lasting = self.lasting or policy.startswith("volatile")
            _logger.warning(
                "%s has maxmemory-policy %s: when its memory is full it drops acknowledged "
                "messages and facts, whole sessions and users too: set it to noeviction",
                self._server,
                policy,
            )

    def note_silence(self, error: Exception) -> None:
        """Note that the server does not tell its policy."""
        _logger.debug("no look at maxmemory-policy: %s", type(error).__name__)

    def raise_if_evicted(self, error: MemoryStoreBackendError, key: bytes) -> None:
        """Raise a clear error if a script found that keys of this key's owner are missing."""
        if DISAGREE not in str(error.__cause__):
            return
        owner, _ = self._keys.owner(key)
        kind, give_up = "session", "clear(session_id, snapshots=True)"
        if self._keys.kind(key) == USER:
            kind, give_up = "user", "forget_all(user_id)"
        level = logging.DEBUG if self._blamed else logging.WARNING
        _logger.log(level, "keys of %s %.80r disagree: the server evicted some", kind, owner)
        self._blamed = True
        raise MemoryStoreBackendError(
            f"{self._server} has lost keys of {kind} {owner!r:.80}, as a server does that evicts: "
            "set its maxmemory-policy to noeviction; examine(repair=True) repairs what can be "
            f"repaired, and {give_up} gives up the rest"
        ) from error

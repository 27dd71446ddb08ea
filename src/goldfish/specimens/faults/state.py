"""Stores of named values that hide a fault of the server, or never recover from it."""

from collections.abc import Mapping

from goldfish.specimens import specimen
from goldfish.specimens.references.redis import ignore
from goldfish.specimens.references.redis_state import StateOnRedis


@specimen("no-values-on-error", "FLT40", "swallowed")
class NoValuesOnError(StateOnRedis):
    bug = "A read that fails returns no values."

    def fetch(self, place: bytes) -> dict[str, str]:
        with ignore("RedisError"):
            return super().fetch(place)
        return {}


@specimen("state-given-up", "FLT41", "wedged")
class StateGivenUp(StateOnRedis):
    bug = "After a write that failed, no other is tried."

    failed = False

    def send(self, place: bytes, kept: Mapping[str, str]) -> None:
        if self.failed:
            raise ConnectionError("the server has failed before")
        try:
            super().send(place, kept)
        except BaseException:
            self.failed = True
            raise

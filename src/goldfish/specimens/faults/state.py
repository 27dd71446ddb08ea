"""Stores of named values that hide what is wrong with their server, or never get over it."""

from collections.abc import Mapping

from goldfish.specimens import specimen
from goldfish.specimens.durability.state import StateOnRedis


@specimen("no-values-on-error", "FLT40", "swallowed")
class NoValuesOnError(StateOnRedis):
    bug = "A read that fails gives no values."

    def fetch(self, place: bytes) -> dict[str, str]:
        from redis import RedisError

        try:
            return super().fetch(place)
        except RedisError:
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

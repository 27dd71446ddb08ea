"""Stores of named values that hide what is wrong with their server, or never get over it."""

from collections.abc import Mapping

from goldfish.specimens import specimen
from goldfish.specimens.durability.state import StateOnRedis


@specimen("no-values-on-error", caught_by="FLT40", finding="swallowed", services=("redis",))
class NoValuesOnError(StateOnRedis):
    """A read that fails gives no values."""

    def fetch(self, place: bytes) -> dict[str, str]:
        from redis import RedisError

        try:
            return super().fetch(place)
        except RedisError:
            return {}


@specimen("state-given-up", caught_by="FLT41", finding="wedged", services=("redis",))
class StateGivenUp(StateOnRedis):
    """After a write that failed, no other is tried."""

    failed = False

    def send(self, place: bytes, kept: Mapping[str, str]) -> None:
        if self.failed:
            raise ConnectionError("the server has failed before")
        try:
            super().send(place, kept)
        except BaseException:
            self.failed = True
            raise

"""A TCP proxy in front of a server that can refuse, reset, hang, delay, trickle and cut."""

from typing import Self, TypeVar

from goldfish.services.ports import LOOPBACK
from goldfish.world.faults.clock import eventually, wait_until
from goldfish.world.faults.conditions import Cut, Trickle
from goldfish.world.faults.fault import Fault, Ledger
from goldfish.world.faults.listener import Listener

T = TypeVar("T")


class Proxy:
    """A loopback port that leads to a server; each fault begins at its call and ends with heal().

    It forwards bytes and knows no protocol: a *reply* is what the server sends after the client has
    sent something. It has a thread of its own, and can be used from code with and without an
    event loop.
    """

    def __init__(self, host: str, port: int, *, ledger: Ledger | None = None) -> None:
        self._ledger = ledger or Ledger()
        self._listener = Listener(host, port)

    @property
    def host(self) -> str:
        """The loopback address that it listens on."""
        return LOOPBACK

    @property
    def port(self) -> int:
        """The port that it listens on, the same all its life."""
        return self._listener.port

    def refuse(self) -> Fault:
        """Nobody listens: existing connections end, new ones are refused by the system.

        Expected of a store: every call raises soon and none looks like an empty memory; after it,
        the next calls work.
        """
        token = object()
        self._listener.change(lambda: self._listener.conditions.refusals.append(token))
        self._listener.stop_listening()
        return self._ledger.note("connections are refused", lambda: self._stop_refusing(token))

    def reset(self) -> Fault:
        """Existing connections are reset, and new ones as soon as they are made.

        Expected of a store: as for refuse(); a write that was under way may or may not have
        happened.
        """
        fault = self._rule("connections are reset", self._listener.conditions.resets, object())
        self._listener.close_connections(reset=True)
        return fault

    def hang(self) -> Fault:
        """Connections stay open, also new ones, and nothing passes; healing delivers all of it.

        Expected of a store: a call ends by its own deadline with an error, or waits; afterwards
        the store works, and what was held back happens at most once.
        """
        return self._rule("nothing passes", self._listener.conditions.hangs, object())

    def delay(self, seconds: float) -> Fault:
        """Each chunk, of requests and of replies, is held back that long; the order is kept.

        Expected of a store: the same answers, later.
        """
        return self._rule(
            f"each chunk takes {seconds:g} s", self._listener.conditions.delays, seconds
        )

    def trickle(self, bytes_at_a_time: int = 5, pause: float = 0.0005) -> Fault:
        """Replies arrive in tiny pieces.

        Expected of a store: the same answers, later.
        """
        if bytes_at_a_time < 1:
            raise ValueError(f"bytes_at_a_time must be 1 or more (got {bytes_at_a_time})")
        what = f"replies come {bytes_at_a_time} bytes at a time"
        return self._rule(what, self._listener.conditions.trickles, Trickle(bytes_at_a_time, pause))

    def cut_before_reply(self, times: int = 1, *, skip: int = 0, asking: bytes = b"") -> Fault:
        """The request is passed on; its reply is dropped and the connection is reset.

        After so many cuts all is normal again. ``skip`` lets that many replies pass first: a
        transaction is several requests, and a new connection begins with some of its own. With
        ``asking``, only replies to a request that contains these bytes count, as b"COMMIT".

        Expected of a store: an error, because it cannot know whether it happened, or a retry that
        does nothing twice; the next calls work.
        """
        cut = Cut(0, times, skip, asking)
        return self._rule("replies are dropped", self._listener.conditions.cuts, cut)

    def cut_in_reply(
        self, after_bytes: int = 1, times: int = 1, *, skip: int = 0, asking: bytes = b""
    ) -> Fault:
        """The first bytes of a reply pass, then the connection is reset; a shorter one passes.

        ``skip`` and ``asking`` are those of cut_before_reply(), and so is what is expected: half
        a reply is never taken for a whole one.
        """
        cut = Cut(after_bytes, times, skip, asking)
        return self._rule("replies are torn", self._listener.conditions.cuts, cut)

    def half_open(self) -> Fault:
        """Existing connections carry nothing any more, for ever, and nobody is told; new ones do.

        Expected of a store: a call on a dead connection ends by its deadline with an error, and a
        later one makes a new connection. There is nothing to heal.
        """
        self._listener.silence_connections()
        return self._ledger.note("connections went dead")

    def cut(self) -> Fault:
        """End the existing connections once, as a server does that hangs up on idle clients.

        Expected of a store: at most one error, or none; the next calls work.
        """
        self._listener.close_connections(reset=False)
        return self._ledger.note("connections were closed")

    def lead_to(self, host: str, port: int) -> None:
        """Be the way to another server from now on; existing connections end."""
        self._listener.lead_to(host, port)

    @property
    def connections(self) -> int:
        """The number of connections accepted so far."""
        return self._listener.counts.connections

    @property
    def open_connections(self) -> int:
        """The number of open connections, without those that went dead."""
        return self._listener.open_connections

    @property
    def arrivals(self) -> int:
        """The number of chunks from clients so far, including those that are held back."""
        return self._listener.counts.arrivals

    @property
    def requests(self) -> int:
        """The number of chunks from clients that were passed on to the server so far."""
        return self._listener.counts.requests

    @property
    def replies(self) -> int:
        """The number of chunks from the server that were passed on to clients so far."""
        return self._listener.counts.replies

    @property
    def cuts(self) -> int:
        """The number of replies dropped or torn so far."""
        return self._listener.counts.cuts

    def wait_for_request(self, timeout: float = 5.0, *, beyond: int | None = None) -> int:
        """Wait until ``requests`` is greater than it was, or than ``beyond``; return it."""
        seen = self.requests if beyond is None else beyond
        wait_until(lambda: self.requests > seen, within=timeout, what="a request has passed")
        return self.requests

    async def request_passed(self, timeout: float = 5.0, *, beyond: int | None = None) -> int:
        """The same as wait_for_request(), in code that shares its event loop with the client."""
        seen = self.requests if beyond is None else beyond
        await eventually(lambda: self.requests > seen, within=timeout, what="a request has passed")
        return self.requests

    def close(self) -> None:
        """End all connections and the thread; again is a no-op."""
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stop_refusing(self, token: object) -> None:
        refusals = self._listener.conditions.refusals
        self._listener.change(lambda: refusals.remove(token))
        if not refusals:
            self._listener.listen_again()

    def _rule(self, what: str, rules: list[T], rule: T) -> Fault:
        self._listener.change(lambda: rules.append(rule))
        return self._ledger.note(what, lambda: self._listener.change(lambda: rules.remove(rule)))

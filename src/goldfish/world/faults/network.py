"""A TCP proxy before a server, which refuses, resets, hangs, delays, trickles and cuts at will."""

from typing import Self, TypeVar

from goldfish.services.ports import LOOPBACK
from goldfish.world.faults.clock import eventually, wait_until
from goldfish.world.faults.fault import Fault, Ledger
from goldfish.world.faults.switchboard import Switchboard
from goldfish.world.faults.weather import Cut, Trickle

T = TypeVar("T")


class Proxy:
    """A loopback port that leads to a server; each fault begins at its call and ends with heal().

    It carries bytes and knows no protocol: a *reply* is what the server sends after the client has
    sent something. It has a thread of its own, and can be steered from code with and without an
    event loop.
    """

    def __init__(self, host: str, port: int, *, ledger: Ledger | None = None) -> None:
        self._ledger = ledger or Ledger()
        self._board = Switchboard(host, port)

    @property
    def host(self) -> str:
        """The loopback address that it listens on."""
        return LOOPBACK

    @property
    def port(self) -> int:
        """The port that it listens on, the same all its life."""
        return self._board.port

    def refuse(self) -> Fault:
        """Nobody listens: existing connections end, new ones are refused by the system.

        Expected of a store: every call raises soon and none looks like an empty memory; after it,
        the next calls work.
        """
        token = object()
        self._board.change(lambda: self._board.weather.refusals.append(token))
        self._board.shut_door()
        return self._ledger.note("connections are refused", lambda: self._stop_refusing(token))

    def reset(self) -> Fault:
        """Existing connections are reset, and new ones as soon as they are made.

        Expected of a store: as for refuse(); a write that was under way may or may not have
        happened.
        """
        fault = self._rule("connections are reset", self._board.weather.resets, object())
        self._board.end_lines(reset=True)
        return fault

    def hang(self) -> Fault:
        """Connections stay open, also new ones, and nothing passes; healing delivers all of it.

        Expected of a store: a call ends by its own deadline with an error, or waits; afterwards
        the store works, and what was held back happens at most once.
        """
        return self._rule("nothing passes", self._board.weather.hangs, object())

    def delay(self, seconds: float) -> Fault:
        """Each chunk, of requests and of replies, is held back that long; the order is kept.

        Expected of a store: the same answers, later.
        """
        return self._rule(f"each chunk takes {seconds:g} s", self._board.weather.delays, seconds)

    def trickle(self, bytes_at_a_time: int = 5, pause: float = 0.0005) -> Fault:
        """Replies arrive in tiny pieces.

        Expected of a store: the same answers, later.
        """
        if bytes_at_a_time < 1:
            raise ValueError("bytes_at_a_time must be 1 or more")
        what = f"replies come {bytes_at_a_time} bytes at a time"
        return self._rule(what, self._board.weather.trickles, Trickle(bytes_at_a_time, pause))

    def cut_before_reply(self, times: int = 1, *, skip: int = 0, asking: bytes = b"") -> Fault:
        """The request is passed on; its reply is dropped and the connection is reset.

        After so many cuts all is normal again. ``skip`` lets that many replies pass first: a
        transaction is several requests, and a new connection begins with some of its own. With
        ``asking``, only replies to a request that contains these bytes count, as b"COMMIT".

        Expected of a store: an error, because it cannot know whether it happened, or a retry that
        does nothing twice; the next calls work.
        """
        cut = Cut(0, times, skip, asking)
        return self._rule("replies are dropped", self._board.weather.cuts, cut)

    def cut_in_reply(
        self, after_bytes: int = 1, times: int = 1, *, skip: int = 0, asking: bytes = b""
    ) -> Fault:
        """The first bytes of a reply pass, then the connection is reset; a shorter one passes.

        ``skip`` and ``asking`` are those of cut_before_reply(), and so is what is expected: half
        a reply is never taken for a whole one.
        """
        cut = Cut(after_bytes, times, skip, asking)
        return self._rule("replies are torn", self._board.weather.cuts, cut)

    def half_open(self) -> Fault:
        """Existing connections carry nothing any more, for ever, and nobody is told; new ones do.

        Expected of a store: a call on a dead connection ends by its deadline with an error, and a
        later one makes a new connection. There is nothing to heal.
        """
        self._board.silence_lines()
        return self._ledger.note("connections went dead")

    def cut(self) -> Fault:
        """End the existing connections once, as a server does that hangs up on idle clients.

        Expected of a store: at most one error, or none; the next calls work.
        """
        self._board.end_lines(reset=False)
        return self._ledger.note("connections were closed")

    def lead_to(self, host: str, port: int) -> None:
        """Be the way to another server from now on; existing connections end."""
        self._board.lead_to(host, port)

    @property
    def connections(self) -> int:
        """How many connections were accepted so far."""
        return self._board.tally.connections

    @property
    def open_connections(self) -> int:
        """How many connections there are now; those that went dead do not count."""
        return self._board.open_lines

    @property
    def arrivals(self) -> int:
        """How many chunks came from clients so far, also those that are held back."""
        return self._board.tally.arrivals

    @property
    def requests(self) -> int:
        """How many chunks from clients were passed on to the server so far."""
        return self._board.tally.requests

    @property
    def replies(self) -> int:
        """How many chunks from the server were passed on to clients so far."""
        return self._board.tally.replies

    @property
    def cuts(self) -> int:
        """How many replies were dropped or torn so far."""
        return self._board.tally.cuts

    def wait_for_request(self, timeout: float = 5.0, *, beyond: int | None = None) -> int:
        """Wait until ``requests`` is greater than it was, or than ``beyond``; what it is then."""
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
        self._board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stop_refusing(self, token: object) -> None:
        refusals = self._board.weather.refusals
        self._board.change(lambda: refusals.remove(token))
        if not refusals:
            self._board.open_door()

    def _rule(self, what: str, rules: list[T], rule: T) -> Fault:
        self._board.change(lambda: rules.append(rule))
        return self._ledger.note(what, lambda: self._board.change(lambda: rules.remove(rule)))

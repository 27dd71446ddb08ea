"""Faults of any server that we started: it dies, stops, restarts, or is replaced."""

from goldfish.services import pool
from goldfish.services.ports import LOOPBACK
from goldfish.world.faults.fault import Fault
from goldfish.world.faults.service import Service


class ServerFaults:
    """Faults of a whole server; each begins at its call and ends with heal()."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._proxy = service.proxy
        self._ledger = service.ledger
        self._server = service.own_server

    @property
    def forgets(self) -> str:
        """Why a restart of this server forgets what it acknowledged; empty if it does not."""
        return ""

    def kill(self) -> Fault:
        """The server dies as in a power cut; healing starts it again on the same data.

        Expected of a store: every call raises soon meanwhile, and none looks like an empty memory.
        Afterwards the store works by itself, and what was acknowledged is there, if the server
        keeps it: a Redis does so here unless GOLDFISH_REDIS_PERSISTENCE=none.
        """
        refusal = self._proxy.refuse()  # a proxy that accepts would make a dead server look alive
        self._server.kill()
        return self._ledger.note("the server is dead", lambda: self._start_again(refusal))

    def restart(self) -> Fault:
        """The server ends in its orderly way and starts again on the same data, before we return.

        Expected of a store: at most a few errors, nothing acknowledged lost, and it works again
        by itself.
        """
        with self._proxy.refuse():
            self._server.restart()
        return self._ledger.note("the server was restarted")

    def pause(self) -> Fault:
        """The server stops (SIGSTOP): it accepts connections and answers nothing; healing thaws it.

        Expected of a store: a call ends by its own deadline with an error, or waits; afterwards
        the store works, and no write happened twice.
        """
        self._server.pause()
        return self._ledger.note("the server is paused", self._server.resume)

    def failover_to_empty(self) -> Fault:
        """Another, empty server takes over, as a replica does that had received nothing.

        What is written to it is gone when the fault is healed and the old server is back. A store
        cannot see the difference between this and data that never were: it is expected not to
        break, to make anew the tables and scripts that it needs, and to keep what it acknowledges
        from now on.
        """
        other = pool.acquire(self._service.name)
        assert isinstance(other, type(self._server))
        self._proxy.lead_to(LOOPBACK, other.port)

        def heal() -> None:
            self._proxy.lead_to(LOOPBACK, self._server.port)
            pool.release(other)

        return self._ledger.note("an empty server has taken over", heal)

    def _start_again(self, refusal: Fault) -> None:
        self._server.start()
        refusal.heal()

"""A real three-node cluster on loopback, whose slots can be moved."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import redis

from goldfish.services import RedisServer
from goldfish.services.ports import find_free_port

SLOTS = 16384


class Cluster:
    """Three primaries without replicas, each with a third of the slots."""

    def __init__(self, nodes: list[RedisServer]) -> None:
        self._clients = [redis.Redis(port=node.port) for node in nodes]
        self.port = nodes[0].port
        self._ids = [str(client.cluster("MYID").decode()) for client in self._clients]

    def join(self, bus_ports: list[int]) -> None:
        """Give out the slots, let the nodes meet, and wait until all agree."""
        for index, client in enumerate(self._clients):
            first, last = SLOTS * index // 3, SLOTS * (index + 1) // 3 - 1
            client.execute_command("CLUSTER ADDSLOTSRANGE", first, last)
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", index + 1)
        for client, bus in zip(self._clients[1:], bus_ports[1:], strict=True):
            port = client.connection_pool.connection_kwargs["port"]
            self._clients[0].execute_command("CLUSTER MEET", "127.0.0.1", port, bus)
        self._wait_until_agreed()

    def _wait_until_agreed(self) -> None:
        give_up = time.monotonic() + 30
        while not all(self._sees_all(client) for client in self._clients):
            assert time.monotonic() < give_up, "the cluster did not form"
            time.sleep(0.05)

    def _sees_all(self, client: redis.Redis) -> bool:
        info = client.execute_command("CLUSTER INFO")
        return bool(info["cluster_state"] == "ok" and info["cluster_known_nodes"] == "3")

    def owner(self, slot: int) -> int:
        return next(i for i in range(3) if slot < SLOTS * (i + 1) // 3)

    def move(self, slot: int, source: int, target: int) -> None:
        """Move a slot with its keys from one node to another, as redis-cli does."""
        giver, taker = self._clients[source], self._clients[target]
        taker.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", self._ids[source])
        giver.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", self._ids[target])
        port = taker.connection_pool.connection_kwargs["port"]
        while keys := giver.execute_command("CLUSTER GETKEYSINSLOT", slot, 10):
            time.sleep(0.01)  # give writers a chance to meet the half-moved slot
            giver.execute_command("MIGRATE", "127.0.0.1", port, "", 0, 5000, "KEYS", *keys)
        for client in (taker, giver, *self._clients):
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", self._ids[target])

    def slot_of(self, key: bytes) -> int:
        return int(self._clients[0].execute_command("CLUSTER KEYSLOT", key))

    def close(self) -> None:
        for client in self._clients:
            client.close()


@contextmanager
def three_nodes() -> Iterator[Cluster]:
    """Start the nodes, join them, and end them afterwards."""
    with ExitStack() as stack:
        bus_ports = [find_free_port() for _ in range(3)]
        nodes = [
            stack.enter_context(
                RedisServer(
                    settings={
                        "cluster-enabled": "yes",
                        "cluster-port": str(bus),
                        "requirepass": "",  # its nodes and clients are given no URL
                    }
                )
            )
            for bus in bus_ports
        ]
        cluster = Cluster(nodes)
        stack.callback(cluster.close)
        cluster.join(bus_ports)
        yield cluster

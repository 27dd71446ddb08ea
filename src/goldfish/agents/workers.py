"""Workers: the processes that serve an agent, each as a replica in production would."""

from typing import Any, Protocol, Self

from goldfish.harness.forks import ForkServer
from goldfish.harness.pods import Pod
from goldfish.harness.transcript import Transcript
from goldfish.services import reaper

SERVE_AGENT = "goldfish.agents.replica:serve_agent"


class Worker(Protocol):
    """One process, or process group, that serves the agent."""

    name: str
    powers: frozenset[str]
    kind: str  # the type of what the factory gave

    @property
    def is_running(self) -> bool: ...

    async def say(
        self, session: str, text: str, *, user: str, deadline: float, lane: int, leaves: bool
    ) -> str: ...

    async def forget(self, session: str, *, user: str, deadline: float) -> None: ...

    async def forget_user(self, user: str, *, deadline: float) -> None: ...

    def kill(self) -> None: ...

    async def close(self, *, deadline: float) -> None: ...


class PodWorker:
    """An agent in a pod."""

    def __init__(self, pod: Pod, name: str) -> None:
        self.name = name
        self._pod = pod
        self.powers = frozenset(pod.methods["powers"] or ())
        self.kind = (pod.methods["kind"] or [""])[0]

    @property
    def is_running(self) -> bool:
        """Whether its process lives."""
        return not self._pod.ended

    @classmethod
    async def start(
        cls,
        forks: ForkServer,
        sandbox: dict[str, Any],
        environment: dict[str, str],
        name: str,
    ) -> Self:
        """Return a new process in which the agent is open; a StoreError is the factory's."""
        options = {"environment": environment}
        pod = await Pod.fork(forks, sandbox, options, Transcript(), SERVE_AGENT)
        return cls(await pod.open(), name)

    async def say(
        self, session: str, text: str, *, user: str, deadline: float, lane: int, leaves: bool
    ) -> str:
        """Return the reply of the agent."""
        options = {"user": user, "leaves": leaves}
        return str(
            await self._pod.call("say", session, text, deadline=deadline, lane=lane, **options)
        )

    async def forget(self, session: str, *, user: str, deadline: float) -> None:
        """Let the agent forget a session."""
        await self._pod.call("forget", session, user=user, deadline=deadline)

    async def forget_user(self, user: str, *, deadline: float) -> None:
        """Let the agent forget a user."""
        await self._pod.call("forget_user", user, deadline=deadline)

    def kill(self) -> None:
        """SIGKILL the process with all its children, and wait until they are gone."""
        tree = reaper.kill_tree(self._pod.pid)
        self._pod.kill()
        reaper.wait_until_dead(tree)

    async def close(self, *, deadline: float) -> None:
        """Close the agent, and end the process."""
        await self._pod.close(deadline=deadline)

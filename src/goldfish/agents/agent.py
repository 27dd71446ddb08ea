"""What a promise about prompts holds in its hands: the agent under test, and conversations."""

from dataclasses import dataclass, field
from random import Random

from goldfish.agents.conversation import Conversation
from goldfish.agents.evidence import describe_turn
from goldfish.agents.prompts import find_constant_part
from goldfish.agents.stage import Stage
from goldfish.agents.turns import Turn
from goldfish.agents.workers import Worker
from goldfish.findings.reason import Reason, Why
from goldfish.findings.result import UnsupportedError, Violation
from goldfish.harness.patience import LateError
from goldfish.history import History
from goldfish.mirror import Mirror
from goldfish.targets.agent_traits import AgentTraits
from goldfish.targets.declaration import Target

UNDECLARED = 24  # messages that an agent may show before it summarises, if it does not say
MOST_TURNS = 60  # in which a summary is waited for
LEAST_FRAME = 12  # characters of a system prompt by which it is known


@dataclass
class Agent:
    """The agent under test, for one check: conversations, workers, and the mirror behind them."""

    stage: Stage
    random: Random
    code: str = ""
    effort: float = 1.0
    underway: list[Turn] = field(default_factory=list)
    talks: list[Conversation] = field(default_factory=list)

    @property
    def target(self) -> Target:
        """The target, with what it declares."""
        return self.stage.target

    @property
    def traits(self) -> AgentTraits:
        """What the agent declares of itself."""
        assert self.target.agent is not None
        return self.target.agent

    @property
    def mirror(self) -> Mirror:
        """The model endpoint that the agent talks to."""
        return self.stage.mirror

    @property
    def history(self) -> History:
        """Every turn so far, and every fault."""
        return self.stage.history

    @property
    def deadline(self) -> float:
        """The seconds that a turn may take."""
        return self.stage.deadline

    @property
    def turns_to_overflow(self) -> int:
        """The turns after which a conversation is longer than the window that was declared."""
        return (self.target.window or UNDECLARED) // 2 + 3

    @property
    def turns_to_compact(self) -> int:
        """The turns after which every agent has made a summary that ever makes one.

        Some declare as their window what stays after a summary, and make it when there is three
        times as much.
        """
        return min(3 * (self.target.window or UNDECLARED) // 2 + 3, MOST_TURNS)

    def draw_id(self, word: str) -> str:
        """Return an id that begins with a word, and that no other check uses: they may share."""
        return f"{word}-{self.random.randrange(16**6):06x}"

    async def find_tool(self, talk: Conversation) -> str:
        """Return the name of a tool that the agent offers, and that may really be called."""
        offered = [each.name for each in (await talk.say()).prompt.tools]
        allowed = [name for name in offered if self.traits.may_call(name)]
        if not allowed:
            raise UnsupportedError(Reason.of(Why.LACKS_POWER, "tool among those that it offers"))
        return self.random.choice(allowed)

    def talk(self, *, session: str = "", user: str = "") -> Conversation:
        """Return a new conversation; by default of a new user in a session of her own."""
        number = f"{self.random.randrange(16**6):06x}-{len(self.talks) + 1}"
        talk = Conversation(self, session or f"session-{number}", user or f"user-{number}")
        self.talks.append(talk)
        return talk

    async def worker(self, place: int = 0) -> Worker:
        """Return the worker at this place; it is started if it does not run."""
        return await self.stage.worker(place)

    async def choose_worker(self, place: int | None) -> Worker:
        """Return the worker at this place; without one the first, and of a service any."""
        if place is None:
            place = self.random.choice(self.stage.places)
        return await self.stage.worker(place)

    async def restart(self, place: int = 0) -> None:
        """Close a worker as a deployment does, and start another in its place."""
        await self.stage.restart(await self.worker(place))

    async def kill(self, place: int = 0) -> None:
        """SIGKILL a worker, in whatever it does."""
        await self.stage.kill(await self.worker(place))

    async def learn_system(self, first: Turn) -> str:
        """Return the constant part of the system prompt: as declared, or as two sessions share it.

        ``first`` is the first turn of a session; another session is asked one thing.
        """
        if self.traits.system:
            return self.traits.system
        other = await self.talk().say()
        frame = find_constant_part(first.prompt.system, other.prompt.system)
        if len(frame) < LEAST_FRAME:
            raise UnsupportedError(Reason.of(Why.LACKS_POWER, "system prompt"))
        return frame

    def blame_silence(self, talk: Conversation, turn: Turn) -> Violation:
        """Return what is held against an agent that did not answer an ordinary turn.

        Raise LateError if a time-out of the agent's own ended it on a machine that was late.
        """
        refused = [each for each in turn.exchanges if each.ended == "refused"]
        evidence = describe_turn(turn)
        if refused:
            why = f"the provider refuses the prompt of turn {turn.number}: {refused[-1].refusal}"
        else:
            why = f"turn {turn.number} was not answered: {turn.error or 'no answer came'}"
        if turn.is_late:
            raise LateError(f"refused: {why}")
        return Violation(f"refused: {why}", *evidence, session=talk.session, about=(turn.text,))

"""Draws sequences of calls at random, each of which makes sense where it stands.

The model goes along: so a rollback names a snapshot that is there, and a fork a session that is
empty. What a call touched is read after most calls, and everything at the end.
"""

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from goldfish.catalogue.sequences.powers import HOUR, Powers
from goldfish.catalogue.sequences.steps import HERE, Step, Variable
from goldfish.messages import ChatMessage
from goldfish.model.small_print import Model

PHRASES = ("ok", "yes", "thanks", "go on")  # which people say again and again
LARGE = (8, 40)  # messages of a batch that is larger than most
FACTS = [
    *("Ann lives in Berlin", "The cat is called Schnurri", "Order 8892 is a red bicycle"),
    *("Dinner with Tomasz is on Friday", "The flat has a balcony", "Ann is allergic to peanuts"),
    *("Her brother works at the harbour", "The car needs new tyres", "She plays the cello"),
    *("The rent is due on the first", "Grandmother turns ninety in May", "The wifi is slow"),
    *("Ann voted for the bridge", "Her desk stands by the window", "The dentist moved to Lyon"),
    *("Breakfast is porridge", "The passport expires in 2031", "A neighbour keeps bees"),
    *("The lamp in the hall is broken", "She learnt to swim at forty", "Mondays are for laundry"),
    *("The novel has eleven chapters", "Jonas borrowed the ladder", "Ann dislikes elevators"),
]
# What must be done before a call makes sense.
BASES = {
    **dict.fromkeys(("rollback", "fork", "delete_snapshot"), "save"),
    **dict.fromkeys(("remember_again", "revise", "forget", "forget_all"), "remember"),
    **dict.fromkeys(("get_fact", "recall", "page", "filter"), "remember"),
}
READS = {"get_ttl": "get_ttl", "get_state": "state", "list_snapshots": "list_snapshots"}
NAMES = ("mood", "city", "step", "cart", "plan", "tone", "goal", "draft")  # of values
KINDS = ("home", "pet", "work")

Message = Callable[..., ChatMessage]
Ways = dict[str, tuple[int, str]]


class Drawing:
    """One sequence in the making."""

    def __init__(
        self,
        random: Random,
        powers: Powers,
        *,
        sessions: list[str],
        users: list[str],
        message: Message,
        window: int | None = None,
        openings: Iterable[str] = (HERE,),
        writers: Iterable[str] = (HERE,),
    ) -> None:
        self.random = random
        self.powers = powers
        self.model = Model(powers.traits)
        self.steps: list[Step] = []
        self.window = window
        self.sessions = list(sessions)
        self._users = list(users)
        self._message = message
        self._openings, self._writers = list(openings), list(writers)
        self._made: dict[str, list[tuple[str, Variable, Any]]] = {"snapshot": [], "fact": []}
        self._variables = 0
        self._facts = iter(random.sample(FACTS, len(FACTS)))
        self._told: dict[str, None] = {}  # facts, also those that are known no more
        self._noted: dict[tuple[str, str], dict[str, Any]] = {}  # their metadata, by user and text

    def draw(self, length: int, ways: Ways, always: Iterable[str] = ()) -> list[Step]:
        """Return a sequence of about so many changes, with reads in between and at the end.

        Beside the ways that it always has it makes use of some groups of them only: calls that
        need each other to go wrong meet sooner than if each sequence had all of them.
        """
        able = [name for name in ways if ways[name][1] in self.powers.can]
        names = self._choose(able) | (set(always) & set(able))
        chosen = [name for name in able if name in names]
        weights = [ways[name][0] for name in chosen]
        for name in self.random.choices(chosen, weights, k=length) if chosen else ():
            getattr(self, f"_{name}")()
        self.read_all()
        return self.steps

    def _choose(self, able: Iterable[str]) -> set[str]:
        """Return most ways of some groups, and those without which they make no sense."""
        groups = [sorted(group.keys() & set(able)) for group in GROUPS]
        groups = [group for group in groups if group]
        some = self.random.sample(groups, min(len(groups), self.random.randint(2, 4)))
        names = {each for group in some for each in group if self.random.random() < 0.7}
        names |= {BASES[name] for name in names if name in BASES}
        lonely = "set_state" in names and self.random.random() < 0.3
        return names if lonely else names | {"add"}

    def read_all(self) -> None:
        """Read everything that was written."""
        for session in self.sessions:
            self._read_session(session)
        for user in self._users:
            self._read_user(user)
        if "list_sessions" in self.powers.can:
            self._ask("list_sessions")

    # How steps are taken.

    def _do(self, method: str, *arguments: Any, makes: str = "", **options: Any) -> None:
        """Take a step that changes something, unless it makes no sense here."""
        step = Step(method, arguments, options, makes, self.random.choice(self._writers))
        try:
            made = getattr(self.model, method)(*map(self._resolve, arguments), **options)
        except Exception:  # the model refuses it, and what a memory does then is not asked here
            return
        self.steps.append(step)
        if makes:
            kind = makes.partition("_")[0]
            self._made[kind].append((arguments[0], Variable(makes), getattr(made, "id", made)))

    def _ask(self, method: str, *arguments: Any, **options: Any) -> None:
        """Take a step that changes nothing."""
        self.steps.append(Step(method, arguments, options, who=self.random.choice(self._openings)))

    def _resolve(self, value: Any) -> Any:
        """Return the id that the model made for a variable."""
        made = (each for kind in self._made.values() for each in kind)
        return next((own for _, name, own in made if name == value), value)

    def _variable(self, kind: str) -> str:
        self._variables += 1
        return f"{kind}_{self._variables}"

    def _session(self) -> str:
        """Return a session: mostly the first, so that calls meet."""
        return self.random.choice([self.sessions[0], *self.sessions])

    def _user(self) -> str:
        return self.random.choice([self._users[0], *self._users])

    def _busy(self) -> str | None:
        """Return a session that has messages, after an add if there is none."""
        busy = [each for each in self.sessions if self.model.get_history(each)]
        if not busy and "add" in self.powers.can:
            self._add()
            busy = [each for each in self.sessions if self.model.get_history(each)]
        return self.random.choice(busy) if busy else None

    def _look(self, session: str) -> None:
        """Read what a call touched, mostly; all sessions now and then."""
        chance = self.random.random()
        for each in self.sessions if chance < 0.05 else [session] if chance < 0.5 else []:
            self._read_session(each, often=0.3)

    def _read_session(self, session: str, *, often: float = 1.0) -> None:
        """Read the history, and so often what else there is."""
        if "add" in self.powers.can:
            self._ask("get_history", session)
        for method, power in READS.items():
            if power in self.powers.can and self.random.random() < often:
                self._ask(method, session)

    def _read_user(self, user: str) -> None:
        if "user_state" in self.powers.can:
            self._ask("get_state", self._session(), user_id=user)
        if "facts" in self.powers.can:
            self._read_facts(user)

    def _read_facts(self, user: str) -> None:
        """List the facts of a user; where that cannot be, recall one."""
        if "list_facts" in self.powers.can:
            self._ask("list_facts", user)
        elif "recall" in self.powers.can and (known := self.model.list_facts(user)):
            self._ask("recall", user, self.random.choice(known).text, limit=50)

    # Messages.

    def _add(self) -> None:
        session = self._session()
        count = self.random.randint(1, 3)
        if self.random.random() < 0.06:
            count = self.random.randint(*LARGE)
        self._write(session, [self._make() for _ in range(count)])

    def _write(self, session: str, messages: list[ChatMessage]) -> None:
        room = self.window or 10_000
        if len(self.model.get_history(session)) + len(messages) <= room:
            self._do("add_messages", session, messages)
            self._look(session)

    def _make(self, **fields: Any) -> ChatMessage:
        if "role" in self.powers.fields and "repeat" in self.powers.can:
            fields.setdefault("role", self.random.choice(["user", "assistant"]))
        if "metadata" in self.powers.fields and self.random.random() < 0.3:
            fields.setdefault("metadata", {"n": self.random.randrange(100)})
        return self._message(**fields)

    def _repeat(self) -> None:
        """Say word for word what was said before, as a message of its own."""
        session = self._session()
        said = [each.content for each in self.model.get_history(session)]
        content = self.random.choice([*PHRASES, *said[-2:]])
        batch = [self._make(content=content) for _ in range(self.random.choice([1, 1, 2]))]
        self._write(session, batch)

    def _again(self) -> None:
        """Send messages that are there once more, as a caller does who got no answer."""
        if (session := self._busy()) is None:
            return
        known = self.model.get_history(session)
        first = self.random.randrange(len(known))
        batch = known[first : first + self.random.randint(1, 3)]
        self._write(session, [*batch, *[self._make() for _ in range(self.random.randint(0, 1))]])

    def _last(self) -> None:
        if session := self._busy():
            self._ask("get_history", session, last=self.random.randint(1, 6))

    def _trim(self) -> None:
        if session := self._busy():
            most = len(self.model.get_history(session)) + 1
            self._do("trim", session, keep_last=self.random.randint(1, most))
            self._look(session)

    def _delete(self) -> None:
        if session := self._busy():
            there = [each.id for each in self.model.get_history(session)]
            count = min(len(there), self.random.randint(1, 3))
            self._do("delete_messages", session, self.random.sample(there, count))
            self._look(session)

    def _clear(self) -> None:
        session = self._session()
        self._do("clear", session)
        self._look(session)

    def _clear_all(self) -> None:
        self._do("clear_all")
        self._look(self._session())

    def _list_sessions(self) -> None:
        self._ask("list_sessions")

    def _prefix(self) -> None:
        session = self._session()
        self._ask("list_sessions", prefix=session[: self.random.randint(1, len(session))])

    def _search(self) -> None:
        if session := self._busy():
            others = [each for each in self.sessions if self.random.random() < 0.3]
            history = self.model.get_history(session)
            often = [each for each in history if each.content in PHRASES]
            message = self.random.choice(often or history)
            asked = list(dict.fromkeys([session, *others]))
            self._ask("search_history", asked, message.content)

    # Expiry.

    def _set_ttl(self) -> None:
        session = self._session()
        self._do("set_ttl", session, self.random.choice([HOUR, 2 * HOUR, 5 * HOUR]))
        self._look(session)

    def _unset_ttl(self) -> None:
        if session := self._busy():
            self._do("set_ttl", session, None)
            self._look(session)

    # Snapshots.

    def _save(self) -> None:
        if session := self._busy():
            labels = {"label": self.random.choice(["before lunch", "draft", "draft"])}
            labelled = "label" in self.powers.can and self.random.random() < 0.4
            makes = self._variable("snapshot")
            self._do("save_snapshot", session, makes=makes, **(labels if labelled else {}))

    def _snapshot(self) -> tuple[str, Variable] | None:
        """Return a snapshot that is there, and its session, after a save if there is none."""
        if not self._saved():
            self._save()
        there = self._saved()
        return self.random.choice(there) if there else None

    def _saved(self) -> list[tuple[str, Variable]]:
        return [
            (session, variable)
            for session, variable, made in self._made["snapshot"]
            if made in [each.id for each in self.model.list_snapshots(session)]
        ]

    def _rollback(self) -> None:
        if found := self._snapshot():
            if self.random.random() < 0.5:
                self._write(found[0], [self._make()])
            self._do("rollback_to_snapshot", *found)
            self._look(found[0])

    def _delete_snapshot(self) -> None:
        if found := self._snapshot():
            self._do("delete_snapshot", *found)

    def _fork(self) -> None:
        if found := self._snapshot():
            fresh = f"{self.sessions[0]}-fork-{len(self.sessions)}"
            self._do("fork", *found, fresh)
            self.sessions.append(fresh)
            self._look(fresh)

    # State.

    def _set_state(self) -> None:
        session = self._session()
        self._do("set_state", session, self._values())
        self._look(session)

    def _set_user_state(self) -> None:
        session, user = self._session(), self._user()
        self._do("set_state", session, self._values(), user_id=user)
        self._ask("get_state", self._session(), user_id=user)

    def _values(self) -> dict[str, Any]:
        names = self.random.sample(NAMES, self.random.randint(1, 2))
        number = self.random.randrange(1000)
        values = [number, f"value {number}", {"items": [number], "done": False}, None]
        return {name: self.random.choice(values) for name in names}

    # Facts.

    def _remember(self) -> None:
        user = self._user()
        text = next(self._facts, None)
        if text is not None:
            self._tell(user, text)

    def _remember_again(self) -> None:
        """Tell what was told before, which may be known, revised or forgotten since."""
        told = list(self._told)
        if told and (self.powers.traits.equal_facts_are_one or "fact_ids" in self.powers.can):
            self._tell(self._user(), self.random.choice(told))

    def _tell(self, user: str, text: str) -> None:
        options: dict[str, Any] = {}
        self._told[text] = None
        if "filter" in self.powers.can:
            kind, number = self.random.choice(KINDS), self.random.randint(1, 3)
            # Told again, it has the same: whose metadata win is for each memory to decide.
            noted = self._noted.setdefault((user, text), {"kind": kind, "n": number})
            options = {"metadata": dict(noted)}
        self._do("remember", user, text, makes=self._variable("fact"), **options)
        if self.random.random() < 0.5:
            self._read_facts(user)

    def _fact(self) -> tuple[str, Variable] | None:
        """Return a fact that is there, and its user, after one was told if there is none."""
        if not self._known():
            self._remember()
        there = self._known()
        return self.random.choice(there) if there else None

    def _known(self) -> list[tuple[str, Variable]]:
        return [
            (user, variable)
            for user, variable, made in self._made["fact"]
            if self.model.get_fact(user, made) is not None
        ]

    def _revise(self) -> None:
        found, text = self._fact(), next(self._facts, None)
        if found and text is not None:
            self._do("revise", *found, text)
            self._read_facts(found[0])

    def _forget(self) -> None:
        if found := self._fact():
            self._do("forget", *found)
            self._read_facts(found[0])

    def _forget_all(self) -> None:
        user = self._user()
        self._do("forget_all", user)
        self._read_facts(user)

    def _get_fact(self) -> None:
        if found := self._fact():
            self._ask("get_fact", *found)

    def _recall(self) -> None:
        if found := self._fact():
            fact = self.model.get_fact(found[0], self._resolve(found[1]))
            assert fact is not None
            self._ask("recall", self._user(), fact.text, limit=self.random.choice([1, 3, 50]))

    def _page(self) -> None:
        options: dict[str, Any] = {"limit": self.random.randint(1, 4)}
        options["offset"] = self.random.randint(0, 3)
        if "filter" in self.powers.can and self.random.random() < 0.5:
            options["filter"] = self._choice()
        self._ask("list_facts", self._user(), **options)

    def _filter(self) -> None:
        self._ask("list_facts", self._user(), filter=self._choice())

    def _choice(self) -> dict[str, Any]:
        return self.random.choice([{"kind": self.random.choice(KINDS)}, {"n": 2}])

    # Openings.

    def _reopen(self) -> None:
        self.steps.append(Step("reopen"))


# How a change is drawn: how often, and the power that it takes.
MESSAGES: Ways = {
    "add": (5, "add"),
    "repeat": (3, "repeat"),
    "again": (3, "again"),
    "last": (2, "last"),
}
REMOVAL: Ways = {
    "trim": (3, "trim"),
    "delete": (3, "delete"),
    "clear": (2, "clear"),
    "clear_all": (1, "clear_all"),
    "list_sessions": (1, "list_sessions"),
    "prefix": (1, "prefix"),
}
DEADLINES: Ways = {"set_ttl": (4, "set_ttl"), "unset_ttl": (1, "unset_ttl")}
SNAPSHOTS: Ways = {
    "save": (4, "save"),
    "rollback": (5, "save"),
    "fork": (2, "fork"),
    "delete_snapshot": (1, "delete_snapshot"),
}
STATE: Ways = {"set_state": (4, "state"), "set_user_state": (2, "user_state")}
KNOWLEDGE: Ways = {
    "remember": (6, "facts"),
    "remember_again": (3, "facts"),
    "revise": (3, "revise"),
    "forget": (2, "forget"),
    "forget_all": (1, "forget_all"),
    "get_fact": (2, "get_fact"),
    "recall": (2, "recall"),
    "page": (2, "page"),
    "filter": (2, "filter"),
}
SEARCH: Ways = {"search": (6, "search")}
GROUPS = (MESSAGES, REMOVAL, DEADLINES, SNAPSHOTS, STATE, KNOWLEDGE, SEARCH)

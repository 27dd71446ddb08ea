"""The users whose facts this process knows: those asked for last, as many as memory allows."""

import threading
from collections import OrderedDict

from goldfish.facts.index import UserFacts

MOST_BYTES = 512 * 2**20


class Shelf:
    """Keeps what is known of each user until the room is needed for others."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._users: OrderedDict[str, UserFacts] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._total = 0
        self._lock = threading.Lock()

    def get(self, user_id: str) -> UserFacts:
        """What is known of the user, which may be nothing yet."""
        with self._lock:
            facts = self._users.get(user_id)
            if facts is None:
                facts = self._users[user_id] = UserFacts(user_id)
            self._users.move_to_end(user_id)
            return facts

    def weigh(self, facts: UserFacts) -> None:
        """Note how large it has become, and put away those that nobody has asked for longest."""
        with self._lock:
            if self._users.get(facts.user_id) is not facts:
                return
            self._total += facts.size - self._sizes.get(facts.user_id, 0)
            self._sizes[facts.user_id] = facts.size
            while self._total > self._most_bytes and len(self._users) > 1:
                user_id, _ = self._users.popitem(last=False)
                self._total -= self._sizes.pop(user_id, 0)

"""InMemorySessionService: editing a value after it was set changes the state that is stored.

The dict under a name is kept by reference: who goes on working with it changes the session without
an event. Exit 1 if an edit that no event told of is in the state.

What to do: put a copy into the state (copy.deepcopy), or use a service that stores it outside the
process.
"""

import asyncio
import sys

from google.adk.events import Event, EventActions
from google.adk.sessions import InMemorySessionService

NAMES = {"app_name": "app", "user_id": "ann", "session_id": "chat"}


async def main() -> int:
    service, cart = InMemorySessionService(), {"items": ["tea"]}
    session = await service.create_session(**NAMES)
    delta = EventActions(state_delta={"cart": cart})
    await service.append_event(session, Event(author="a", actions=delta))
    cart["items"].append("never told")
    found = (await service.get_session(**NAMES)).state["cart"]
    wrong = found != {"items": ["tea"]}
    print(f"{'broken' if wrong else 'held'}: set to ['tea'], the cart has {found['items']}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))

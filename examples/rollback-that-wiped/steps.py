"""One step of the story in a process of its own: python steps.py broken|fixed FILE STEP."""

import importlib
import os
import signal
import sys
from typing import Any

from goldfish import ChatMessage

SESSION = "trip to Oslo"


def save(manager: Any) -> None:
    """Three turns, each with a snapshot; then the process is killed, as a pod is."""
    for number, text in enumerate(["Find a hotel", "With a sauna", "No, without"], 1):
        manager.add_messages(SESSION, [ChatMessage(role="user", content=text, id=f"m{number}")])
        manager.save_snapshot(SESSION, label=f"turn {number}")
    os.kill(os.getpid(), signal.SIGKILL)


def roll_back(manager: Any) -> None:
    """The user wants the second turn back."""
    (wanted,) = [each.id for each in manager.list_snapshots(SESSION) if each.label == "turn 2"]
    manager.rollback_to_snapshot(SESSION, wanted)
    show(manager)


def show(manager: Any) -> None:
    """What this process sees."""
    said = [message.content for message in manager.get_history(SESSION)]
    labels = [snapshot.label for snapshot in manager.list_snapshots(SESSION)]
    print(f"{sys.argv[3]}: {said}, snapshots {labels}")


if __name__ == "__main__":
    module = importlib.import_module(f"memory_{sys.argv[1]}")
    manager = module.ConversationManager(sys.argv[2])
    {"save": save, "roll back": roll_back, "list": show}[sys.argv[3]](manager)

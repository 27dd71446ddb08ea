"""Reading LoCoMo: conversations, and questions with the turns that hold the evidence.

The data (Maharana et al., snap-research/locomo, CC BY-NC 4.0) are not part of goldfish.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")  # some are malformed, some hold several


@dataclass(frozen=True)
class Turn:
    """One thing that somebody said."""

    id: str
    speaker: str
    text: str
    session: int
    moment: datetime


@dataclass(frozen=True)
class Question:
    """What is asked, and which turns hold the answer."""

    text: str
    evidence: frozenset[str]
    category: int


@dataclass(frozen=True)
class Conversation:
    """All sessions of two people, in order."""

    id: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


def read(path: Path) -> list[Conversation]:
    """The conversations in a file of LoCoMo."""
    return [_conversation(each) for each in json.loads(path.read_text())]


def _conversation(found: Mapping[str, Any]) -> Conversation:
    turns = tuple(_turns(found["conversation"]))
    ids = {turn.id for turn in turns}
    questions = tuple(
        question
        for each in found["qa"]
        if each["category"] in CATEGORIES
        if (question := _question(each, ids)).evidence
    )
    return Conversation(str(found["sample_id"]), turns, questions)


def _turns(sessions: Mapping[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(match[1]) for key in sessions if (match := _SESSION.fullmatch(key)))
    for number in numbers:
        told = sessions[f"session_{number}_date_time"]
        moment = datetime.strptime(told, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in sessions[f"session_{number}"]:
            yield Turn(turn["dia_id"], turn["speaker"], turn["text"], number, moment)


def _question(found: Mapping[str, Any], ids: set[str]) -> Question:
    named = (_EVIDENCE.findall(text) for text in found.get("evidence", ()))
    evidence = {f"D{int(session)}:{int(turn)}" for pairs in named for session, turn in pairs}
    return Question(found["question"], frozenset(evidence & ids), found["category"])

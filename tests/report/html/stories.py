"""Results with the calls that show them, to be drawn."""

from dataclasses import replace
from typing import Any

from goldfish.findings.reason import Reason
from goldfish.findings.result import Report, Result, Verdict
from goldfish.history import FAULT, Call
from goldfish.history.dialogue import (
    AGAIN,
    LEFT_OUT,
    MISSING,
    NO_RESULT,
    Dialogue,
    Said,
    ShownMessage,
    ShownTurn,
)
from goldfish.history.excerpt import Excerpt, make_excerpt
from goldfish.history.notation import parse_history

PLACES = {"w1": "pod1", "w2": "pod2", "w3": "pod2"}
HOSTILE = (
    "</title></script><script>alert(1)</script><img src=x onerror=alert(1)> & \" ' "
    "\x00 \x1b[31m \ud800 \u202e 你好 🐟 redis://me:hunter2@host/0"
)


def calls(text: str) -> list[Call]:
    """The calls of the notation, each served by a pod of its own."""
    return [call._replace(place=PLACES.get(call.process, "")) for call in parse_history(text).calls]


def story(text: str, *about: str, beside: str = "") -> Excerpt:
    """The calls of the notation as the excerpt of a result; times are in seconds."""
    shown = calls(text)
    return make_excerpt(shown, about, [*shown, *calls(beside)])


def broken(code: str, finding: str, shown: Excerpt | None, summary: str = "it is so") -> Result:
    """A broken promise with its story."""
    command = f"goldfish check sqlite --only {code} --seed 7"
    return Result(
        code,
        "a_name",
        f"The promise of {code}.",
        Verdict.BROKEN,
        Reason.stated(summary),
        finding,
        ("milliseconds, who, session, call:", "0.0-1.0 w1 s add a"),
        0.25,
        command,
        20,
        5,
        excerpt=shown,
    )


LOST = story(
    """
    0-1 w1 s add a
    1.5-2.5 fault kill pod3
    2-3 w2 s read: b
    """,
    "a",
    beside="0.5-2 w3 s add b",
)
HELD = Result("ISO01", "a_name", "Sessions are apart.", Verdict.HELD)
BROKEN_REPORT = Report("files", 7, (broken("CON01", "lost", LOST), HELD))
HELD_REPORT = Report("sqlite", 7, (replace(HELD, acknowledged=10),))


# Two turns: what was said in the first is not in the prompt of the second, which is refused.
FORGETFUL = Dialogue(
    "chat",
    "ann",
    (Said(1, "user", "I am Ann."), Said(1, "assistant", "Hello."), Said(2, "user", "Who am I?")),
    (
        ShownTurn(
            1,
            "worker1",
            "I am Ann.",
            "answered",
            "Hello.",
            faults=("kill worker1",),
            requests=1,
            size=9,
            messages=(ShownMessage("user", "I am Ann.", turn=1),),
            copies=(1, 0, 0),
        ),
        ShownTurn(
            2,
            "worker2",
            "Who am I?",
            "failed",
            error="the model answers 400",
            refusal="No result of call_1.",
            calls=("look_up({})",),
            requests=2,
            size=2_000,
            messages=(
                ShownMessage("user", "I am Ann.", MISSING, 1),
                ShownMessage("assistant", "look_up({})", NO_RESULT),
                ShownMessage("", "7", LEFT_OUT),
                ShownMessage("user", "Who am I?", turn=2),
            ),
            copies=(0, 0, 1),
            missing=(0,),
        ),
    ),
)


def make_hostile(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with the worst texts in place of its own."""
    messages = (
        ShownMessage(HOSTILE, HOSTILE),
        ShownMessage(HOSTILE, f"{HOSTILE}\n{HOSTILE}", AGAIN),
    )
    texts: dict[str, Any] = dict.fromkeys(
        ("worker", "text", "outcome", "reply", "error", "refusal"), HOSTILE
    )
    texts |= {"calls": (HOSTILE,), "faults": (HOSTILE,), "messages": messages}
    turns = tuple(replace(each, **texts) for each in dialogue.turns)
    said = tuple(Said(each.turn, HOSTILE, HOSTILE, HOSTILE) for each in dialogue.said)
    return Dialogue(HOSTILE, HOSTILE, said, turns)


def hostile() -> Report:
    """A report whose every text does its worst."""
    add = Call(HOSTILE, HOSTILE, "add", [HOSTILE], None, 0.0, 1.0, "ok", "", HOSTILE)
    read = Call("w2", HOSTILE, "read", None, [HOSTILE], 2.0, 3.0, "ok", "", "pod2")
    failed = Call("w3", HOSTILE, "trim", 3, None, 2.0, 3.0, "fail", HOSTILE, "pod2")
    fault = Call(FAULT, "", FAULT, HOSTILE, None, 1.0, 2.0)
    shown = make_excerpt([add, read, failed, fault], [HOSTILE], [])
    results = [
        replace(broken("CON01", word, shown, HOSTILE), promise=HOSTILE, evidence=(HOSTILE,))
        for word in ("lost", "leaked", "refused")
    ]
    shown_prompts = make_hostile(FORGETFUL)
    results.append(replace(broken("CTX01", "lost", shown, HOSTILE), dialogue=shown_prompts))
    results.append(
        Result(
            "DUR02", HOSTILE, HOSTILE, Verdict.UNKNOWN, Reason.stated(HOSTILE), reproduce=HOSTILE
        )
    )
    results.append(Result("DUR03", HOSTILE, HOSTILE, Verdict.UNSUPPORTED, Reason.stated(HOSTILE)))
    return Report(HOSTILE, 7, tuple(results))

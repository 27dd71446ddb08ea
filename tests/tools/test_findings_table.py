"""The table of findings says what the runs said: no more, no less, and nothing that acts."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.findings.asking import Question, ask, merged
from tools.findings.environments import NotInstalledError, prepared
from tools.findings.figures import advice, codes_in, counted, figures, scripts_of
from tools.findings.libraries import library_of
from tools.findings.markdown import escaped, fenced
from tools.findings.page import page

ROOT = Path(__file__).parents[2]
NASTY = "a | b <script> `x` **y** \x1b[31m \ud800 [z](http://example.com)"
KNOWN: dict[str, Any] = {
    "targets": {"mem0": {"about": "Mem0 on Qdrant", "extra": "mem0", "missing": []}},
    "versions": {"mem0ai": "2.2.1", "langchain-core": "1.7.2"},
    "promises": {"ISO01": "Sessions are apart.", "DUR02": "What was acknowledged is there."},
    "families": {"ISO": "isolation", "DUR": "durability", "TTL": "expiry"},
    "python": "3.11.7",
}
ASKED = {"day": "2026-11-16", "seed": 1, "suite": "standard", "max_time": 240.0}
SCRIPT: dict[str, Any] = {
    "library": "mem0",
    "script": "findings/mem0/DUR02_faiss.py",
    "about": "It forgets.\n\nThe same is behind DUR03.\n\nWhat to do: keep a\ncopy. Exit 1 if so.",
    "exit": 1,
    "said": "broken: 3 of 4",
}


def result(code: str, verdict: str, summary: str = "", **more: Any) -> dict[str, Any]:
    """One check of a report."""
    return {
        "code": code,
        "name": "a_name",
        "family": code[:3],
        "verdict": verdict,
        "finding": "lost" if verdict == "broken" else None,
        "summary": summary,
        "evidence": [],
        "reproduce": f"goldfish check mem0 --only {code} --seed 1",
        "documented": "",
        **more,
    }


def run(target: str, *checks: dict[str, Any], error: str = "") -> dict[str, Any]:
    """What is kept of one target."""
    counts = {"acknowledged": 200, "lost": 50, "loss_rate": 0.25, "promises": "not for production"}
    return {"target": target, "error": error, "checks": list(checks), **counts}


def told(*runs: dict[str, Any]) -> dict[str, Any]:
    return figures(runs, KNOWN, [SCRIPT], ASKED)


def test_a_target_belongs_to_the_library_that_it_begins_with() -> None:
    """What begins like none is our own."""
    named = [library_of(each).title for each in ("mem0", "mem0-faiss", "adk-sqlite", "memory")]
    assert named == ["Mem0", "Mem0", "Google ADK", "goldfish"]


def test_every_result_is_counted_once_by_its_word() -> None:
    """What is documented or was never claimed is neither broken nor unsupported."""
    counts = counted(
        [
            result("ISO01", "held"),
            result("DUR01", "broken"),
            result("DUR02", "broken", documented="it says so"),
            result("DUR03", "unsupported", "not claimed: one process only"),
            result("TTL01", "unsupported", "the store has no set_ttl"),
            result("TTL02", "skipped"),
        ]
    )
    assert counts == {
        "held": 1, "broken": 1, "documented": 1, "unclaimed": 1, "unsupported": 1, "unknown": 0,
        "skipped": 1,
    }  # fmt: skip


def test_the_page_has_a_row_per_target_and_a_paragraph_per_finding() -> None:
    """With the counts, the loss, the version, the script and what to do."""
    broken = result("DUR02", "broken", "gone", evidence=["add ok", "read nothing"])
    checks = (result("ISO01", "held"), broken, result("TTL01", "skipped"))
    text = page(told(run("mem0-faiss", *checks)))
    row = "| [mem0-faiss](#mem0-faiss) | 1 / **1** / 0 / 0 | 1 / 0 / 0 / 0 | 0 / **1** / 0 / 0 |"
    assert row in text
    assert "25.0 % (50 of 200)" in text
    assert "Right: 1 of 2 promises held**; all that was asked of isolation (1)." in text
    assert "```text\ngone\nadd ok\nread nothing\n```" in text
    assert "[findings/mem0/DUR02_faiss.py](../findings/mem0/DUR02_faiss.py) exits 1" in text
    assert "- What to do: keep a copy." in text
    assert "mem0ai 2.2.1" in text
    assert "- mem0-faiss: 1 (TTL01)" in text  # what was not asked is said


def test_what_is_documented_stands_apart() -> None:
    """And is a number after a plus in the table."""
    text = page(told(run("mem0", result("DUR02", "broken", "gone", documented="a list"))))
    assert "| 0 / 0+1 / 0 / 0 |" in text
    assert "Broken, and documented as such:\n\n- DUR02 lost: gone" in text


def test_a_target_that_could_not_be_asked_is_a_row_that_says_so() -> None:
    """It is neither right nor wrong."""
    text = page(told(run("mem0", error="no end within 420 s")))
    assert "| [mem0](#mem0) | not asked: no end within 420 s |" in text
    assert "It could not be asked: no end within 420 s." in text


def test_hostile_text_is_only_text() -> None:
    """In the table, in paragraphs and in blocks of code; and the page can be encoded."""
    broken = result("DUR02", "broken", NASTY, evidence=["```", NASTY])
    text = page(told(run("mem0", broken, result("ISO01", "unknown", NASTY))))
    text.encode()
    assert "\x1b" not in text
    assert "- unknown: ISO01: a \\| b \\<script\\> \\`x\\` \\*\\*y\\*\\*" in text
    assert fenced(["```"]) == ["````text", "```", "````"]
    assert escaped("two\nlines | of it") == "two lines \\| of it"


def test_a_script_is_about_the_checks_that_it_names() -> None:
    """Its own by its file, others by its docstring, and never those of another kind or library."""
    assert scripts_of("mem0-faiss", "DUR02", [SCRIPT]) == [SCRIPT]
    assert scripts_of("mem0-faiss", "DUR03", [SCRIPT]) == [SCRIPT]
    assert scripts_of("mem0-faiss", "DUR04", [SCRIPT]) == []
    assert scripts_of("mem0", "DUR02", [SCRIPT]) == []  # it is about FAISS
    assert scripts_of("langchain-file", "DUR02", [SCRIPT]) == []
    ranged = "behind DUR16 to\nDUR18, FLT04 and FLT13"
    assert codes_in(ranged) == {"DUR16", "DUR17", "DUR18", "FLT04", "FLT13"}
    assert advice(SCRIPT["about"]) == "keep a copy."


def test_what_was_asked_again_takes_the_place_of_the_first_answer() -> None:
    """Unless there was no time for it."""
    first = [result("DUR01", "broken"), result("DUR02", "unknown")]
    second = [result("DUR01", "held"), result("DUR02", "skipped")]
    assert [each["verdict"] for each in merged(first, second)] == ["held", "unknown"]


def test_a_target_is_asked_and_its_report_is_kept(tmp_path: Path) -> None:
    """By the command line of this tree; a target that is none is an error with its reason."""
    python = Path(sys.executable)
    hasty = Question(ROOT, python, "specimen:wiped-on-open", 1, "smoke", 0.001)
    ask(hasty, tmp_path)
    kept = json.loads((tmp_path / "specimen:wiped-on-open.json").read_text())
    assert (kept["target"], kept["error"]) == ("specimen:wiped-on-open", "")
    assert {"code", "verdict", "documented"} <= set(kept["checks"][0])
    assert "no target" in ask(Question(ROOT, python, "nonsense", 1, "smoke", 5), tmp_path)


def test_an_environment_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    """In the last line of what pip or venv said."""
    place = tmp_path / "occupied"
    place.write_text("a file")
    with pytest.raises(NotInstalledError, match="occupied"):
        prepared(ROOT, place, "all")

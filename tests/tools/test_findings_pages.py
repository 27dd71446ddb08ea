"""The pages of findings say what the runs said: no more, no less, and nothing that acts."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from goldfish.integrations.libraries import library_of
from goldfish.integrations.mem0 import MEM0
from tools.findings.details import render_library
from tools.findings.environments import NotInstalledError, prepare
from tools.findings.figures import (
    About,
    codes_in,
    compute_figures,
    count_verdicts,
    keep_rows,
    parse_script,
    scripts_of,
)
from tools.findings.highlights import HIGHLIGHTS
from tools.findings.markdown import escape, fence, render_prose
from tools.findings.overview import DATA, list_measured, render_overview
from tools.findings.runs import Job, merge, run

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


def kept(target: str, *checks: dict[str, Any], error: str = "") -> dict[str, Any]:
    """What is kept of one target."""
    counts = {"acknowledged": 200, "lost": 50, "loss_rate": 0.25, "promises": "not for production"}
    return {"target": target, "error": error, "checks": list(checks), **counts}


def figures(*runs: dict[str, Any]) -> dict[str, Any]:
    return compute_figures(runs, KNOWN, [SCRIPT], ASKED)


def test_a_target_belongs_to_the_library_whose_memory_it_is() -> None:
    """Our own stores, also behind the interface of a library, belong to goldfish."""
    names = ("mem0", "mem0-faiss", "adk-sqlite", "memory", "dropin-langchain")
    titles = [library_of(each).title for each in names]
    assert titles == ["Mem0", "Mem0", "Google ADK", "goldfish", "goldfish"]


def test_every_result_is_counted_once_by_its_word() -> None:
    """What is documented or was never claimed is neither broken nor unsupported."""
    counts = count_verdicts(
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


def test_the_overview_has_a_row_per_target_that_leads_to_its_library() -> None:
    """With the counts, the loss, and what is documented apart from what is broken."""
    broken = result("DUR02", "broken", "gone", documented="a list")
    text = render_overview(figures(kept("mem0", result("ISO01", "held"), broken)))
    assert "| [mem0](findings/mem0.md) | 1 | 0 | 1 | 0 | 0 | 25.0 % (50 of 200) |" in text
    assert "held 1 of the 2 promises" in text


def test_the_page_of_a_library_tells_its_findings_by_what_causes_them() -> None:
    """With the reason, the calls, the script, the version and what to do."""
    broken = result("DUR02", "broken", "gone", evidence=["add ok", "read nothing"])
    checks = (result("ISO01", "held"), broken, result("TTL01", "skipped"))
    text = render_library(MEM0, figures(kept("mem0-faiss", *checks)))
    assert "| 1 / **1** / 0 / 0 | 1 / 0 / 0 / 0 | 0 / **1** / 0 / 0 |" in text
    assert "### It forgets\n\nThe same is behind DUR03.\n\n- `mem0-faiss`: DUR02 lost\n" in text
    assert "```text\ngone\nadd ok\nread nothing\n```" in text
    assert "[findings/mem0/DUR02_faiss.py](../../findings/mem0/DUR02_faiss.py) exits 1" in text
    assert "- What to do: keep a copy." in text
    assert "mem0ai 2.2.1" in text
    assert "- `mem0-faiss`: 1 not run, because the time was up (TTL01)" in text


def test_a_target_that_was_not_run_keeps_its_row_and_its_day() -> None:
    """So that one target can be measured anew, on any machine."""
    before = {**figures(kept("mem0"), kept("mem0-faiss")), "asked": {**ASKED, "day": "2026-11-01"}}
    now = keep_rows(figures(kept("mem0", result("ISO01", "held"))), before)
    days = {each["target"]: each["day"] for each in now["targets"]}
    assert days == {"mem0": "2026-11-16", "mem0-faiss": "2026-11-01"}
    assert "Of that day are `mem0`; the others were measured on 2026-11-01." in render_overview(now)


def test_what_is_documented_stands_apart() -> None:
    """And is a number after a plus in the table."""
    broken = result("DUR02", "broken", "gone", documented="a list")
    text = render_library(MEM0, figures(kept("mem0", broken)))
    assert "| 0 / 0+1 / 0 / 0 |" in text
    assert "Its documentation says: a list.\n\n- `mem0`: DUR02 lost" in text


def test_a_target_that_could_not_be_checked_is_a_row_that_says_so() -> None:
    """It is neither right nor wrong."""
    failed = figures(kept("mem0", error="no end within 420 s"))
    row = "| [mem0](findings/mem0.md) | not checked: no end within 420 s |"
    assert row in render_overview(failed)
    assert "| not checked: no end within 420 s |" in render_library(MEM0, failed)


def test_hostile_text_is_only_text() -> None:
    """In the table, in paragraphs and in blocks of code; and the page can be encoded."""
    broken = result("DUR02", "broken", NASTY, evidence=["```", NASTY])
    checks = (broken, result("ISO01", "unknown", NASTY))
    text = render_library(MEM0, figures(kept("mem0", *checks), kept("mem0-faiss", *checks)))
    text.encode()
    assert "\x1b" not in text
    assert "ISO01: unknown: a \\| b \\<script\\> \\`x\\` \\*\\*y\\*\\*" in text
    assert fence(["```"]) == ["````text", "```", "````"]
    assert escape("two\nlines | of it") == "two lines \\| of it"
    assert render_prose("``put_all`` of <b>") == "`put_all` of \\<b\\>"


def test_the_pages_in_the_documentation_are_those_of_the_stored_figures() -> None:
    """As ``make findings ARGS=--pages-only`` writes them."""
    stored, docs = json.loads((ROOT / DATA).read_text()), ROOT / "docs"
    assert (docs / "findings.md").read_text("utf-8") == render_overview(stored)
    for each in list_measured(stored):
        page = docs / "findings" / f"{each.prefix}.md"
        assert page.read_text("utf-8") == render_library(each, stored)


def test_the_ten_findings_are_shown_by_scripts_that_ended_with_1() -> None:
    """Whatever the overview tells was seen in the run that it is made of."""
    stored = json.loads((ROOT / DATA).read_text())
    shown = {each["script"] for each in stored["scripts"] if each["exit"] == 1}
    assert len(HIGHLIGHTS) == 10
    assert [each.script for each in HIGHLIGHTS if each.script not in shown] == []


def test_a_script_is_about_the_checks_that_it_names() -> None:
    """Its own by its file, others by its docstring, and never those of another kind or library."""
    assert scripts_of("mem0-faiss", "DUR02", [SCRIPT]) == [SCRIPT]
    assert scripts_of("mem0-faiss", "DUR03", [SCRIPT]) == [SCRIPT]
    assert scripts_of("mem0-faiss", "DUR04", [SCRIPT]) == []
    assert scripts_of("mem0", "DUR02", [SCRIPT]) == []  # it is about FAISS
    assert scripts_of("langchain-file", "DUR02", [SCRIPT]) == []
    ranged = "behind DUR16 to\nDUR18, FLT04 and FLT13"
    assert codes_in(ranged) == {"DUR16", "DUR17", "DUR18", "FLT04", "FLT13"}
    about = About("It forgets", "The same is behind DUR03.", "keep a copy.")
    assert parse_script(SCRIPT["about"]) == about


def test_what_was_run_again_takes_the_place_of_the_first_answer() -> None:
    """Unless there was no time for it."""
    first = [result("DUR01", "broken"), result("DUR02", "unknown")]
    second = [result("DUR01", "held"), result("DUR02", "skipped")]
    assert [each["verdict"] for each in merge(first, second)] == ["held", "unknown"]


def test_a_target_is_checked_and_its_report_is_kept(tmp_path: Path) -> None:
    """By the command line of this tree; a target that is none is an error with its reason."""
    python = Path(sys.executable)
    hasty = Job(ROOT, python, "specimen:wiped-on-open", 1, "smoke", 0.001)
    run(hasty, tmp_path)
    report = json.loads((tmp_path / "specimen:wiped-on-open.json").read_text())
    assert (report["target"], report["error"]) == ("specimen:wiped-on-open", "")
    assert {"code", "verdict", "documented"} <= set(report["checks"][0])
    assert "no target" in run(Job(ROOT, python, "nonsense", 1, "smoke", 5), tmp_path)


def test_an_environment_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    """In the last line of what pip or venv said."""
    place = tmp_path / "occupied"
    place.write_text("a file")
    with pytest.raises(NotInstalledError, match="occupied"):
        prepare(ROOT, place, "all")

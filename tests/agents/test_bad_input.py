"""Agents that cannot be judged as they are: what goldfish says, and with which exit code."""

import json
from pathlib import Path

import pytest

from goldfish.agents.notes import REWRITTEN
from goldfish.catalogue.registry import catalogue
from goldfish.cli import run_command
from goldfish.engine.baseline import Account
from goldfish.engine.first_turn import open_agent
from goldfish.engine.runner import Plan, run
from goldfish.errors import TargetError
from goldfish.findings.result import Report, Verdict
from goldfish.report.html import render_html
from goldfish.report.json import render_json
from goldfish.targets.declaration import Target
from tests.agents import bots

SERVICE = """
import goldfish
app = goldfish.service(
    ["{{python}}", "-c", {code!r}], say=lambda http, session_id, text: http.get("/").text
)
"""


def judge(target: Target, code: str = "CTX01") -> Report:
    """Return the report of one check, after the agent was opened as the command line does."""
    return run(open_agent(target), [catalogue()[code]], Plan(seed=1, deadline=60))


def test_an_agent_that_calls_a_provider_is_told_whom_and_which_variable_to_read() -> None:
    """The provider was not reached."""
    message = "it called api.openai.com instead: pass sandbox.model_url .* read OPENAI_BASE_URL"
    with pytest.raises(TargetError, match=message):
        open_agent(bots.elsewhere)


def test_an_agent_that_asks_only_for_a_route_that_is_unknown_is_told_which() -> None:
    """It did reach the mirror, so its address is right."""
    with pytest.raises(TargetError, match=r"it asked for POST /v1/engines/chat/completions, which"):
        open_agent(bots.at_another_route)


def test_an_unknown_route_beside_the_prompts_is_a_note_in_every_report() -> None:
    """The verdict stays what it is."""
    report = judge(bots.curious)
    assert report.verdict is Verdict.HELD
    (note,) = report.notes
    assert note == "the mirror does not know POST /v1/audio/chat/completions, and answered 404"
    assert json.loads(render_json([report]))["reports"][0]["notes"] == [note]
    assert note in render_html([Account(report)])


def test_replies_without_a_mark_are_a_note_in_the_report() -> None:
    """Also where the promise is held."""
    report = judge(bots.rewriting)
    assert report.verdict is Verdict.HELD
    assert report.notes == [REWRITTEN]


def test_a_prompt_of_fifty_megabytes_is_judged_and_shortened_in_reports() -> None:
    """What it lost is found, and no report is larger for it."""
    report = judge(bots.wordy, "CTX02")
    (result,) = report.results
    assert result.finding == "lost"
    assert len(render_json([report])) < 100_000
    assert len(render_html([Account(report)])) < 100_000


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("print('no such table: users'); raise SystemExit(3)", "no such table: users"),
        ("print('up')\nimport http.server as h\n"
         "h.HTTPServer(('127.0.0.1', {port}), h.SimpleHTTPRequestHandler).serve_forever()",
         "no request of app reached the mirror: let its client read OPENAI_BASE_URL"),
    ],
)  # fmt: skip
def test_a_service_that_cannot_be_judged_ends_the_run_with_exit_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, said: str
) -> None:
    """Its last lines, or the variable to set; and nothing is checked."""
    (tmp_path / "service.py").write_text(SERVICE.format(code=code))
    assert run_command(["check", f"{tmp_path}/service.py:app", "--only", "CTX01"]) == 2
    assert said in " ".join(capsys.readouterr().err.split())

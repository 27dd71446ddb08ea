"""``goldfish replay``: judge saved calls again, turn them into a test, or run them elsewhere."""

from collections.abc import Sequence
from pathlib import Path

from goldfish.catalogue.registry import Check, Subject
from goldfish.cli.check import refuse_unwritable, write_report
from goldfish.cli.replay_page import render_page
from goldfish.engine.opening import open_target
from goldfish.engine.runner import Plan
from goldfish.engine.runner import run as run_checks
from goldfish.errors import HistoryError, UsageError
from goldfish.findings.result import Verdict
from goldfish.harness.memory import Memory
from goldfish.history import History
from goldfish.history.storage import load_histories
from goldfish.judges import Judgement, judge
from goldfish.judges.evidence import draw_proof
from goldfish.replay.as_test import render_tests
from goldfish.replay.compare import replay_calls
from goldfish.replay.recording import is_recording, load_recording
from goldfish.report.page import Page
from goldfish.report.sanitize import escape_controls, shorten
from goldfish.targets.names import resolve

HELD, FAILED = 0, 1


def replay(
    run: Path,
    *,
    as_test: Path | None = None,
    against: str | None = None,
    html: Path | None = None,
) -> int:
    """Print what the judges find in each history of a run; return 0 if all held."""
    if is_recording(run):
        return _replay_recording(run, against)
    if against and as_test is None:
        raise UsageError("--against needs a recording of goldfish.record, or --as-test")
    if html:
        refuse_unwritable(html)
    judged = [history for history in load_histories(run) if history.about.judged]
    if not judged:
        raise HistoryError(
            f"{run} holds no history that judges can read: save one with --only CON,DUR"
        )
    if as_test is not None:
        return _write_test(judged, as_test, against)
    page = Page()
    worst = max([_print_judgement(page, history) for history in judged])
    for note in write_report(html, lambda: render_page(judged, run)):
        page.write(note)
    return worst


def _write_test(judged: Sequence[History], path: Path, target: str | None) -> int:
    text = render_tests(judged, target)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} already exists: choose another name, or remove it") from None
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another path") from None
    Page().write(f"wrote {path}: run it with `pytest {path}`")
    return HELD


def _replay_recording(recording: Path, against: str | None) -> int:
    """Run the recorded calls against another store, and print the first difference."""
    if against is None:
        raise UsageError(
            f"{recording} is a recording: name the store to run it against with --against"
        )
    calls = load_recording(recording)
    target = open_target(resolve(against))

    async def another_store_answers_the_same(memory: Memory) -> None:
        await replay_calls(memory, calls)

    talks = any(call.method in {"add_messages", "get_history"} for call in calls)
    about: Subject = "messages" if talks else "facts"
    promise = "Another store gives the same answers."
    check = Check("replay", another_store_answers_the_same, about=about, promise=promise)
    (result,) = run_checks(target, [check], Plan()).results
    page = Page()
    sessions = len({str(call.session) for call in calls})
    asked = f"{len(calls):,} calls of {sessions:,} sessions or users"
    page.write(escape_controls(f"{against}: {result.verdict}. {asked} asked again."))
    if result.verdict is Verdict.HELD:
        return HELD
    page.write(shorten(escape_controls(result.summary), 3 * page.width), indent=2)
    for line in result.evidence:
        page.write(shorten(escape_controls(line), 3 * page.width), indent=4)
    return FAILED


def _print_judgement(page: Page, history: History) -> int:
    judgement = judge(history)
    verdict = _choose_verdict(judgement)
    about = history.about
    title = " ".join(filter(None, (about.target, about.code))) or "history"
    counts = f"{len(history.calls):,} calls, {judgement.acknowledged:,} messages acknowledged"
    page.write(escape_controls(f"{title}: {verdict}. {counts}, {judgement.lost:,} lost."))
    for worst in judgement.findings[:1]:
        finding, lines = draw_proof(history, worst)
        page.write(
            shorten(escape_controls(f"{finding.kind}: {finding.summary}"), 3 * page.width),
            indent=2,
        )
        for line in lines:
            page.write(shorten(escape_controls(line), page.width - 4), indent=4)
    return HELD if verdict == "held" else FAILED


def _choose_verdict(judgement: Judgement) -> str:
    if judgement.findings:
        return "broken"
    return "held" if judgement.proven else "unknown"

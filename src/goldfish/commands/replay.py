"""``goldfish replay``: judge a stored history again."""

from pathlib import Path

from goldfish.commands.check import refuse_unwritable, write_file
from goldfish.commands.replay_page import page_of
from goldfish.errors import HistoryError
from goldfish.evidence import evidence
from goldfish.history import History
from goldfish.judges import Judgement, judge
from goldfish.report.discretion import inert, shortened
from goldfish.report.page import Page
from goldfish.runs import histories

HELD, FAILED = 0, 1


def replay(run: Path, html: Path | None = None) -> int:
    """Say what the judges find in each history of a run; 0 if every one held."""
    if html:
        refuse_unwritable(html)
    judged = [history for history in histories(run) if history.about.judged]
    if not judged:
        raise HistoryError(f"{run} holds no history that a judge can tell about: run CON or DUR")
    page = Page()
    worst = max([_told(page, history) for history in judged])
    if html:
        write_file(html, page_of(judged, run), page)
    return worst


def _told(page: Page, history: History) -> int:
    judgement = judge(history)
    verdict = _verdict(judgement)
    about = history.about
    title = " ".join(filter(None, (about.target, about.code))) or "history"
    counts = f"{len(history.calls):,} calls, {judgement.acknowledged:,} messages acknowledged"
    page.write(inert(f"{title}: {verdict}. {counts}, {judgement.lost:,} lost."))
    for worst in judgement.findings[:1]:
        finding, lines = evidence(history, worst)
        page.write(shortened(inert(f"{finding.kind}: {finding.summary}"), 3 * page.width), indent=2)
        for line in lines:
            page.write(shortened(inert(line), page.width - 4), indent=4)
    return HELD if verdict == "held" else FAILED


def _verdict(judgement: Judgement) -> str:
    if judgement.findings:
        return "broken"
    return "held" if judgement.proven else "unknown"

"""Plots: drawn from what the calls showed, and from nothing else."""

from dataclasses import replace

from goldfish.findings.result import Report
from goldfish.history.metrics import Figures
from goldfish.report.html.plots import render_plots
from tests.report.html.reading import Seen, parsed
from tests.report.html.stories import BROKEN_REPORT, HELD

PACE = tuple((number / 10, 0.01 * (number + 1), "ok") for number in range(12))


def drawn(*figures: Figures) -> Seen:
    """The plots of a report with a check for each of the figures."""
    results = [
        replace(HELD, code=f"CON{number:02}", figures=each) for number, each in enumerate(figures)
    ]
    return parsed(render_plots(Report("files", 7, tuple(results))))


def test_without_figures_there_is_no_plot() -> None:
    """Nothing is drawn that was not seen."""
    assert render_plots(BROKEN_REPORT) == ""
    assert render_plots(Report("files", 7, (replace(HELD, figures=Figures(growth=())),))) == ""


def test_loss_is_drawn_by_concurrency_over_all_checks() -> None:
    """Counts of several checks are put together, in columns."""
    seen = drawn(Figures(crowd=((0, 10, 0), (1, 10, 2))), Figures(crowd=((1, 10, 3), (9, 4, 4))))
    assert len(seen.of_class("plot-bar")) == 3
    assert {"0/10", "5/20", "25 %", "4/4", "6+"} <= set(seen.texts)


def test_cost_is_drawn_from_the_check_in_which_a_history_grew_largest() -> None:
    """The plot says which check it was."""
    small, large = ((0, 0.1), (100, 0.2)), ((0, 0.1), (500, 0.3), (1000, 0.9))
    seen = drawn(Figures(growth=small), Figures(growth=large))
    assert len(seen.of_class("plot-dot")) == 3
    assert "Time to add one message as the history grows (CON01)" in seen.texts


def test_calls_around_faults_are_drawn_with_the_time_of_the_fault_shaded() -> None:
    """One small plot for each of the checks with most calls; a failed call has its own colour."""
    failed = (*PACE, (1.2, 0.0, "fail"))
    seen = drawn(*[Figures(pace=failed, faults=((0.2, 0.4, "kill pod1"),))] * 6)
    assert len(seen.named("svg")) == 4
    assert len(seen.of_class("fault")) == 4
    assert len(seen.of_class("fail")) == 4

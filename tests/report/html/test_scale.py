"""The time axis of a drawing."""

from itertools import pairwise

from goldfish.report.html.scale import Scale


def test_moments_keep_their_order_and_fill_the_width() -> None:
    """However near they are, what came first is drawn first, between the margins."""
    moments = [0.0, 1e-6, 0.001, 5.0, 5.000001]
    places = [Scale(moments, 10, 110)(moment) for moment in moments]
    assert places == sorted(places)
    assert len(set(places)) == len(places)
    assert (places[0], round(places[-1], 6)) == (10, 110)


def test_a_moment_between_two_others_is_drawn_between_them() -> None:
    """Also calls that are no boundary of the axis lie where they belong."""
    scale = Scale([0, 1, 2], 0, 100)
    assert scale(0) < scale(0.5) < scale(1) < scale(1.5) < scale(2)
    assert (scale(-1), scale(9)) == (0, scale(2))


def test_a_single_moment_is_no_error() -> None:
    """A call that took no time at all can be drawn."""
    assert Scale([3.0], 5, 50)(3.0) == 5


def test_ticks_keep_their_distance() -> None:
    """Numbers that would overlap are left out."""
    scale = Scale([0, 0.001, 0.002, 10], 0, 100)
    places = [place for _, place in scale.ticks(apart=40)]
    assert all(after - before >= 40 for before, after in pairwise(places))

"""Curves and spines in the plane."""

import numpy as np
from companion.curves import ellipse, even, mirror, resample, smooth, spline, tube
from companion.spine import Bend, Spine

LINE = np.array([(0.0, 0.0), (0.0, 50.0), (0.0, 100.0)])


def test_a_spline_passes_through_its_knots() -> None:
    line = spline("0,0 10,20 30,20! 40,0")
    for knot in ((0, 0), (10, 20), (30, 20), (40, 0)):
        assert np.abs(line - np.array(knot)).sum(axis=1).min() < 1e-9


def test_resampling_keeps_ends_and_spaces_evenly() -> None:
    line = resample(spline("0,0 60,10 100,80"), 21)
    assert np.allclose(line[0], (0, 0)) and np.allclose(line[-1], (100, 80))
    steps = np.sqrt(((line[1:] - line[:-1]) ** 2).sum(axis=1))
    assert steps.max() / steps.min() < 1.05


def test_a_tube_has_the_requested_width() -> None:
    outline = tube(smooth(LINE), even(20.0))
    assert np.allclose(sorted({round(x, 6) for x, _ in outline}), (-10, 10))


def test_mirroring_twice_changes_nothing() -> None:
    ring = ellipse(5, 5, 3, 2)
    assert np.allclose(mirror(mirror(ring, 40), 40), ring)


def test_an_unbent_spine_moves_nothing() -> None:
    points = np.array([(8.0, 10.0), (-5.0, 60.0), (3.0, 120.0)])
    assert np.allclose(Spine(LINE).pose(points, []), points)


def test_a_bent_spine_keeps_its_root_and_its_length() -> None:
    spine = Spine(LINE)
    root, tip = spine.pose(LINE[[0, 2]], [Bend(90, 0.0, 0.2)])
    assert np.allclose(root, (0, 0), atol=0.5)
    # Clockwise on screen: what pointed down points left.
    assert tip[0] < -80 and abs(tip[1]) < 30

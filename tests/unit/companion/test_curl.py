"""The tail of a lying figure: it leaves the body's outline without a cut end or a fold."""

from __future__ import annotations

import numpy as np
import pytest
from companion.curl import tail_girth, tail_spine
from companion.curves import tube
from companion.motions import all_motions


def test_the_tail_begins_as_a_point_and_its_inner_side_never_runs_backwards() -> None:
    spine = tail_spine()
    outline = tube(spine, tail_girth)
    one, other = outline[: len(spine)], outline[len(spine) :][::-1]
    assert np.hypot(*(one[0] - other[0])) < 8.0
    along = np.diff(spine, axis=0)
    for side in (one, other):
        assert (np.diff(side, axis=0) * along).sum(axis=1).min() > 0.0


@pytest.mark.parametrize("group", ["Wake", "Groggy"])
def test_it_gets_up_in_a_movement_and_not_within_one_frame(group: str) -> None:
    (motion,) = (motion for motion in all_motions() if motion.group == group)
    (curl,) = (curve for curve in motion.curves if curve.id == "ParamCurl")
    assert curl.keys[0] == (0.0, 1.0), "it begins as it sleeps"
    low = [at for at, value in curl.keys if value <= 0.04]
    high = [at for at, value in curl.keys if value >= 0.95]
    assert low[0] - high[-1] == pytest.approx(0.35)


def test_it_lies_down_in_less_than_half_a_second() -> None:
    motions = {motion.group: motion for motion in all_motions()}
    (curl,) = (curve for curve in motions["Lie"].curves if curve.id == "ParamCurl")
    (up,) = (at for at, value in curl.keys if value == 1.0 and at < 5)
    assert up - max(at for at, value in curl.keys if value == 0.0 and at < up) == pytest.approx(
        0.45
    )
    assert motions["Sleep"].fade_in == pytest.approx(0.45)

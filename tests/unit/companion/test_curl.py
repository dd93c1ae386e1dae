"""The tail of a lying figure: it leaves the body's outline without a cut end or a fold."""

from __future__ import annotations

import numpy as np
from companion.curl import tail_girth, tail_spine
from companion.curves import tube


def test_the_tail_begins_as_a_point_and_its_inner_side_never_runs_backwards() -> None:
    spine = tail_spine()
    outline = tube(spine, tail_girth)
    one, other = outline[: len(spine)], outline[len(spine) :][::-1]
    assert np.hypot(*(one[0] - other[0])) < 8.0
    along = np.diff(spine, axis=0)
    for side in (one, other):
        assert (np.diff(side, axis=0) * along).sum(axis=1).min() > 0.0

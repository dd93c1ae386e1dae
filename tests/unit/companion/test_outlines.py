"""States can be told apart by their outline alone."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from companion.outlines import STATES, overlap

from tests.support.unmeasured import unmeasured_children

ASSETS = Path(__file__).parents[3] / "assets"
APART = 0.3
"""The smallest share of the area of two outlines that only one of them covers."""


def test_the_overlap_is_the_common_share_of_the_joint_area() -> None:
    one, other = np.zeros((4, 4), dtype=bool), np.zeros((4, 4), dtype=bool)
    one[:2], other[1:3] = True, True
    assert overlap(one, other) == 4 / 12
    assert overlap(one, one) == 1.0


def test_every_two_states_differ_in_their_outline() -> None:
    with unmeasured_children():
        done = subprocess.run(
            [sys.executable, "-m", "companion.outlines", "--states"],
            cwd=ASSETS,
            env={**os.environ, "PYTHONPATH": str(ASSETS)},
            capture_output=True,
            text=True,
            timeout=200,
        )
    assert done.returncode == 0, done.stderr
    found: dict[tuple[str, str], float] = {}
    for line in done.stdout.splitlines():
        match line.split():
            case [one, other, share] if one in STATES:
                found[one, other] = float(share)
    assert set(found) == set(combinations(STATES, 2))
    assert not {pair: share for pair, share in found.items() if share < APART}

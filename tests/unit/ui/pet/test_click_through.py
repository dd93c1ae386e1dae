"""What is seen is what is clickable: 2,600 points on two screens, at 100 to 225 %."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect

from neodeskpet.ui.pet.click_through import distance, pause

KINDS = ("within", "between", "one screen fewer", "shown again")


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs an X server of its own")
@pytest.mark.parametrize("scales", [("1", "1.25"), ("1.5", "1.75"), ("2", "2.25")])
def test_it_takes_clicks_exactly_where_it_is_seen(cache: Path, scales: tuple[str, str]) -> None:
    command = [sys.executable, "-m", "tests.support.touchprobe", str(cache), *scales]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["probes"] >= 800
    assert told["opaque"] >= 200
    assert told["hidden"] == 1, "hidden it stays hidden, whatever the screens do"
    assert {kind: told[f"wrong {kind}"] for kind in KINDS} == dict.fromkeys(KINDS, 0)


def test_a_pointer_far_away_is_looked_for_less_often() -> None:
    window = QRect(1000, 500, 200, 300)
    beside = [(1100, 600), (1000 - 160, 600), (1100, 799 + 161), (0, 0)]
    away = [distance(QPoint(*point), window) for point in beside]
    assert away == [0, 160, 161, 1000]
    assert [pause(pixels) for pixels in away] == [30, 30, 120, 360]
    pauses = [pause(pixels) for pixels in range(3000)]
    assert pauses == sorted(pauses)
    # Whoever was far away, and comes no faster than from the rim in 120 ms, is seen to come.
    assert all(ms <= 120 * pixels / 160 for pixels, ms in enumerate(pauses) if pixels > 160)

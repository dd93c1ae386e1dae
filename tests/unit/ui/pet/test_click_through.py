"""What is seen is what is clickable: 2,600 points on two screens, at 100 to 225 %."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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
    assert told["far"] == 2
    assert told["arrivals"] >= 20
    assert told["wrong arrivals"] == 0, "before it is known where the pointer is"

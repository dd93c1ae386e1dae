"""Whether the memory of the app grows: `./run bench growth [--minutes N]`.

A user's lively day (`tests/soak`), of which only the app's own memory is judged. The exit code is 1
if it grows after the first ten minutes.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from neodeskpet.cli.demo_command import virtual_display
from tests.bench.light.goals import Goals, lines
from tests.soak.__main__ import run_day
from tests.soak.verdict import GROWTH_LIMIT, WARM_SECONDS, Sample, growth

GOALS: Goals = {
    "warm_mib": ("", "own memory (of no file) after ten minutes, MiB", 0),
    "last_mib": ("", "own memory at the end, MiB", 0),
    "turns": ("", "things that the user did until then", 0),
    "growth_mib_h": ("<=", "growth after the first ten minutes, MiB an hour", GROWTH_LIMIT),
    "growth_least_mib_h": ("", "certainly more than", 0),
    "growth_most_mib_h": ("", "certainly less than", 0),
}
_LEAST_MINUTES = 15.0
_EDGE = 12
"""Samples that give the memory at a moment: a minute."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./run bench growth", description=__doc__)
    parser.add_argument("--minutes", type=float, default=40.0)
    minutes = max(parser.parse_args(arguments).minutes, _LEAST_MINUTES)
    os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")
    with tempfile.TemporaryDirectory() as name, virtual_display():
        samples = run_day(Path(name), minutes * 60, "lively", seed=1).samples
    figures = growth_figures(samples)
    print()
    for row in lines(figures, GOALS):
        print(row)
    return 0 if figures.get("growth_mib_h", float("inf")) <= GROWTH_LIMIT else 1


def growth_figures(samples: Sequence[Sample]) -> dict[str, float]:
    """The rows of these samples; without `growth_mib_h` if they are too few."""
    warm = [one for one in samples if one.seconds >= WARM_SECONDS]
    grown = growth(samples)
    if grown is None or not warm:
        return {}
    return {
        "warm_mib": _middle(warm[:_EDGE]),
        "last_mib": _middle(warm[-_EDGE:]),
        "turns": float(warm[-1].turns),
        "growth_mib_h": grown.an_hour,
        "growth_least_mib_h": grown.min_budget,
        "growth_most_mib_h": grown.most,
    }


def _middle(samples: Sequence[Sample]) -> float:
    return sorted(one.own for one in samples)[len(samples) // 2]

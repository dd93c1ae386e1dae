"""Judges the samples of a soak test. Pure: `judge(samples, …)` returns what is wrong."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

WARM_SECONDS = 600.0
"""Memory is judged after these: caches fill, pools and conversations reach their size."""
JUDGED_SECONDS = 600.0
"""A shorter span says nothing about an hour."""
_MINUTE = 60.0
_CERTAIN = 1.96  # standard deviations: 95 of 100
GROWTH_LIMIT = 2.0
_FEW = 12
"""The content of an open conversation is no leak: memory counts while it has at most this many
messages. One of a hundred has up to 15 MiB.
"""
_LEAST = 3
"""This many more at the end than ever at the beginning are a leak."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The app at `seconds` from its start; memory in MiB.

    `own` is judged: memory that is only freed by the app or its end. The pages of `files`
    (libraries, fonts, databases) can be dropped and read again by the system: they are loaded at
    the first use, and say nothing about a leak.
    """

    seconds: float
    own: float
    files: float
    pss: float
    handles: int
    threads: int
    children: int
    tasks: int = 0
    objects: int = 0
    turns: int = 0
    shown: int = 0
    """Messages of the open conversation."""


@dataclass(frozen=True, slots=True)
class Growth:
    """MiB per hour, and the interval of the true value in 95 of 100 runs."""

    an_hour: float
    min_budget: float
    most: float

    @property
    def over(self) -> bool:
        """Return whether it is more than allowed, and certainly more than nothing."""
        return self.an_hour > GROWTH_LIMIT and self.min_budget > 0.0


def growth(samples: Sequence[Sample], after: float = WARM_SECONDS) -> Growth | None:
    """Return how fast the memory grows after the warm-up; None if there is too little data.

    Of each minute the median counts, among the moments with few open messages, and of the lines
    through each two minutes the median one (Theil and Sen): a picture that is just shown, or a
    short-lived child process, doesn't change it. The confidence follows from how many of the lines
    rise (Kendall).
    """
    minutes: dict[int, list[Sample]] = {}
    for sample in samples:
        if sample.seconds >= after and sample.shown <= _FEW:
            minutes.setdefault(int(sample.seconds // _MINUTE), []).append(sample)
    points = [
        (minute * _MINUTE / 3600, statistics.median(s.own for s in some))
        for minute, some in sorted(minutes.items())
    ]
    if len(points) < 4:
        return None
    slopes = sorted((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2))
    count = len(points)
    spread = _CERTAIN * math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    low = max(0, math.floor((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, math.ceil((len(slopes) + spread) / 2))
    return Growth(statistics.median(slopes), slopes[low], slopes[high])


def leaks(samples: Sequence[Sample], settled: float = 30.0) -> list[str]:
    """Return what was more at every moment of the last third than at any of the first."""
    kept = [s for s in samples if s.seconds >= settled]
    third = len(kept) // 3
    if third < 2:
        return []
    found = []
    for name in ("handles", "threads", "tasks", "children", "objects"):
        first = [getattr(s, name) for s in kept[:third]]
        last = [getattr(s, name) for s in kept[-third:]]
        most = max(first)
        # Hundreds of widgets are created and deleted: a few more are no leak.
        least = _LEAST if name != "objects" else max(_LEAST, most // 10)
        if min(last) > most + least:
            found.append(f"{name} grow: at most {most} in the first third, at least {min(last)}"
                         " in the last")  # fmt: skip
    return found


def judge(samples: Sequence[Sample], longest: float, hold_limit: float) -> list[str]:
    """Return what is wrong with a run that ended by itself; `longest` and the limit in
    milliseconds.
    """
    wrong = leaks(samples)
    if longest > hold_limit:
        wrong.append(f"the interface's thread was held for {longest:.0f} ms"
                     f" (limit {hold_limit:.0f})")  # fmt: skip
    span = samples[-1].seconds - WARM_SECONDS if samples else 0.0
    grows = growth(samples)
    if grows is None and span >= JUDGED_SECONDS:
        wrong.append("memory can't be judged: few messages were open at too few moments")
    if grows is not None and span >= JUDGED_SECONDS and grows.over:
        wrong.append(f"memory grows by {grows.an_hour:.1f} MiB an hour, at least by"
                     f" {grows.min_budget:.1f} (limit {GROWTH_LIMIT:.0f})")  # fmt: skip
    return wrong


def last_words(said: str) -> str:
    """Return the last output of a crashing process, without the threads that only wait
    (faulthandler prints all).
    """
    head, fault, rest = said.partition("Fatal Python error")
    if not fault:
        return said.strip()[-4000:]
    kind, _, stacks = rest.partition("\n")
    blocks = [block for block in stacks.split("\n\n") if block.startswith("Current thread")]
    return f"{head[-2000:]}{fault}{kind}\n{''.join(blocks)}".strip()

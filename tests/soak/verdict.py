"""What a soak's samples come to. Pure: `judge(samples, …)` says what is wrong."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

WARM_SECONDS = 900.0
"""Memory is judged after these: caches fill, pools and conversations reach their size."""
JUDGED_SECONDS = 600.0
"""A shorter span says nothing about an hour."""
GROWTH_LIMIT = 2.0
_LEAST = 3
"""So many more at the end than ever at the beginning are a leak."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The app at `seconds` from its start; memory in MiB.

    `own` is what is judged: memory that only the app's end or its giving back frees. The pages of
    `files` (libraries, fonts, databases) are the system's to drop and to read again as it likes:
    they come with what is used for the first time, and say nothing of a leak.
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


@dataclass(frozen=True, slots=True)
class Growth:
    """MiB an hour, and how far the true value may be from it (two standard errors)."""

    an_hour: float
    give: float


def growth(samples: Sequence[Sample], after: float = WARM_SECONDS) -> Growth | None:
    """How fast the memory grows, by a line through the samples after the warm-up; None where
    there are too few.
    """
    points = [(s.seconds / 3600, s.own) for s in samples if s.seconds >= after]
    if len(points) < 4:
        return None
    middle = statistics.fmean(x for x, _ in points)
    spread = sum((x - middle) ** 2 for x, _ in points)
    if spread == 0:
        return None
    level = statistics.fmean(y for _, y in points)
    slope = sum((x - middle) * (y - level) for x, y in points) / spread
    rest = sum((y - level - slope * (x - middle)) ** 2 for x, y in points)
    return Growth(slope, 2 * math.sqrt(rest / (len(points) - 2) / spread))


def leaks(samples: Sequence[Sample], settled: float = 30.0) -> list[str]:
    """What there was more of at every moment of the last third than at any of the first."""
    kept = [s for s in samples if s.seconds >= settled]
    third = len(kept) // 3
    if third < 2:
        return []
    found = []
    for name in ("handles", "threads", "tasks", "children", "objects"):
        first = [getattr(s, name) for s in kept[:third]]
        last = [getattr(s, name) for s in kept[-third:]]
        most = max(first)
        # Widgets come and go by the hundred: a few more are no leak.
        least = _LEAST if name != "objects" else max(_LEAST, most // 10)
        if min(last) > most + least:
            found.append(f"{name} grow: at most {most} in the first third, at least {min(last)}"
                         " in the last")  # fmt: skip
    return found


def judge(samples: Sequence[Sample], longest: float, hold_limit: float) -> list[str]:
    """What is wrong with a run that ended by itself; `longest` and the limit in milliseconds."""
    wrong = leaks(samples)
    if longest > hold_limit:
        wrong.append(f"the interface's thread was held for {longest:.0f} ms"
                     f" (limit {hold_limit:.0f})")  # fmt: skip
    span = samples[-1].seconds - WARM_SECONDS if samples else 0.0
    grows = growth(samples)
    if grows is not None and span >= JUDGED_SECONDS and grows.an_hour - grows.give > GROWTH_LIMIT:
        wrong.append(f"memory grows by {grows.an_hour:.1f} ± {grows.give:.1f} MiB an hour"
                     f" (limit {GROWTH_LIMIT:.0f})")  # fmt: skip
    return wrong


def last_words(said: str) -> str:
    """What a dying process said, without the threads that only wait (faulthandler tells all)."""
    head, fault, rest = said.partition("Fatal Python error")
    if not fault:
        return said.strip()[-4000:]
    kind, _, stacks = rest.partition("\n")
    blocks = [block for block in stacks.split("\n\n") if block.startswith("Current thread")]
    return f"{head[-2000:]}{fault}{kind}\n{''.join(blocks)}".strip()

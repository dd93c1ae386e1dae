"""Working in spans beside the person, and stretching with them at the break.

A span is an ordinary timer whose label says so ("Pomodoro", "专注"), set for not too long: whoever
sets it, by the menu, in words, or through a model. Pure: times are unix seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.live2d.life.feats import Feat
from neodeskpet.live2d.life.turning import STRETCH
from neodeskpet.live2d.poses import Pose, words

MINUTES, BREAK_MINUTES = 25, 5
_WORK = frozenset({"pomodoro", "focus", "番茄", "番茄钟", "专注"})
_REST = frozenset({"break", "pause", "rest", "休息"})
_LONGEST = 3 * 3600.0
_UNANSWERED = 600.0
"""A span that rang so long ago is over, answered or not."""


class Span(Enum):
    WORK = auto()
    REST = auto()


@dataclass(frozen=True, slots=True)
class Running:
    """A timer as it matters here."""

    label: str
    set_at: float
    due: float


def span_at(timers: Iterable[Running], now: float) -> Span | None:
    """What is going on: a break goes before work, for it begins later."""
    found = {_span(timer, now) for timer in timers}
    return next((span for span in (Span.REST, Span.WORK) if span in found), None)


def is_work(label: str) -> bool:
    """Whether a timer of this label is a span of work."""
    return _says(label, _WORK)


def _says(label: str, named: Iterable[str]) -> bool:
    said = set(words(label))
    return any(word in said or (not word.isascii() and word in label) for word in named)


def _span(timer: Running, now: float) -> Span | None:
    if timer.due - timer.set_at > _LONGEST:
        return None
    if _says(timer.label, _REST):
        return Span.REST if now < timer.due else None
    if not is_work(timer.label):
        return None
    if now < timer.due:
        return Span.WORK
    return Span.REST if now - timer.due < _UNANSWERED else None


@dataclass(frozen=True, slots=True)
class Deed:
    """What to do: show a `pose` for so many seconds, or a feat."""

    pose: Pose | None = None
    seconds: float = 0.0
    feat: Feat | None = None


class Beside:
    """It works for a while, looks up, and goes on; at the break it stretches, twice. Times of a
    steady clock.
    """

    WORKS, LOOKS_UP = (40.0, 80.0), (15.0, 45.0)
    AGAIN = 12.0
    """After so long in the break it stretches once more."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._span: Span | None = None
        self._next = 0.0
        self._stretches = 0

    @property
    def span(self) -> Span | None:
        return self._span

    def see(self, span: Span | None, now: float) -> None:
        """This goes on now."""
        if span is self._span:
            return
        self._span = span
        self._next = now + (2.0 if span is Span.WORK else 0.5)
        self._stretches = 2 if span is Span.REST else 0

    def due(self, now: float) -> Deed | None:
        """What to do now, if anything."""
        if self._span is None or now < self._next:
            return None
        if self._span is Span.REST:
            return self._stretch(now)
        works = self._random.uniform(*self.WORKS)
        self._next = now + works + self._random.uniform(*self.LOOKS_UP)
        return Deed(Pose.WORKING, works)

    def _stretch(self, now: float) -> Deed | None:
        if not self._stretches:
            return None
        self._stretches -= 1
        self._next = now + self.AGAIN
        return Deed(feat=STRETCH)

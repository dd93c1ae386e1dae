"""The companion works during the user's pomodoro sessions and stretches in the breaks.

A session is an ordinary timer with a matching label ("Pomodoro", "专注") and a limited length, set
by the menu, by text or by a model. Pure: times are Unix seconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from random import Random

from neodeskpet.figure.behaviour.tricks import STRETCH, Trick
from neodeskpet.figure.poses import Pose, name_words

MINUTES, BREAK_MINUTES = 25, 5
_WORK = frozenset({"pomodoro", "focus", "番茄", "番茄钟", "专注"})
_REST = frozenset({"break", "pause", "rest", "休息"})
_LONGEST = 3 * 3600.0
_UNANSWERED = 600.0
"""Seconds after which a session that rang is over, answered or not."""


class PomodoroPhase(Enum):
    WORK = auto()
    REST = auto()


@dataclass(frozen=True, slots=True)
class RunningTimer:
    """The used values of a timer."""

    label: str
    set_at: float
    due: float


def pomodoro_phase_at(timers: Iterable[RunningTimer], now: float) -> PomodoroPhase | None:
    """Return the current phase: a break counts before work, since it starts later."""
    found = {_span(timer, now) for timer in timers}
    return next((span for span in (PomodoroPhase.REST, PomodoroPhase.WORK) if span in found), None)


def is_work_label(label: str) -> bool:
    """Return whether a timer of this label is a work session."""
    return _says(label, _WORK)


def _says(label: str, named: Iterable[str]) -> bool:
    said = set(name_words(label))
    return any(word in said or (not word.isascii() and word in label) for word in named)


def _span(timer: RunningTimer, now: float) -> PomodoroPhase | None:
    if timer.due - timer.set_at > _LONGEST:
        return None
    if _says(timer.label, _REST):
        return PomodoroPhase.REST if now < timer.due else None
    if not is_work_label(timer.label):
        return None
    if now < timer.due:
        return PomodoroPhase.WORK
    return PomodoroPhase.REST if now - timer.due < _UNANSWERED else None


@dataclass(frozen=True, slots=True)
class PomodoroAct:
    """An act: show a `pose` for some seconds, or a trick."""

    pose: Pose | None = None
    seconds: float = 0.0
    trick: Trick | None = None


class PomodoroCompany:
    """The companion works for a while, looks up, and continues; in the break it stretches twice.
    Times of a monotonic clock.
    """

    WORKS, LOOKS_UP = (40.0, 80.0), (15.0, 45.0)
    AGAIN = 12.0
    """Seconds of the break after which it stretches again."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._span: PomodoroPhase | None = None
        self._next = 0.0
        self._stretches = 0

    @property
    def phase(self) -> PomodoroPhase | None:
        return self._span

    def set_phase(self, span: PomodoroPhase | None, now: float) -> None:
        """Set the current phase."""
        if span is self._span:
            return
        self._span = span
        self._next = now + (2.0 if span is PomodoroPhase.WORK else 0.5)
        self._stretches = 2 if span is PomodoroPhase.REST else 0

    def due(self, now: float) -> PomodoroAct | None:
        """Return the act to perform now, if any."""
        if self._span is None or now < self._next:
            return None
        if self._span is PomodoroPhase.REST:
            return self._stretch(now)
        works = self._random.uniform(*self.WORKS)
        self._next = now + works + self._random.uniform(*self.LOOKS_UP)
        return PomodoroAct(Pose.WORKING, works)

    def _stretch(self, now: float) -> PomodoroAct | None:
        if not self._stretches:
            return None
        self._stretches -= 1
        self._next = now + self.AGAIN
        return PomodoroAct(trick=STRETCH)

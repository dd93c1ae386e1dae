"""The companion works during the user's pomodoro sessions and stretches in the breaks.

A session is an ordinary timer with a matching label ("Pomodoro", "专注") and a limited length, set
by the menu, by text or by a model. Pure: times are Unix seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, auto
from random import Random

from neodeskpet.core.i18n import N_
from neodeskpet.figure.behaviour.tricks import STRETCH, Trick
from neodeskpet.figure.poses import Pose, name_words
from neodeskpet.language import tr_count

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


def current_session(
    timers: Iterable[RunningTimer], now: float
) -> tuple[PomodoroPhase, RunningTimer] | None:
    """Return the current phase and its timer. A break counts before work, since it starts later; of
    several timers, the one that rings first.
    """
    spans = {timer: _span(timer, now) for timer in timers}
    for phase in (PomodoroPhase.REST, PomodoroPhase.WORK):
        found = [timer for timer, span in spans.items() if span is phase]
        if found:
            return phase, min(found, key=lambda one: one.due)
    return None


def ended_sessions(timers: Iterable[RunningTimer], now: float) -> list[RunningTimer]:
    """Return the work sessions that rang lately."""
    return [
        one
        for one in timers
        if is_work_label(one.label)
        and one.due - one.set_at <= _LONGEST
        and 0 <= now - one.due < _UNANSWERED
    ]


@dataclass(frozen=True, slots=True)
class FocusTally:
    """The work sessions of one day: their minutes by the time at which they were set. A session
    that was given more time counts once.
    """

    day: date
    minutes: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def of_text(cls, text: str | None, today: date) -> FocusTally:
        """Read what `text` returns; a tally of today is empty if that is of another day."""
        with suppress(ValueError, TypeError, AttributeError, KeyError):
            found = json.loads(text or "")
            if found["day"] == today.isoformat():
                return cls(today, {int(at): int(one) for at, one in found["minutes"].items()})
        return cls(today)

    def text(self) -> str:
        """Return the form that is stored."""
        return json.dumps({"day": self.day.isoformat(), "minutes": dict(self.minutes)})

    def with_session(self, session: RunningTimer) -> FocusTally:
        """Return the tally with a session that ended, at its own day."""
        day = datetime.fromtimestamp(session.due).date()
        length = max(1, round((session.due - session.set_at) / 60))
        others = self.minutes if day == self.day else {}
        return FocusTally(day, {**others, round(session.set_at): length})

    @property
    def count(self) -> int:
        return len(self.minutes)

    @property
    def total(self) -> int:
        """The minutes of all sessions."""
        return sum(self.minutes.values())


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


def tally_words(tally: FocusTally) -> str:
    """Return the tally in words, "" if it is empty."""
    if not tally.count:
        return ""
    one, many = (
        N_("{count} session today, {minutes} min"),
        N_("{count} sessions today, {minutes} min"),
    )
    return tr_count(one, many, tally.count, minutes=str(tally.total))


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

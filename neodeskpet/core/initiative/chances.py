"""Chances to speak, noticed by looking now and then."""

from __future__ import annotations

from collections.abc import Iterator

from neodeskpet.core.initiative.moment import AWAY_SECONDS, PAUSE_SECONDS, RemarkContext, RemarkKind

RESTING_SECONDS = 240.0
"""A pause of so many seconds is a chance; it is one only once."""
SILENT_SECONDS = 2 * 86_400.0
"""Seconds since the two talked."""
RECALL_EVERY_SECONDS = 1_800.0
"""Seconds between two looks into the memory."""


def part_of_day(minute: int) -> str:
    """Which of the four parts a minute of the day is in."""
    hour = minute // 60
    if 5 <= hour < 11:
        return "morning"
    if 11 <= hour < 18:
        return "day"
    return "evening" if 18 <= hour < 23 else "night"


class RemarkOpportunities:
    """Looks at one moment after the other. What may be said is another's to decide."""

    def __init__(self) -> None:
        self._part = ""
        self._rested = False
        self._recalled: float | None = None

    def update(
        self, moment: RemarkContext, talked: float | None
    ) -> Iterator[tuple[RemarkKind, str]]:
        """The chances there are now, and what each is about. `talked`: when the two talked last. A
        part of the day in which the app starts is none: the start has a greeting of its own.
        """
        idle = moment.noticed.idle
        if idle is None or idle > AWAY_SECONDS:
            return
        part = part_of_day(moment.minute)
        if part != self._part:
            begun, self._part = bool(self._part), part
            if begun:
                yield RemarkKind.TIME, part
        if idle < PAUSE_SECONDS:
            self._rested = False
        elif idle >= RESTING_SECONDS and not self._rested:
            self._rested = True
            yield RemarkKind.IDLE, ""
        if talked is not None and moment.now - talked > SILENT_SECONDS:
            yield RemarkKind.SILENCE, str(int((moment.now - talked) // 86_400))
        if self._recalled is None:
            self._recalled = moment.now
        elif abs(moment.now - self._recalled) >= RECALL_EVERY_SECONDS:
            self._recalled = moment.now
            yield RemarkKind.MEMORY, ""

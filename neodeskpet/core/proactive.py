"""Proactive remarks: the reasons, the moments, the limits, and the queue. No window, no model, no
clock. Times are Unix seconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto


class RemarkKind(StrEnum):
    """The occasion of a remark. The values are stored."""

    IDLE = "idle"
    """The user takes a break."""
    TIME = "time"
    """A part of the day begins."""
    TASK = "task"
    """A task that the user asked for has ended."""
    SILENCE = "silence"
    """There was no conversation for days."""
    MEMORY = "memory"
    """A fact that the user once told."""


KEPT_KINDS = frozenset((RemarkKind.TASK, RemarkKind.MEMORY))
"""Remarks that are still useful later."""


@dataclass(frozen=True, slots=True)
class Remark:
    """`about` is the subject (a part of the day, an ended task, a fact). `words` is "" until the
    model has written the text.
    """

    id: str
    kind: RemarkKind
    about: str
    at: float
    words: str = ""


class Detection(Enum):
    """Whether a state of the desktop was detected."""

    YES = auto()
    NO = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class UserPresence:
    """`idle`: seconds since the last key press or pointer movement, None if unknown."""

    idle: float | None = None
    fullscreen: Detection = Detection.UNKNOWN
    call: Detection = Detection.UNKNOWN
    shared: Detection = Detection.UNKNOWN


@dataclass(frozen=True, slots=True)
class RemarkContext:
    """`minute` is the minute of the local day. `quiet`: the user wants quiet, or no bubble can be
    shown. `talking`: a turn runs, or the user is writing to the companion.
    """

    now: float
    minute: int
    noticed: UserPresence
    quiet: bool = False
    talking: bool = False


@dataclass(frozen=True, slots=True)
class RemarkSettings:
    """Quiet hours begin and end at these hours of the day; equal hours mean none."""

    on: bool = False
    kinds: frozenset[RemarkKind] = frozenset(RemarkKind)
    quiet_from: int = 22
    quiet_to: int = 8


class SilenceReason(StrEnum):
    """Why no remark may be made now."""

    OFF = "off"
    NIGHT = "quiet hours"
    QUIET = "quiet"
    TALKING = "talking"
    UNDETECTED = "user activity is unknown"
    TYPING = "typing"
    AWAY = "away"
    FULLSCREEN = "full screen"
    CALL = "call"
    SHARED = "shared screen"


PAUSE_SECONDS = 20.0
"""Seconds without a key press or pointer movement that count as a pause."""
AWAY_SECONDS = 600.0
"""After this many seconds the user counts as away."""


def is_quiet_hour(minute: int, settings: RemarkSettings) -> bool:
    """Return whether this minute of the day is in the quiet hours."""
    begin, end = settings.quiet_from * 60, settings.quiet_to * 60
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def silence_reason(moment: RemarkContext, settings: RemarkSettings) -> SilenceReason | None:
    """Return the first reason not to speak; None if speaking is allowed. It is not allowed if
    typing or full screen can't be detected. Calls and shared screens can't be detected on every
    system; the settings tell the user so.
    """
    noticed, idle = moment.noticed, moment.noticed.idle
    reasons = (
        (not settings.on, SilenceReason.OFF),
        (is_quiet_hour(moment.minute, settings), SilenceReason.NIGHT),
        (moment.quiet, SilenceReason.QUIET),
        (moment.talking, SilenceReason.TALKING),
        (idle is None or noticed.fullscreen is Detection.UNKNOWN, SilenceReason.UNDETECTED),
        (idle is not None and idle < PAUSE_SECONDS, SilenceReason.TYPING),
        (idle is not None and idle > AWAY_SECONDS, SilenceReason.AWAY),
        (noticed.fullscreen is Detection.YES, SilenceReason.FULLSCREEN),
        (noticed.call is Detection.YES, SilenceReason.CALL),
        (noticed.shared is Detection.YES, SilenceReason.SHARED),
    )
    return next((reason for holds, reason in reasons if holds), None)


LEAST_GAP_SECONDS = 900.0
"""Minimum seconds between two remarks."""
HOUR, PER_HOUR = 3_600.0, 2
DAY, PER_DAY = 86_400.0, 6
"""In any 24 hours, so a calendar day never has more."""
STALE_SECONDS = 1_800.0
"""Seconds that a remark waits for a suitable moment."""
MOST_HELD, MOST_LEFT = 20, 50
"""Limits of the queue and of the inbox; the oldest entries are dropped."""
KIND_GAPS: Mapping[RemarkKind, float] = {
    RemarkKind.IDLE: 2 * HOUR,
    RemarkKind.TIME: 3 * HOUR,
    RemarkKind.TASK: 0.0,
    RemarkKind.SILENCE: DAY,
    RemarkKind.MEMORY: DAY,
}
"""Minimum seconds between two remarks of a kind; each "less of this" doubles it (from at least an
hour).
"""
_MOST_LESS = 8


class RemarkHistory:
    """The stored state of proactive remarks: what was said, the queue, the inbox."""

    def __init__(self) -> None:
        self._spoken: list[tuple[float, RemarkKind]] = []
        self._less: dict[RemarkKind, tuple[int, float]] = {}  # how often, and the last time
        self._held: list[Remark] = []
        self._inbox: list[Remark] = []

    @property
    def waiting(self) -> Sequence[Remark]:
        """The remarks that wait for a pause, the oldest first."""
        return tuple(self._held)

    @property
    def inbox(self) -> Sequence[Remark]:
        """The remarks that could not be said, the newest first."""
        return tuple(reversed(self._inbox))

    def offer(self, remark: Remark, settings: RemarkSettings) -> bool:
        """Queue the remark; return False if it is not allowed or already queued."""
        if (
            not settings.on
            or remark.kind not in settings.kinds
            or self.is_due_at(remark) > remark.at
        ):
            return False
        if any((one.kind, one.about) == (remark.kind, remark.about) for one in self._held):
            return False
        self._held = [*self._held, remark][-MOST_HELD:]
        return True

    def is_due_at(self, remark: Remark) -> float:
        """Return the time from which this kind of remark is allowed, apart from the
        common limits.
        """
        kind = remark.kind
        count, last = self._less.get(kind, (0, 0.0))
        gap = KIND_GAPS[kind]
        if count:
            gap = max(gap, HOUR) * 2**count
        spoken = [at + gap for at, of in self._spoken if of is kind]
        stopped = [last + DAY] if count else []
        return max([*spoken, *stopped], default=0.0)

    def next(self, moment: RemarkContext, settings: RemarkSettings) -> Remark | None:
        """Return the remark that may be made now, if any. Remarks that waited too long are moved to
        the inbox or dropped.
        """
        self._tidy(moment.now, settings)
        if silence_reason(moment, settings) is not None or self.is_spent(moment.now):
            return None
        return min(
            self._held, key=lambda one: (one.kind is not RemarkKind.TASK, one.at), default=None
        )

    def may_say(self, remark_id: str, moment: RemarkContext, settings: RemarkSettings) -> bool:
        """Return whether this remark may still be made; writing its text takes time."""
        there = any(one.id == remark_id for one in self._held)
        return there and silence_reason(moment, settings) is None and not self.is_spent(moment.now)

    def is_spent(self, now: float) -> bool:
        """Return whether the limits forbid a remark. Remarks in the future (the clock was set back)
        count as just made.
        """
        times = [at for at, _ in self._spoken]
        return (
            any(at > now - LEAST_GAP_SECONDS for at in times)
            or sum(at > now - HOUR for at in times) >= PER_HOUR
            or sum(at > now - DAY for at in times) >= PER_DAY
        )

    def set_words(self, remark_id: str, words: str) -> None:
        """Set the text of a queued remark."""
        self._held = [
            replace(one, words=words) if one.id == remark_id else one for one in self._held
        ]

    def mark_said(self, remark_id: str, now: float) -> Remark | None:
        """Record that the remark was made; return None if it is no longer queued."""
        said = next((one for one in self._held if one.id == remark_id), None)
        if said is not None:
            self._spoken.append((now, said.kind))
            self.discard(remark_id)
        return said

    def discard(self, remark_id: str) -> None:
        """Remove a remark from the queue."""
        self._held = [one for one in self._held if one.id != remark_id]

    def reduce_kind(self, kind: RemarkKind, now: float) -> Callable[[], None]:
        """Stop remarks of this kind for a day and make them rarer afterwards; return a function
        that undoes it.
        """
        before, held = self._less.get(kind), self._held

        def take_back() -> None:
            self._less.pop(kind, None)
            if before is not None:
                self._less[kind] = before
            there = {one.id for one in self._held}
            back = [one for one in held if one.kind is kind and one.id not in there]
            self._held = sorted([*self._held, *back], key=lambda one: one.at)

        count, _ = before or (0, 0.0)
        self._less[kind] = (min(count + 1, _MOST_LESS), now)
        self._held = [one for one in self._held if one.kind is not kind]
        return take_back

    def move_to_inbox(self, remark: Remark) -> None:
        """Put a remark that is not made into the inbox."""
        self._inbox = [*self._inbox, remark][-MOST_LEFT:]

    def remove_from_inbox(self, remark_id: str) -> None:
        """Remove a remark that was read from the inbox."""
        self._inbox = [one for one in self._inbox if one.id != remark_id]

    def _tidy(self, now: float, settings: RemarkSettings) -> None:
        known = [one for one in self._spoken if one[0] <= now + DAY]
        last = {kind: at for at, kind in sorted(known)}
        self._spoken = [one for one in known if one[0] > now - DAY or last[one[1]] == one[0]]
        self._less = {kind: one for kind, one in self._less.items() if one[1] <= now + DAY}
        wanted = [one for one in self._held if settings.on and one.kind in settings.kinds]
        fresh = [one for one in wanted if now - STALE_SECONDS <= one.at <= now + LEAST_GAP_SECONDS]
        left = [one for one in wanted if one not in fresh and one.kind in KEPT_KINDS]
        self._held = fresh
        self._inbox = [*self._inbox, *left][-MOST_LEFT:]

    # Stored form

    def write(self) -> str:
        return json.dumps(
            {
                "spoken": self._spoken,
                "less": self._less,
                "held": [_row(one) for one in self._held],
                "inbox": [_row(one) for one in self._inbox],
            },
            ensure_ascii=False,
        )

    @classmethod
    def read(cls, text: str | None) -> RemarkHistory:
        """Read the text of `write`; return an empty history if it can't be read."""
        ledger = cls()
        try:
            kept = json.loads(text or "{}")
            spoken = [(float(at), RemarkKind(kind)) for at, kind in kept.get("spoken", [])]
            less = {
                RemarkKind(kind): (int(n), float(at))
                for kind, (n, at) in kept.get("less", {}).items()
            }
            held = [_remark(row) for row in kept.get("held", [])]
            inbox = [_remark(row) for row in kept.get("inbox", [])]
        except (ValueError, TypeError, AttributeError):
            return ledger
        ledger._spoken, ledger._less = spoken, less
        ledger._held, ledger._inbox = held, inbox
        return ledger


def _row(remark: Remark) -> list[object]:
    return [remark.id, remark.kind, remark.about, remark.at, remark.words]


def _remark(row: Sequence[object]) -> Remark:
    remark_id, kind, about, at, words = row
    if not isinstance(at, int | float):
        raise TypeError("a time must be a number")
    return Remark(str(remark_id), RemarkKind(str(kind)), str(about), float(at), str(words))


RESTING_SECONDS = 240.0
"""A pause of this many seconds is an occasion, once for each pause."""
SILENT_SECONDS = 2 * 86_400.0
"""Seconds without a conversation that are an occasion."""
RECALL_EVERY_SECONDS = 1_800.0
"""Seconds between two occasions to mention a fact."""


def part_of_day(minute: int) -> str:
    """Return which of the four parts of the day contains this minute."""
    hour = minute // 60
    if 5 <= hour < 11:
        return "morning"
    if 11 <= hour < 18:
        return "day"
    return "evening" if 18 <= hour < 23 else "night"


class RemarkOpportunities:
    """Finds occasions for remarks in a series of moments. Other code decides whether a remark is
    made.
    """

    def __init__(self) -> None:
        self._part = ""
        self._rested = False
        self._recalled: float | None = None

    def update(
        self, moment: RemarkContext, talked: float | None
    ) -> Iterator[tuple[RemarkKind, str]]:
        """Yield the present occasions and their subjects. `talked`: time of the last conversation.
        The part of the day in which the app starts is no occasion: the start has its own greeting.
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

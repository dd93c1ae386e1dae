"""When the companion may start a conversation: the reasons, the moment, the limits, and the remarks
that wait. Without a window, a model or a clock. Times are unix seconds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto


class RemarkKind(StrEnum):
    """Why it would speak."""

    IDLE = "idle"
    """The person pauses."""
    TIME = "time"
    """A part of the day begins."""
    TASK = "task"
    """Something that was asked for has ended."""
    SILENCE = "silence"
    """They haven't talked for days."""
    MEMORY = "memory"
    """Something the person told it once."""


KEPT_KINDS = frozenset((RemarkKind.TASK, RemarkKind.MEMORY))
"""What is still worth reading when its moment is over."""


@dataclass(frozen=True, slots=True)
class Remark:
    """`about` is what it is about (a part of the day, what has ended, a fact); `words` are "" until
    they have been found.
    """

    id: str
    kind: RemarkKind
    about: str
    at: float
    words: str = ""


class Detection(Enum):
    """What this computer lets us notice."""

    YES = auto()
    NO = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class UserPresence:
    """`idle`: seconds since the last key or movement of the pointer, None if nobody tells."""

    idle: float | None = None
    fullscreen: Detection = Detection.UNKNOWN
    call: Detection = Detection.UNKNOWN
    shared: Detection = Detection.UNKNOWN


@dataclass(frozen=True, slots=True)
class RemarkContext:
    """`minute` is that of the local day. `quiet`: the person wants quiet, or nothing shows a
    bubble. `talking`: a turn runs, or they write to the companion.
    """

    now: float
    minute: int
    noticed: UserPresence
    quiet: bool = False
    talking: bool = False


@dataclass(frozen=True, slots=True)
class RemarkSettings:
    """Quiet hours begin and end with these hours of the day; equal ones mean none."""

    on: bool = False
    kinds: frozenset[RemarkKind] = frozenset(RemarkKind)
    quiet_from: int = 22
    quiet_to: int = 8


class SilenceReason(StrEnum):
    """Why it doesn't speak now."""

    OFF = "off"
    NIGHT = "quiet hours"
    QUIET = "quiet"
    TALKING = "talking"
    UNDETECTED = "nobody tells what the person does"
    TYPING = "typing"
    AWAY = "away"
    FULLSCREEN = "full screen"
    CALL = "call"
    SHARED = "shared screen"


PAUSE_SECONDS = 20.0
"""So many seconds without a key or a movement are a pause."""
AWAY_SECONDS = 600.0
"""After so many nobody is there to hear it."""


def is_quiet_hour(minute: int, wishes: RemarkSettings) -> bool:
    """Whether this minute of the day is in the quiet hours."""
    begin, end = wishes.quiet_from * 60, wishes.quiet_to * 60
    if begin <= end:
        return begin <= minute < end
    return minute >= begin or minute < end


def silence_reason(moment: RemarkContext, wishes: RemarkSettings) -> SilenceReason | None:
    """The first reason not to speak; None if it may. Where nobody tells whether the person types or
    looks at a full screen, it may not; calls and shared screens can't be noticed everywhere, which
    the person is told.
    """
    noticed, idle = moment.noticed, moment.noticed.idle
    reasons = (
        (not wishes.on, SilenceReason.OFF),
        (is_quiet_hour(moment.minute, wishes), SilenceReason.NIGHT),
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
"""Seconds between two remarks, at least."""
HOUR, PER_HOUR = 3_600.0, 2
DAY, PER_DAY = 86_400.0, 6
"""In any 24 hours: that is never more in a day of the calendar."""
STALE_SECONDS = 1_800.0
"""A remark waits so long for its moment."""
MOST_HELD, MOST_LEFT = 20, 50
"""Of what waits, and of what lies in the inbox; the oldest go."""
KIND_GAPS: Mapping[RemarkKind, float] = {
    RemarkKind.IDLE: 2 * HOUR,
    RemarkKind.TIME: 3 * HOUR,
    RemarkKind.TASK: 0.0,
    RemarkKind.SILENCE: DAY,
    RemarkKind.MEMORY: DAY,
}
"""Between two remarks of a kind; each "less of this" doubles them (from an hour on)."""
_MOST_LESS = 8


class RemarkHistory:
    """All that is remembered of speaking by itself."""

    def __init__(self) -> None:
        self._spoken: list[tuple[float, RemarkKind]] = []
        self._less: dict[RemarkKind, tuple[int, float]] = {}  # how often, and when last
        self._held: list[Remark] = []
        self._inbox: list[Remark] = []

    @property
    def waiting(self) -> Sequence[Remark]:
        """What waits for a pause, the oldest first."""
        return tuple(self._held)

    @property
    def inbox(self) -> Sequence[Remark]:
        """What couldn't be said, the newest first."""
        return tuple(reversed(self._inbox))

    def offer(self, remark: Remark, wishes: RemarkSettings) -> bool:
        """Whether there is a chance to be spoken of it: it waits from now on."""
        if not wishes.on or remark.kind not in wishes.kinds or self.is_due_at(remark) > remark.at:
            return False
        if any((one.kind, one.about) == (remark.kind, remark.about) for one in self._held):
            return False
        self._held = [*self._held, remark][-MOST_HELD:]
        return True

    def is_due_at(self, remark: Remark) -> float:
        """From when on this kind may speak again, apart from the budget of all."""
        kind = remark.kind
        count, last = self._less.get(kind, (0, 0.0))
        gap = KIND_GAPS[kind]
        if count:
            gap = max(gap, HOUR) * 2**count
        spoken = [at + gap for at, of in self._spoken if of is kind]
        stopped = [last + DAY] if count else []
        return max([*spoken, *stopped], default=0.0)

    def next(self, moment: RemarkContext, wishes: RemarkSettings) -> Remark | None:
        """What may be said now, if anything; what has waited too long goes to the inbox, or for
        ever.
        """
        self._tidy(moment.now, wishes)
        if silence_reason(moment, wishes) is not None or self.is_spent(moment.now):
            return None
        return min(
            self._held, key=lambda one: (one.kind is not RemarkKind.TASK, one.at), default=None
        )

    def may_say(self, remark_id: str, moment: RemarkContext, wishes: RemarkSettings) -> bool:
        """Whether this one may still be said: finding words takes its time."""
        there = any(one.id == remark_id for one in self._held)
        return there and silence_reason(moment, wishes) is None and not self.is_spent(moment.now)

    def is_spent(self, now: float) -> bool:
        """Whether the budget forbids it. What was said in the future (the clock was set back)
        counts as just said.
        """
        times = [at for at, _ in self._spoken]
        return (
            any(at > now - LEAST_GAP_SECONDS for at in times)
            or sum(at > now - HOUR for at in times) >= PER_HOUR
            or sum(at > now - DAY for at in times) >= PER_DAY
        )

    def set_words(self, remark_id: str, words: str) -> None:
        """How it is to be said."""
        self._held = [
            replace(one, words=words) if one.id == remark_id else one for one in self._held
        ]

    def mark_said(self, remark_id: str, now: float) -> Remark | None:
        """It is said now; None if it isn't there any more."""
        said = next((one for one in self._held if one.id == remark_id), None)
        if said is not None:
            self._spoken.append((now, said.kind))
            self.discard(remark_id)
        return said

    def discard(self, remark_id: str) -> None:
        """It isn't to be said."""
        self._held = [one for one in self._held if one.id != remark_id]

    def reduce_kind(self, kind: RemarkKind, now: float) -> Callable[[], None]:
        """None of this kind for a day, and seldom afterwards; returns what takes that back."""
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
        """It isn't said, but may be read in the inbox."""
        self._inbox = [*self._inbox, remark][-MOST_LEFT:]

    def remove_from_inbox(self, remark_id: str) -> None:
        """It was read in the inbox."""
        self._inbox = [one for one in self._inbox if one.id != remark_id]

    def _tidy(self, now: float, wishes: RemarkSettings) -> None:
        known = [one for one in self._spoken if one[0] <= now + DAY]
        last = {kind: at for at, kind in sorted(known)}
        self._spoken = [one for one in known if one[0] > now - DAY or last[one[1]] == one[0]]
        self._less = {kind: one for kind, one in self._less.items() if one[1] <= now + DAY}
        wanted = [one for one in self._held if wishes.on and one.kind in wishes.kinds]
        fresh = [one for one in wanted if now - STALE_SECONDS <= one.at <= now + LEAST_GAP_SECONDS]
        left = [one for one in wanted if one not in fresh and one.kind in KEPT_KINDS]
        self._held = fresh
        self._inbox = [*self._inbox, *left][-MOST_LEFT:]

    # As it is kept

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
        """What `write` wrote; an empty one if it can't be read."""
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
        raise TypeError("a time is a number")
    return Remark(str(remark_id), RemarkKind(str(kind)), str(about), float(at), str(words))


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

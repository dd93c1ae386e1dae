"""What is to be said, and what the moment is like. Times are unix seconds."""

from __future__ import annotations

from dataclasses import dataclass
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

"""What the companion is doing, as the pill at its feet shows it: one state in a few words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.language import tr

THINKING_DELAY = 1.0
"""Seconds of thinking before the pill shows it."""
_SECOND = 1.0
_LEVEL_INTERVAL = 0.1
"""Seconds between two readings of the loudness."""
LEVELS = 5
"""The number of steps of the loudness that are shown."""
FOCUS_STEPS = 60
"""The number of steps of the ring around a focus session."""
_MINUTE = 60.0


class FigureStateKind(Enum):
    """The states, the most important first."""

    LISTENING = auto()
    ASKING = auto()
    TOOL = auto()
    SPEAKING = auto()
    THINKING = auto()
    FOCUS = auto()
    BREAK = auto()
    QUIET = auto()


@dataclass(frozen=True, slots=True)
class FocusTime:
    """A focus session or its break: `left` of `whole` seconds. `summary` tells more in words."""

    left: float
    whole: float
    is_break: bool = False
    summary: str = ""


@dataclass(frozen=True, slots=True)
class FigureActivity:
    """What happens at one moment. `question` is the title of the open question, `tool` the title of
    the running tool, `quiet_until` the time when the quiet mode ends; "" for none. The user is
    heard since `hearing_since`, with the loudness `hearing_level` (0 to 1).
    """

    question: str = ""
    tool: str = ""
    tool_since: float = 0.0
    is_speaking: bool = False
    thinking_since: float | None = None
    quiet_until: str = ""
    hearing_since: float | None = None
    hearing_level: float = 0.0
    focus: FocusTime | None = None


@dataclass(frozen=True, slots=True)
class FigureState:
    """A state and its words; `level` is the loudness of the user's voice in `LEVELS` steps, or what
    is left of a focus session in `FOCUS_STEPS`. `summary` tells more in words.
    """

    kind: FigureStateKind
    text: str
    level: int = 0
    summary: str = ""


def figure_state(activity: FigureActivity, now: float) -> FigureState | None:
    """Return the most important state; None while there is nothing to show."""
    if activity.hearing_since is not None:
        passed = max(0, int(now - activity.hearing_since))
        level = round(min(1.0, max(0.0, activity.hearing_level)) * LEVELS)
        text = f"{passed // 60}:{passed % 60:02}"
        return FigureState(FigureStateKind.LISTENING, text, level)
    if activity.question:
        return FigureState(FigureStateKind.ASKING, activity.question)
    if activity.tool:
        seconds = str(max(0, int(now - activity.tool_since)))
        text = tr("{tool}… {seconds} s", tool=activity.tool, seconds=seconds)
        return FigureState(FigureStateKind.TOOL, text)
    if activity.is_speaking:
        return FigureState(FigureStateKind.SPEAKING, tr("Speaking"))
    since = activity.thinking_since
    if since is not None and now - since >= THINKING_DELAY:
        return FigureState(FigureStateKind.THINKING, tr("Thinking"))
    if activity.focus is not None:
        return _focus_state(activity.focus)
    if activity.quiet_until:
        text = tr("until {time}", time=activity.quiet_until)
        return FigureState(FigureStateKind.QUIET, text)
    return None


def _focus_state(focus: FocusTime) -> FigureState:
    seconds = math.ceil(focus.left)
    text = f"0:{seconds:02}"
    if seconds >= _MINUTE:
        text = tr("{minutes} min", minutes=str(math.ceil(seconds / _MINUTE)))
    step = math.ceil(FOCUS_STEPS * min(1.0, focus.left / focus.whole)) if focus.whole > 0 else 0
    kind = FigureStateKind.BREAK if focus.is_break else FigureStateKind.FOCUS
    return FigureState(kind, text, step, focus.summary)


def seconds_to_next_change(activity: FigureActivity, now: float) -> float | None:
    """Return after how many seconds the state must be read again; None if only an event can
    change it.
    """
    if activity.hearing_since is not None:
        return _LEVEL_INTERVAL
    if activity.question:
        return None
    if activity.tool:
        return _SECOND - max(0.0, now - activity.tool_since) % _SECOND
    if activity.is_speaking:
        # The sound may end without an event, for example when its device is lost.
        return _SECOND
    since = activity.thinking_since
    if since is not None and now - since < THINKING_DELAY:
        return THINKING_DELAY - (now - since)
    focus = activity.focus
    if focus is not None and focus.left > 0:
        step = _SECOND if focus.left <= _MINUTE else min(_MINUTE, focus.whole / FOCUS_STEPS)
        return focus.left % step or step
    return None

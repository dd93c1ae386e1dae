"""What the companion is doing, as the pill at its feet shows it: one state in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from neodeskpet.language import tr

THINKING_DELAY = 1.0
"""Seconds of thinking before the pill shows it."""
_SECOND = 1.0


class FigureStateKind(Enum):
    """The states, the most important first."""

    ASKING = auto()
    TOOL = auto()
    SPEAKING = auto()
    THINKING = auto()
    QUIET = auto()


@dataclass(frozen=True, slots=True)
class FigureActivity:
    """What happens at one moment. `question` is the title of the open question, `tool` the title of
    the running tool, `quiet_until` the time when the quiet mode ends; "" for none.
    """

    question: str = ""
    tool: str = ""
    tool_since: float = 0.0
    is_speaking: bool = False
    thinking_since: float | None = None
    quiet_until: str = ""


@dataclass(frozen=True, slots=True)
class FigureState:
    """A state and its words."""

    kind: FigureStateKind
    text: str


def figure_state(activity: FigureActivity, now: float) -> FigureState | None:
    """Return the most important state; None while there is nothing to show."""
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
    if activity.quiet_until:
        text = tr("until {time}", time=activity.quiet_until)
        return FigureState(FigureStateKind.QUIET, text)
    return None


def seconds_to_next_change(activity: FigureActivity, now: float) -> float | None:
    """Return after how many seconds the state must be read again; None if only an event can
    change it.
    """
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
    return None

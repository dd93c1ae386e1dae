"""Beats: the motions that show a lasting state, such as thinking, one after another. Bridges: the
motions from one state into the next. Pure: randomness and time are passed by the caller.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from neodeskpet.figure.behaviour.handling import Motion
from neodeskpet.figure.behaviour.idling import motion_stems
from neodeskpet.figure.files.model_description import ModelDescription
from neodeskpet.figure.poses import Pose, name_words

BROWS_AFTER, BELL_AFTER = 10.0, 30.0
"""Seconds without an answer after which the figure lifts its brows, and rings its bell."""
_BELL_APART = 120.0
_PAUSE, _PAUSE_OF_ONE = (0.1, 0.6), (0.2, 3.0)
"""Seconds between two beats; the second if the state has only one, which is repeated."""
_LATER: Mapping[str, tuple[float, float]] = {
    "brows": (BROWS_AFTER, 0.0),
    "bell": (BELL_AFTER, _BELL_APART),
}
"""Words of file names: seconds after the start of the state, and between two starts."""


@dataclass(frozen=True, slots=True)
class Beat:
    """A motion that shows a state. `after`: seconds from the start of the state from which it may
    be shown. `least_gap`: the least number of seconds between two starts.
    """

    motion: Motion
    after: float = 0.0
    least_gap: float = 0.0


def beats_of(description: ModelDescription, motions: Sequence[Motion]) -> tuple[Beat, ...]:
    """Return the beats that these motions are."""
    stems = motion_stems(description) if len(motions) > 1 else {}
    return tuple(_beat(motion, name_words(stems.get(motion, ""))) for motion in motions)


def _beat(motion: Motion, named: Sequence[str]) -> Beat:
    after, gap = next((_LATER[word] for word in named if word in _LATER), (0.0, 0.0))
    return Beat(motion, after, gap)


class BeatChooser:
    """Chooses the beats of the current state: all of them in varied order, never one twice in a row
    (unless there is only one). A beat that becomes possible later is shown at that moment.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._beats: tuple[Beat, ...] = ()
        self._since = 0.0
        self._bag: list[Beat] = []
        self._last: Beat | None = None
        self._played: dict[Motion, float] = {}

    def begin(self, beats: Sequence[Beat], now: float) -> None:
        """Start a state with these beats. If the last state had the same ones, it doesn't start
        with the beat that was shown last.
        """
        self._beats = tuple(beats)
        self._since = now
        self._bag = []
        self._played = {}

    def next(self, now: float) -> Motion | None:
        """Return the next beat; None if the state has none."""
        free = [beat for beat in self._beats if self._is_free(beat, now)]
        if not free:
            return None
        late = [beat for beat in free if beat.after and beat.motion not in self._played]
        chosen = late[-1] if late else self._draw(free)
        self._last = chosen
        self._played[chosen.motion] = now
        return chosen.motion

    def seconds_to_later_beat(self, now: float) -> float:
        """Return the seconds until a beat becomes possible that interrupts the one that starts now;
        infinite if there is none.
        """
        waits = (
            self._since + beat.after - now
            for beat in self._beats
            if beat.after and beat.motion not in self._played
        )
        return min((wait for wait in waits if wait > 0.0), default=math.inf)

    def pause(self) -> float:
        """Return the seconds between a beat that has ended and the next one."""
        return self._random.uniform(*(_PAUSE if len(self._beats) > 1 else _PAUSE_OF_ONE))

    def _is_free(self, beat: Beat, now: float) -> bool:
        played = self._played.get(beat.motion)
        if played is not None and now - played < beat.least_gap:
            return False
        return now - self._since >= beat.after

    def _draw(self, free: Sequence[Beat]) -> Beat:
        self._bag = [beat for beat in self._bag if beat in free]
        if not self._bag:
            self._bag = list(free)
            self._random.shuffle(self._bag)
        if len(self._bag) > 1 and self._bag[-1] == self._last:
            self._bag.insert(0, self._bag.pop())
        if self._bag[-1] == self._last and len(free) > 1:
            # The only one that is left was shown just now: another round begins.
            self._bag = [beat for beat in free if beat != self._last]
            self._random.shuffle(self._bag)
        return self._bag.pop()


LEAST_LASTING_SECONDS = 3.0
"""Seconds that a state must have lasted for its bridge: a short one ends without ceremony."""
_BRIDGES: Mapping[tuple[Pose, Pose], tuple[tuple[str, ...], float]] = {
    (Pose.THINKING, Pose.SPEAKING): (("ah", "aha", "idea", "eureka"), LEAST_LASTING_SECONDS),
    (Pose.LISTENING, Pose.THINKING): (("hm", "hmm"), 0.5),
    (Pose.WORKING, Pose.THINKING): (("done",), LEAST_LASTING_SECONDS),
    (Pose.WORKING, Pose.SPEAKING): (("done",), LEAST_LASTING_SECONDS),
    (Pose.ASKING, Pose.WORKING): (("thanks",), 1.0),
    (Pose.ASKING, Pose.THINKING): (("thanks",), 1.0),
    (Pose.WALKING_LEFT, Pose.IDLE): (("turn",), 1.0),
    (Pose.WALKING_RIGHT, Pose.IDLE): (("turn",), 1.0),
}
"""The words of the motion's name, and the least duration of the first state in seconds."""
_BRIDGE_GROUPS = ("bridge", "过渡")


def find_bridges(description: ModelDescription) -> Mapping[str, Motion]:
    """Return the motions between two states by the words of their names."""
    found: dict[str, Motion] = {}
    for motion, stem in motion_stems(description).items():
        if set(name_words(motion[0])) & set(_BRIDGE_GROUPS):
            for word in name_words(stem):
                found.setdefault(word, motion)
    return found


def bridge_between(
    bridges: Mapping[str, Motion], before: Pose, after: Pose, lasted: float
) -> Motion | None:
    """Return the motion from one state, which has `lasted` that many seconds, into the next; None
    if there is none or the state was too short for one.
    """
    words, least = _BRIDGES.get((before, after), ((), math.inf))
    if lasted < least:
        return None
    return next((bridges[word] for word in words if word in bridges), None)

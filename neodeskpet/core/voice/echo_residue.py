"""Decides whether the sound that a linear filter leaves of the microphone is a person or an echo.

The filter leaves little of an echo that it knows. How much it leaves here is measured while nothing
else is heard. Sound that is louder is a person, or an echo that came by another way: such an echo
resembles what was played. The resemblance needs 100 ms of sound to be certain, so the first sound
counts as a person's; the companion stops only after more than that.
"""

from __future__ import annotations

from neodeskpet.core.voice.ports import FRAME_MS

_LOUD = 150.0
"""Root mean square of samples that are too loud for the noise of a room."""
_MARGIN = 1.5
"""By how much sound must exceed what is expected of an echo."""
_FIRST_SHARE, _LEAST_SHARE, _MOST_SHARE = 0.5, 0.1, 0.6
"""Share of an echo that is left: at first, and its limits. A loudspeaker that distorts leaves
single louder frames, so a low share is not believed.
"""
_RISE, _FALL = 1.05, 0.995
"""Change of the share with each frame in which more, or less, is left."""
_UNCERTAIN_SHARE = 0.2
"""Share from which the filter alone finds too few people: the clocks of the devices differ."""
_FAINT = 150.0
"""Root mean square of an echo from which its share is measured."""
_ECHO, _CLEAR_ECHO, _CERTAIN_ECHO = 0.27, 0.4, 0.55
"""Mean resemblance from which the sound is an echo; the third one in its first milliseconds, the
second one then if the filter leaves much.
Measured over 128 ms: nine of ten frames of a person have up to 0.25, nine of ten frames of an echo
by another way 0.3 and more.
"""
_YOUNG_MS = 120
_NEW_SHARE = 0.5
"""Share of the last resemblance in the mean."""
_FORGET_MS, _PAUSE_MS = 200, 160
"""Time without loud sound after which the mean is forgotten, and after which sound is new."""
_ECHO_FRAMES = 12
"""Frames for which the loudest echo counts: it is spread in time."""


class EchoResidue:
    """Gets one frame after the other."""

    def __init__(self) -> None:
        self._share = _FIRST_SHARE
        self._echoes = [0.0] * _ECHO_FRAMES
        self._likeness: float | None = None
        self._quiet_ms = _FORGET_MS
        self._age_ms = 0

    @property
    def is_certain(self) -> bool:
        """Whether the filter leaves so little that its verdict suffices."""
        return self._share <= _UNCERTAIN_SHARE

    @property
    def is_clear_echo(self) -> bool:
        """Whether the sound resembles what was played too much for a person, whatever else says
        so.
        """
        return self._resembles(_CLEAR_ECHO)

    @property
    def _least_of_young(self) -> float:
        return _CERTAIN_ECHO if self.is_certain else _CLEAR_ECHO

    def judge(self, left: float, echo: float, likeness: float | None) -> bool:
        """Return whether a person speaks. `left` and `echo`: loudness of what the filter left and
        of what it removed. `likeness`: how much what it left resembles what was played, None if it
        is too quiet.
        """
        self._echoes = [*self._echoes[1:], echo]
        loudest = max(self._echoes)
        is_loud = left > max(_LOUD, _MARGIN * self._share * loudest)
        self._note(likeness, is_loud)
        is_young = self._age_ms < _YOUNG_MS
        is_echo = self._resembles(self._least_of_young if is_young else _ECHO)
        if loudest > _FAINT and (not is_loud or (not is_young and is_echo)):
            self._share *= _RISE if left > self._share * loudest else _FALL
            self._share = min(max(self._share, _LEAST_SHARE), _MOST_SHARE)
        return is_loud and not is_echo

    def _note(self, likeness: float | None, is_loud: bool) -> None:
        if is_loud and self._quiet_ms > _PAUSE_MS:
            self._age_ms = 0
        self._age_ms += FRAME_MS
        self._quiet_ms = 0 if is_loud else self._quiet_ms + FRAME_MS
        if likeness is not None:
            old = likeness if self._likeness is None else self._likeness
            self._likeness = old + _NEW_SHARE * (likeness - old)
        elif self._quiet_ms >= _FORGET_MS:
            self._likeness = None

    def _resembles(self, least: float) -> bool:
        return self._likeness is not None and self._likeness >= least

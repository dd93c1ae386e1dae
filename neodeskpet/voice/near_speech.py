"""Finds a person's speech while the companion speaks.

After echo cancellation little is left of the companion's voice. Silero VAD needs 100 ms and more
for the beginning of speech, and finds none in much speech that overlaps with the companion's. So
the sound that is left is judged here: first what a linear filter leaves, by the rule of
`core.voice.echo_residue`. Where that leaves too much, what AEC3 leaves is judged too: sound that is
loud and is no echo is a person. What is left of an echo resembles the sound that was played.
"""

from __future__ import annotations

import math
from typing import Any

from neodeskpet.core.voice.echo_residue import EchoResidue
from neodeskpet.core.voice.ports import FRAME_BYTES, FRAME_MS, LISTEN_RATE
from neodeskpet.voice.echo_delay import append_frame, correlations

JUDGED_MS = FRAME_MS
"""Milliseconds of one judgement."""
_FRAME = FRAME_BYTES // 2
_JUDGED = LISTEN_RATE * 16 // 1000
"""Samples whose loudness is judged after AEC3."""
_COMPARED = 4096
"""Samples that are compared with what was played before: 256 ms. In shorter sound, two voices
resemble each other too often.
"""
_LEFT_COMPARED = 2048
"""The samples that are compared after the linear filter: 128 ms. It changes the sound less than
AEC3, so fewer are enough.
"""
_QUIET = 80.0
"""Root mean square of what the linear filter leaves, below which it isn't compared."""
_LONGEST_WAY = LISTEN_RATE * 300 // 1000
"""The longest delay of an echo that is searched, in samples."""
_LOUD = 50.0
"""Root mean square of samples that are too loud for the rest of an echo."""
_FAR = 30.0
"""Root mean square of samples from which the companion is heard."""
_ECHO = 0.15
"""Mean similarity from which loud sound is the rest of an echo. Measured: nine of ten frames of a
person's speech have up to 0.13; after a lost frame or a change of the delay, three of four frames
of the rest of an echo have 0.15 and more.
"""
_NEW_SHARE = 0.16
"""Share of the last similarity in the mean."""
_FORGET_MS = 400
"""Quiet time after which the next sound is judged without the sound before."""
_LEARNING_MS = 2_000
"""The companion's speech from which echo cancellation learns the way through the room."""
_RELEARNING_MS = 320
"""The same after the sound was interrupted: the delay may be another one."""
_FAR_TAIL_MS = 400
"""Time after the companion's last sound in which its echo may come."""
_ENDING_MS = 200
"""The part of it after which another detection may begin, to be certain at its end."""


class NearSpeech:
    """Gets each frame of the microphone after both ways of echo cancellation, and what was played
    for it.
    """

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._clean = numpy.zeros(_COMPARED + 1, numpy.float32)
        self._played = numpy.zeros(_COMPARED + _LONGEST_WAY + 1, numpy.float32)
        self._left = numpy.zeros(_LEFT_COMPARED + 1, numpy.float32)
        self._residue = EchoResidue()
        self._is_residue_person = False
        self._learned_ms = 0
        self._since_far_ms = _FAR_TAIL_MS
        self._likeness: float | None = None
        """The mean similarity of the present sound, None when there is none."""
        self._quiet_ms = 0

    @property
    def is_needed(self) -> bool:
        """Whether the companion's voice may be in the microphone now."""
        return self._since_far_ms < _FAR_TAIL_MS

    @property
    def is_ending(self) -> bool:
        """Whether it will soon not be needed, or isn't."""
        return self._since_far_ms >= _ENDING_MS

    def add(self, clean: Any, left: Any, echo: Any, played: Any) -> None:
        """Add a frame of FRAME_BYTES: what AEC3 and what the linear filter left of the microphone,
        what the filter removed, and what was played.
        """
        append_frame(self._clean, clean)
        append_frame(self._left, left)
        append_frame(self._played, played)
        if self._loudness(self._played[-_FRAME:]) >= _FAR:
            self._since_far_ms = 0
            self._learned_ms = min(self._learned_ms + FRAME_MS, _LEARNING_MS)
        else:
            self._since_far_ms = min(self._since_far_ms + FRAME_MS, _FAR_TAIL_MS)
        if self.is_needed:
            loudness, removed = self._loudness(left), self._loudness(echo)
            likeness = self._similarity(self._left) if loudness > _QUIET else None
            self._is_residue_person = self._residue.judge(loudness, removed, likeness)

    def disturb(self) -> None:
        """Call after a gap in the sound of the loudspeaker or the microphone: the delay of the echo
        may have changed.
        """
        self._learned_ms = min(self._learned_ms, _LEARNING_MS - _RELEARNING_MS)

    def judge(self) -> bool:
        """Return whether a person spoke in the last JUDGED_MS."""
        is_person = self._judge_clean()
        if self._residue.is_certain or self._residue.is_clear_echo:
            is_person = False
        return is_person or (self._is_residue_person and self._learned_ms >= _LEARNING_MS)

    def _judge_clean(self) -> bool:
        """Return whether what AEC3 left is a person."""
        if self._loudness(self._clean[-_JUDGED:]) < _LOUD:
            self._quiet_ms += JUDGED_MS
            if self._quiet_ms >= _FORGET_MS:
                self._likeness = None
            return False
        self._quiet_ms = 0
        new = self._similarity(self._clean)
        old = new if self._likeness is None else self._likeness
        self._likeness = old + _NEW_SHARE * (new - old)
        return self._learned_ms >= _LEARNING_MS and self._likeness < _ECHO

    def _loudness(self, samples: Any) -> float:
        return math.sqrt(float(samples @ samples) / len(samples))

    def _similarity(self, left: Any) -> float:
        """Return the largest correlation (0 to 1) of what is left with what was played up to
        _LONGEST_WAY earlier.
        """
        played = self._played[-len(left) - _LONGEST_WAY :]
        return float(correlations(self._numpy, left, played).max())

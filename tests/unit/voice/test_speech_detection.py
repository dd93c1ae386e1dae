"""Echo cancellation and speech detection."""

from __future__ import annotations

import random
from array import array

from neodeskpet.core.voice.ports import FRAME_BYTES, FRAME_MS
from neodeskpet.voice.near_speech import JUDGED_MS
from neodeskpet.voice.speech_detection import SpeechDetector


def test_silence_is_no_speech_and_every_part_is_judged_once() -> None:
    detector = SpeechDetector()
    judged: list[bool] = []
    for _ in range(160):
        clean, parts = detector.process(bytes(FRAME_BYTES))
        assert len(clean) == FRAME_BYTES
        judged += parts
    assert judged == [False] * (160 * FRAME_MS // JUDGED_MS)


def test_played_sound_is_removed_from_the_recorded_sound() -> None:
    """Noise is played and recorded 10 ms later, half as loud; at first the canceller has
    to learn.
    """
    chance = random.Random(1)
    detector = SpeechDetector()
    silent = SpeechDetector()
    frame_samples = FRAME_BYTES // 2
    before = array("h", bytes(FRAME_BYTES))
    left, heard = 0.0, 0.0
    for number in range(400):
        played = array("h", (chance.randrange(-8000, 8000) for _ in range(frame_samples)))
        echo = array("h", (sample // 2 for sample in before)).tobytes()
        detector.reference(played.tobytes())
        clean, _ = detector.process(echo)
        unchanged, _ = silent.process(echo)
        if number >= 300:
            left += sum(sample * sample for sample in array("h", clean))
            heard += sum(sample * sample for sample in array("h", unchanged))
        before = played
    assert left < heard / 100


def test_an_unused_reference_does_not_grow() -> None:
    detector = SpeechDetector()
    for _ in range(1000):
        detector.reference(bytes(FRAME_BYTES))
    assert len(detector.process(bytes(FRAME_BYTES))[0]) == FRAME_BYTES
    assert detector.waiting_bytes <= 320_000

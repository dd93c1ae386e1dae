"""The child process that speaks: Kokoro-82M (Apache-2.0) by onnxruntime.

A question is `{"text", "voice", "speed", "pitch"}` as JSON, the answer is mono 16-bit PCM at
SPEECH_RATE. The Chinese and English voices are Kokoro's own (`assets/voices`), the Japanese ones
come with the model.
"""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.platform.installation import assets_dir
from neodeskpet.voice.engine_child import Answer, LoadEngine, serve_engine, thread_count

KOKORO_ENGINE, TONE_ENGINE, BROKEN_ENGINE, CRASHING_ENGINE = "kokoro", "tone", "broken", "crashing"
_MOST_TOKENS = 500
_QUIET = 0.01
_PADDING = SPEECH_RATE * 3 // 100
"""Samples that are kept before and after what is louder than _QUIET."""


def main(arguments: Sequence[str]) -> int:
    return serve_engine(arguments, _ENGINES)


def _load_kokoro(folder: Path) -> Answer:
    import numpy
    import onnxruntime

    from neodeskpet.voice.synthesizers.kokoro_phonemes import (
        kokoro_phonemes,
        load_chinese,
        load_english,
    )

    chinese, english = load_chinese(), load_english()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = thread_count()
    session: Any = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), sess_options=options, providers=["CPUExecutionProvider"]
    )
    vocabulary: dict[str, int] = json.loads((folder / "vocab.json").read_text("utf-8"))["vocab"]
    voices: dict[str, Any] = dict(numpy.load(folder / "voices.npz"))
    voices |= numpy.load(assets_dir() / "voices" / "kokoro.npz")

    def speak(question: bytes) -> bytes:
        asked = json.loads(question)
        phonemes = kokoro_phonemes(asked["text"], chinese, english)
        tokens = [vocabulary[one] for one in phonemes if one in vocabulary][:_MOST_TOKENS]
        if not tokens:
            return b""
        styles = voices.get(asked["voice"])
        if styles is None:
            styles = next(iter(voices.values()))
        pitch = asked["pitch"]
        sound = session.run(
            None,
            {
                "tokens": numpy.array([[0, *tokens, 0]], dtype=numpy.int64),
                "style": styles[min(len(tokens), len(styles)) - 1]
                .reshape(1, -1)
                .astype(numpy.float32),
                "speed": numpy.array([asked["speed"] / pitch], dtype=numpy.float32),
            },
        )[0].ravel()
        if pitch != 1.0:
            sound = with_length(numpy, sound, round(len(sound) / pitch))
        loud = numpy.flatnonzero(numpy.abs(sound) > _QUIET)
        if len(loud):
            sound = sound[max(0, loud[0] - _PADDING) : loud[-1] + _PADDING]
        return bytes((numpy.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())

    return speak


def with_length(numpy: Any, sound: Any, length: int) -> Any:
    """Return the sound resampled to `length` samples: played at the same rate, a shorter one is
    faster and higher.
    """
    spectrum = numpy.fft.rfft(sound)
    return numpy.fft.irfft(spectrum[: length // 2 + 1], length) * (length / len(sound))


def _load_tone(_folder: Path) -> Answer:
    """Test double: a tone of 10 ms for each character."""

    def speak(question: bytes) -> bytes:
        count = len(json.loads(question)["text"]) * SPEECH_RATE // 100
        wave = (int(9000 * math.sin(at * 440 * math.tau / SPEECH_RATE)) for at in range(count))
        return array("h", wave).tobytes()

    return speak


def _load_broken(_folder: Path) -> Answer:
    """Test double for a model that can't be loaded."""
    raise ValueError("no model")


def _load_crashing(_folder: Path) -> Answer:
    """Test double for an engine that ends its process."""
    sys.exit(3)


_ENGINES: dict[str, LoadEngine] = {
    KOKORO_ENGINE: _load_kokoro,
    TONE_ENGINE: _load_tone,
    BROKEN_ENGINE: _load_broken,
    CRASHING_ENGINE: _load_crashing,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

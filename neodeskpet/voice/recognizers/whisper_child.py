"""The child process that recognizes speech: Whisper base (MIT) by faster-whisper.

A question is the language in two bytes (two spaces: unknown) and mono 16-bit PCM at LISTEN_RATE;
the answer is the text in UTF-8.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neodeskpet.core.voice.ports import LISTEN_RATE
from neodeskpet.voice.engine_child import Answer, LoadEngine, serve_engine, thread_count

WHISPER_ENGINE, COUNTING_ENGINE, FAILING_ENGINE = "whisper", "counting", "failing"
LANGUAGE_BYTES = 2
_SIMPLIFIED = "以下是普通话的句子。"
"""A prompt after which Chinese is written in simplified characters, with punctuation."""
_NO_SPEECH = 0.6
_FRAMES_A_SECOND = 100
_WINDOW_FRAMES = 3_000
"""Whisper was trained with windows of 30 s."""
_SHORT_FRAMES, _MARGIN_FRAMES = 1_000, 400
"""A short recording gets a window of at least 10 s, with at least 4 s of silence after it. Measured
with 24 sentences: the time falls from 1.9 s to 0.3 s, with the same text. In shorter windows
Whisper sometimes repeats the sentence.
"""
_MOST_TOKENS = 224
_TOKENS_A_SECOND, _LEAST_TOKENS = 20, 20
"""The longest text of a short recording: fast Chinese speech has about 15 tokens a second."""
_REPETITIVE = 2.4
"""Compression ratio from which a text is a repetition."""
_TEMPERATURES = (0.0, 0.4, 0.8)
"""Further attempts at a long recording whose text is unlikely or a repetition."""


def main(arguments: Sequence[str]) -> int:
    return serve_engine(arguments, _ENGINES)


def _load_whisper(folder: Path) -> Answer:
    import numpy
    from faster_whisper import WhisperModel

    model: Any = WhisperModel(
        str(folder),
        device="cpu",
        compute_type="int8",
        cpu_threads=thread_count(),
        local_files_only=True,
    )

    recognizer = _Whisper(model)

    def listen(question: bytes) -> bytes:
        language = question[:LANGUAGE_BYTES].decode("ascii", "replace").strip()
        sound = numpy.frombuffer(question[LANGUAGE_BYTES:], "<i2").astype(numpy.float32) / 32768
        return recognizer.text(sound, language).strip().encode() if sound.any() else b""

    return listen


class _Whisper:
    """`model` is a `faster_whisper.WhisperModel`."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def text(self, sound: Any, language: str) -> str:
        """Return the text of samples from -1 to 1; the language "" is detected."""
        features = self._model.feature_extractor(sound)
        frames = max(_SHORT_FRAMES, features.shape[-1] + _MARGIN_FRAMES)
        if frames <= _WINDOW_FRAMES:
            text = self._text_of_short(features, frames, language)
            if text is not None:
                return text
        return self._text_of_long(sound, language)

    def _text_of_short(self, features: Any, frames: int, language: str) -> str | None:
        """Return the text of features that are recognized in one window of `frames`; None if it is
        a repetition.
        """
        from faster_whisper.audio import pad_or_trim
        from faster_whisper.tokenizer import Tokenizer
        from faster_whisper.transcribe import get_compression_ratio

        model = self._model
        encoded = model.encode(pad_or_trim(features, frames))
        if not language:
            token, _probability = model.model.detect_language(encoded)[0][0]
            language = token.strip("<|>")
        tokenizer = Tokenizer(model.hf_tokenizer, True, task="transcribe", language=language)
        before = tokenizer.encode(f" {_SIMPLIFIED}") if language == "zh" else []
        prompt = model.get_prompt(tokenizer, before, without_timestamps=True)
        seconds = features.shape[-1] / _FRAMES_A_SECOND
        most = min(_MOST_TOKENS, _LEAST_TOKENS + round(_TOKENS_A_SECOND * seconds))
        result = model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + most,
            return_no_speech_prob=True,
        )[0]
        if result.no_speech_prob >= _NO_SPEECH:
            return ""
        text = str(tokenizer.decode(result.sequences_ids[0]))
        return text if get_compression_ratio(text) <= _REPETITIVE else None

    def _text_of_long(self, sound: Any, language: str) -> str:
        language = language or self._model.detect_language(sound)[0]
        segments, _ = self._model.transcribe(
            sound,
            language=language,
            beam_size=1,
            best_of=1,
            temperature=_TEMPERATURES,
            condition_on_previous_text=False,
            initial_prompt=_SIMPLIFIED if language == "zh" else None,
        )
        return "".join(str(one.text) for one in segments if one.no_speech_prob < _NO_SPEECH)


def _load_counting(_folder: Path) -> Answer:
    """Test double: answers with the language and the milliseconds of sound."""

    def listen(question: bytes) -> bytes:
        language = question[:LANGUAGE_BYTES].decode().strip() or "?"
        samples = (len(question) - LANGUAGE_BYTES) // 2
        return f"{language} {samples * 1000 // LISTEN_RATE}".encode()

    return listen


def _load_failing(_folder: Path) -> Answer:
    """Test double for an engine that fails at each question."""

    def listen(question: bytes) -> bytes:
        raise ValueError(len(question))

    return listen


_ENGINES: dict[str, LoadEngine] = {
    WHISPER_ENGINE: _load_whisper,
    COUNTING_ENGINE: _load_counting,
    FAILING_ENGINE: _load_failing,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

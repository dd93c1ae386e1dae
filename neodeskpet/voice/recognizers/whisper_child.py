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

    def listen(question: bytes) -> bytes:
        language = question[:LANGUAGE_BYTES].decode("ascii", "replace").strip() or None
        sound = numpy.frombuffer(question[LANGUAGE_BYTES:], "<i2").astype(numpy.float32) / 32768
        if not sound.any():
            return b""
        if language is None:
            language = model.detect_language(sound)[0]
        segments, _ = model.transcribe(
            sound,
            language=language,
            beam_size=1,
            condition_on_previous_text=False,
            initial_prompt=_SIMPLIFIED if language == "zh" else None,
        )
        text = "".join(one.text for one in segments if one.no_speech_prob < _NO_SPEECH)
        return str(text).strip().encode()

    return listen


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

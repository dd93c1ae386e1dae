"""Local engines run in a child process; their failures are known errors."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.voice.engine_child import DONE, LOAD, MISSING, WORK, EngineAnswers
from neodeskpet.voice.engine_process import EngineProcess, LocalVoiceFailed
from neodeskpet.voice.local_voice import KOKORO, WHISPER, LocalVoiceDamaged, LocalVoiceMissing
from neodeskpet.voice.recognizers.whisper_child import FAILING_ENGINE
from neodeskpet.voice.synthesizers.kokoro_child import (
    BROKEN_ENGINE,
    CRASHING_ENGINE,
    KOKORO_ENGINE,
)
from tests.unit.voice.test_local_voice import fill


def failure(child: str, engine: str, model: str, extra: Path) -> VoiceError:
    async def go() -> VoiceError:
        process = EngineProcess(child, engine, model, extra=extra)
        try:
            with pytest.raises(VoiceError) as caught:
                await process.ask(b"{}")
            return caught.value
        finally:
            await process.aclose()

    return asyncio.run(go())


def test_a_missing_model_starts_no_process(tmp_path: Path) -> None:
    assert isinstance(failure("speak", KOKORO_ENGINE, KOKORO, tmp_path), LocalVoiceMissing)


def test_a_model_that_can_not_be_loaded_is_damaged(tmp_path: Path) -> None:
    fill(tmp_path, KOKORO)
    error = failure("speak", BROKEN_ENGINE, KOKORO, tmp_path)
    assert isinstance(error, LocalVoiceDamaged)
    assert "no model" in error.detail


def test_a_process_that_ends_is_reported(tmp_path: Path) -> None:
    fill(tmp_path, KOKORO)
    assert isinstance(failure("speak", CRASHING_ENGINE, KOKORO, tmp_path), LocalVoiceFailed)


def test_a_failing_engine_is_reported_with_its_reason(tmp_path: Path) -> None:
    fill(tmp_path, WHISPER)
    error = failure("listen", FAILING_ENGINE, WHISPER, tmp_path)
    assert isinstance(error, LocalVoiceFailed)
    assert "ValueError" in error.detail


def test_failures_name_their_stage() -> None:
    def raising(error: Exception) -> EngineAnswers:
        def load(_folder: Path) -> object:
            raise error

        return EngineAnswers(load, Path())  # type: ignore[arg-type]

    def told(answers: EngineAnswers) -> str:
        return str(json.loads(answers.answer(b""))["failed"])

    assert told(raising(ImportError("no package"))) == MISSING
    assert told(raising(RuntimeError("bad file"))) == LOAD
    assert told(EngineAnswers(lambda _folder: lambda _question: b"" + None, Path())) == WORK  # type: ignore[operator]
    fine = EngineAnswers(lambda _folder: lambda question: question * 2, Path())
    assert fine.answer(b"ab") == DONE + b"abab"

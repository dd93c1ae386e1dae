"""Listening according to the settings: push to talk, hands-free, or after a wake word. The
microphone, speech detection and the recognizer are loaded when listening starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from neodeskpet.app.speech import CompanionSpeech
from neodeskpet.app.voice_services import VoiceServices
from neodeskpet.core.errors import KnownError
from neodeskpet.core.voice.listening import ListeningState, ListenMode, Phase
from neodeskpet.core.voice.ports import FRAME_MS, AudioInput
from neodeskpet.platform.async_tasks import spawn_task

if TYPE_CHECKING:
    from neodeskpet.voice.listener import Listener, ReferencedJudge, SpeechJudge

_SECTION = "voice"
MODES = {
    "off": ListenMode.OFF,
    "push_to_talk": ListenMode.PUSH_TO_TALK,
    "hands_free": ListenMode.HANDS_FREE,
    "wake_word": ListenMode.WAKE_WORD,
}


class ListeningView(Protocol):
    """Shows the state of listening and gets the text."""

    def show_phase(self, phase: Phase) -> None: ...

    def show_microphone(self, is_open: bool) -> None: ...

    def show_text(self, text: str, is_final: bool) -> None:
        """Show text. Partial text may still change; final text is the whole utterance."""
        ...

    def mark_interrupted(self) -> None:
        """Mark that the user interrupted the reply with words."""
        ...

    def show_nothing_heard(self) -> None:
        """Show that the recording had no words."""
        ...

    def show_error(self, error: KnownError) -> None: ...


def open_microphone(device: str) -> AudioInput:
    from neodeskpet.voice.sound_devices import Microphone

    return Microphone(device)


def make_detector() -> tuple[ReferencedJudge, int]:
    """Return the speech detection, and the milliseconds of one judgement. Raises
    VoicePackageMissing.
    """
    from neodeskpet.voice.near_speech import JUDGED_MS
    from neodeskpet.voice.speech_detection import SpeechDetector

    return SpeechDetector(), JUDGED_MS


def make_waking_detector(word: str, recorded: Path) -> tuple[ReferencedJudge, int]:
    """Like `make_detector`, and it finds the wake word. Raises VoicePackageMissing, NoWakeWord."""
    from neodeskpet.voice.wake_word import WakeWordJudge, load_wake_word

    finder, features = load_wake_word(word, recorded)
    detector, judged_ms = make_detector()
    return WakeWordJudge(detector, finder, features), judged_ms


class CompanionListening:
    """Listens to the user. `talk` starts and `end_talk` ends an utterance of push to talk.
    Hands-free, `talk` switches the microphone on and off. With a wake word, `talk` also opens it,
    and then does what the wake word does.
    """

    def __init__(
        self,
        services: VoiceServices,
        speech: CompanionSpeech,
        view: ListeningView,
        *,
        make_microphone: Callable[[str], AudioInput] = open_microphone,
        make_judge: Callable[[], tuple[ReferencedJudge, int]] = make_detector,
        make_waking_judge: Callable[[str, Path], tuple[ReferencedJudge, int]] = (
            make_waking_detector
        ),
    ) -> None:
        self._services = services
        self._settings = services.settings
        self._speech = speech
        self._view = view
        self.make_microphone = make_microphone
        self.make_judge = make_judge
        self.make_waking_judge = make_waking_judge
        self._listener: Listener | None = None
        self._starting: asyncio.Task[None] | None = None
        self._shown = Phase.CLOSED
        self._end = services.settings.subscribe(self._on_setting)

    @property
    def mode(self) -> ListenMode:
        return MODES[self._settings.settings.voice.listen]

    @property
    def phase(self) -> Phase:
        return self._listener.state.phase if self._listener is not None else Phase.CLOSED

    @property
    def level(self) -> float:
        """How loud the user is now (0 to 1)."""
        return self._listener.level if self._listener is not None else 0.0

    def start(self) -> None:
        """Listen without a key, if the settings say so."""
        if self.mode.stays_open and self._listener is None:
            self._begin(self._start_without_key(self.mode))

    def talk(self) -> None:
        """Handle the talk key or button."""
        match self.mode:
            case ListenMode.OFF:
                return
            case ListenMode.HANDS_FREE | ListenMode.WAKE_WORD:
                if self._listener is None:
                    self.start()
                elif self.phase is Phase.ASLEEP:
                    self._listener.wake()
                else:
                    self.cancel()
            case ListenMode.PUSH_TO_TALK:
                self._talk()

    def end_talk(self) -> None:
        """Recognize the recording after the key was released."""
        if self._listener is not None:
            self._listener.release()

    def cancel(self) -> None:
        """Close the microphone; nothing is recognized."""
        listener, self._listener = self._listener, None
        self._speech.reference = None
        if listener is not None:
            spawn_task(listener.aclose(), name="listening ends")
        self._show_phase()

    async def aclose(self) -> None:
        self._end()
        self._speech.reference = None
        if self._starting is not None:
            self._starting.cancel()
        listener, self._listener = self._listener, None
        if listener is not None:
            await listener.aclose()

    def _talk(self) -> None:
        if self.phase is not Phase.CLOSED:
            return
        from neodeskpet.voice.listener import NoDetection

        try:  # created each time: the settings may have changed
            self._listener = self._make_listener(ListenMode.PUSH_TO_TALK, NoDetection(), FRAME_MS)
        except KnownError as error:
            self._view.show_error(error)
            return
        self._listener.press()

    async def _start_without_key(self, mode: ListenMode) -> None:
        try:
            judge, frame_ms = await asyncio.to_thread(self._make_judge, mode)
            if self.mode is not mode:
                return
            listener = self._make_listener(mode, judge, frame_ms)
        except KnownError as error:
            self._view.show_error(error)
            return
        self._listener = listener
        self._speech.reference = judge.reference
        listener.start()

    def _make_judge(self, mode: ListenMode) -> tuple[ReferencedJudge, int]:
        """In a thread: loading takes time. Raises VoiceError."""
        if mode is not ListenMode.WAKE_WORD:
            return self.make_judge()
        return self.make_waking_judge(
            self._settings.settings.voice.wake_word, self._services.wake_word_file
        )

    def _make_listener(self, mode: ListenMode, judge: SpeechJudge, frame_ms: int) -> Listener:
        """Create the listener. Raises KnownError."""
        from neodeskpet.voice.listener import Listener

        chosen = self._settings.settings.voice
        return Listener(
            ListeningState(mode, frame_ms),
            self.make_microphone(chosen.input_device),
            self._services.recognizer(),
            self._speech,
            self,
            judge=judge,
            spawn=_spawn,
            language=chosen.listen_language,
        )

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        if self._starting is None or self._starting.done():
            self._starting = spawn_task(work, name="listening begins")
        else:
            work.close()

    def _on_setting(self, section: str, name: str, value: object) -> None:
        if section != _SECTION or not name.startswith(("listen", "wake_word", "input_device")):
            return
        self.cancel()
        self.start()

    # voice.listener.ListenerEvents

    def microphone_changed(self, is_open: bool) -> None:
        self._view.show_microphone(is_open)

    def text_changed(self, text: str, is_final: bool) -> None:
        self._view.show_text(text, is_final)

    def speech_interrupted(self) -> None:
        self._view.mark_interrupted()
        self._speech.silence()

    def sentence_resumed(self) -> None:
        self._speech.resume()

    def nothing_heard(self) -> None:
        self._view.show_nothing_heard()

    def failed(self, error: KnownError) -> None:
        self._view.show_error(error)

    def phase_changed(self) -> None:
        self._show_phase()

    def _show_phase(self) -> None:
        if self.phase is not self._shown:
            self._shown = self.phase
            self._view.show_phase(self.phase)


def _spawn(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    return spawn_task(work, name=name)

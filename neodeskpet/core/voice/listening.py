"""Decides when the microphone records speech, and when the user interrupts the companion.

`ListeningState` gets one event at a time (a frame judged by speech detection, a button, the
recognizer's text, the start and end of speaking) and returns commands. It has no clock: a frame has
a fixed length.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

DUCK_FRAMES = 2
"""Frames of speech in a row after which the companion speaks more quietly."""
STOP_MS = 112
"""Speech after that for which the companion stops. With frames of 16 ms both are 144 ms."""
GAP_MS = 160
"""A pause up to this length doesn't end speech that is heard beside the companion's voice: echo
cancellation also removes parts of the user's speech.
"""
END_SILENCE_MS = 700
"""Silence after which an utterance has ended."""
EARLY_SILENCE_MS = 240
"""Silence after which the recognition may begin. If speech goes on, its result is dropped."""
MIN_SPEECH_MS = 250
"""Shorter sounds are no utterance while the companion is silent."""
AWAKE_MS = 5_000
"""Time after the wake word in which speech must begin."""
DUCK_VOLUME = 0.3


class ListenMode(Enum):
    OFF = auto()
    PUSH_TO_TALK = auto()
    HANDS_FREE = auto()
    WAKE_WORD = auto()
    """As hands-free, but only for one utterance after each wake word."""

    @property
    def stays_open(self) -> bool:
        """Whether the microphone stays open between two utterances."""
        return self in (ListenMode.HANDS_FREE, ListenMode.WAKE_WORD)


class Phase(Enum):
    CLOSED = auto()
    """The microphone is closed."""
    ASLEEP = auto()
    """It is open, and only the wake word is detected."""
    WAITING = auto()
    """It is open, and no speech is detected."""
    HEARING = auto()
    """Speech is detected."""
    RECOGNIZING = auto()
    """An utterance has ended; the recognizer works."""


class Command(Enum):
    OPEN_MICROPHONE = auto()
    CLOSE_MICROPHONE = auto()
    START_RECORDING = auto()
    """Record from now on, and include the last frames before."""
    DISCARD_RECORDING = auto()
    RECOGNIZE_EARLY = auto()
    """Send the recording to the recognizer, but use the text only after RECOGNIZE."""
    DROP_EARLY = auto()
    """Speech goes on: drop the early recognition."""
    RECOGNIZE = auto()
    """Use the early recognition, or send the recording to the recognizer; drop the recording."""
    DUCK = auto()
    """Speak more quietly."""
    RESTORE_VOLUME = auto()
    STOP_SPEAKING = auto()
    """Stop the sound at once. Its generation ends."""
    RESUME_SENTENCE = auto()
    """No words were found: continue from the start of the interrupted sentence."""
    MARK_INTERRUPTED = auto()
    """Words were found: the reply ends where it was stopped."""


@dataclass(frozen=True, slots=True)
class RecognizedText:
    """A command: the user has said this."""

    text: str


Commands = tuple[Command | RecognizedText, ...]


class ListeningState:
    def __init__(self, mode: ListenMode, frame_ms: int) -> None:
        self._mode = mode
        self._frame_ms = frame_ms
        self.phase = Phase.CLOSED
        self._speaking = False
        self._ducked = False
        self._stopped_speech = False
        self._key_held = False
        self._speech_ms = 0
        self._silence_ms = 0
        self._awake_ms = 0
        """Time since the wake word without speech."""

    def start(self) -> Commands:
        """Listening is switched on."""
        if self._idle_phase is Phase.CLOSED or self.phase is not Phase.CLOSED:
            return ()
        self.phase = self._idle_phase
        return (Command.OPEN_MICROPHONE,)

    @property
    def _idle_phase(self) -> Phase:
        """The phase between two utterances."""
        match self._mode:
            case ListenMode.HANDS_FREE:
                return Phase.WAITING
            case ListenMode.WAKE_WORD:
                return Phase.ASLEEP
            case ListenMode.OFF | ListenMode.PUSH_TO_TALK:
                return Phase.CLOSED
            case _:
                assert_never(self._mode)

    def woken(self) -> Commands:
        """The wake word was heard. The user wants to speak, so the companion stops at once."""
        if self.phase is not Phase.ASLEEP:
            return ()
        self.phase = Phase.WAITING
        self._awake_ms = 0
        return tuple(self._interrupt())

    def stop(self) -> Commands:
        """Listening is switched off, or the device was disconnected. Nothing is recognized."""
        commands: list[Command | RecognizedText] = []
        if self.phase is Phase.HEARING or self._speech_ms:
            commands.append(Command.DISCARD_RECORDING)
        # Push to talk closes the microphone before the recognition.
        closed = self.phase is Phase.RECOGNIZING and not self._mode.stays_open
        if self.phase is not Phase.CLOSED and not closed:
            commands.append(Command.CLOSE_MICROPHONE)
        commands += self._restore()
        if self._stopped_speech:
            commands.append(Command.RESUME_SENTENCE)
        self._stopped_speech = self._key_held = False
        self._speech_ms = self._silence_ms = 0
        self.phase = Phase.CLOSED
        return tuple(commands)

    def key_pressed(self) -> Commands:
        """Push to talk begins. The user wants to speak, so the companion stops at once."""
        if self._mode is not ListenMode.PUSH_TO_TALK or self.phase is not Phase.CLOSED:
            return ()
        self._key_held = True
        self.phase = Phase.HEARING
        return (*self._interrupt(), Command.OPEN_MICROPHONE, Command.START_RECORDING)

    def key_released(self) -> Commands:
        if not self._key_held:
            return ()
        self._key_held = False
        self.phase = Phase.RECOGNIZING
        return (Command.CLOSE_MICROPHONE, Command.RECOGNIZE)

    def speaking_started(self) -> Commands:
        self._speaking = True
        return ()

    def speaking_ended(self) -> Commands:
        """The companion has finished speaking: restore the volume for the next reply."""
        self._speaking = False
        return tuple(self._restore())

    def frame(self, is_speech: bool) -> Commands:
        """One frame of the microphone, after echo cancellation."""
        match self.phase:
            case Phase.CLOSED | Phase.ASLEEP | Phase.RECOGNIZING:
                return ()
            case Phase.WAITING:
                return (*self._frame_while_waiting(is_speech), *self._fall_asleep(is_speech))
            case Phase.HEARING:
                return () if self._key_held else self._frame_while_hearing(is_speech)
            case _:
                assert_never(self.phase)

    def recognized(self, text: str) -> Commands:
        """The recognizer's final text, "" if there were no words or if it failed."""
        if self.phase is not Phase.RECOGNIZING:
            return ()
        self.phase = self._idle_phase
        commands: list[Command | RecognizedText] = []
        text = text.strip()
        if self._stopped_speech:
            self._stopped_speech = False
            commands.append(Command.MARK_INTERRUPTED if text else Command.RESUME_SENTENCE)
        if text:
            commands.append(RecognizedText(text))
        return tuple(commands)

    def _frame_while_waiting(self, is_speech: bool) -> Commands:
        commands: list[Command | RecognizedText] = []
        self._silence_ms = 0 if is_speech else self._silence_ms + self._frame_ms
        if not is_speech and self._ducked and self._silence_ms <= GAP_MS:
            self._speech_ms += self._frame_ms
            return ()
        if not is_speech:
            if self._speech_ms:
                commands.append(Command.DISCARD_RECORDING)
            self._speech_ms = 0
            return (*commands, *self._restore())
        self._speech_ms += self._frame_ms
        if self._speech_ms == self._frame_ms:
            commands.append(Command.START_RECORDING)
        duck_ms = DUCK_FRAMES * self._frame_ms
        if self._speaking and not self._ducked and self._speech_ms >= duck_ms:
            self._ducked = True
            commands.append(Command.DUCK)
        needed = duck_ms + STOP_MS if self._speaking else MIN_SPEECH_MS
        if self._speech_ms >= needed:
            self.phase = Phase.HEARING
            self._silence_ms = 0
            commands += self._interrupt()
        return tuple(commands)

    def _fall_asleep(self, is_speech: bool) -> Commands:
        """End the time after a wake word in which no speech began."""
        if self._mode is not ListenMode.WAKE_WORD or self.phase is not Phase.WAITING:
            return ()
        self._awake_ms = 0 if is_speech else self._awake_ms + self._frame_ms
        if self._awake_ms < AWAKE_MS:
            return ()
        self.phase = Phase.ASLEEP
        if not self._stopped_speech:
            return ()
        self._stopped_speech = False
        return (Command.RESUME_SENTENCE,)

    def _frame_while_hearing(self, is_speech: bool) -> Commands:
        was_early = self._silence_ms >= EARLY_SILENCE_MS
        self._silence_ms = 0 if is_speech else self._silence_ms + self._frame_ms
        if self._silence_ms < END_SILENCE_MS:
            is_early = self._silence_ms >= EARLY_SILENCE_MS
            if is_early is was_early:
                return ()
            return (Command.RECOGNIZE_EARLY if is_early else Command.DROP_EARLY,)
        self._speech_ms = self._silence_ms = 0
        self.phase = Phase.RECOGNIZING
        return (Command.RECOGNIZE,)

    def _interrupt(self) -> list[Command | RecognizedText]:
        if not self._speaking:
            return []
        self._speaking = False
        self._stopped_speech = True
        return [Command.STOP_SPEAKING, *self._restore()]

    def _restore(self) -> list[Command | RecognizedText]:
        if not self._ducked:
            return []
        self._ducked = False
        return [Command.RESTORE_VOLUME]

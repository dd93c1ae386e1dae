"""What voice needs from devices and services.

All sound is mono, 16-bit signed, little-endian PCM. A generation number belongs to each reply that
is spoken: an output drops sound of every generation but the newest one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from neodeskpet.core.errors import KnownError
from neodeskpet.core.i18n import N_

LISTEN_RATE = 16_000
"""Samples per second that speech detection, echo cancellation and recognizers work with."""
FRAME_MS = 10
FRAME_BYTES = LISTEN_RATE * FRAME_MS // 1000 * 2


Played = Callable[[bytes, float], object]
"""Gets the sound that a speaker has taken, and the time (`time.monotonic`) at which it did."""


class VoiceError(KnownError):
    """Speaking or listening failed."""

    code = "voice"
    what = N_("Voice failed.")


class NoAudioDevice(VoiceError):
    code = "no_audio_device"
    what = N_("There is no such audio device: {device}.")
    hint = N_("Connect it, or choose another device.")


class AudioDeviceNotListed(NoAudioDevice):
    """A name that was typed in."""

    code = "audio_device_not_listed"
    hint = N_("These are connected: {connected}.")


class NothingToSpeak(VoiceError):
    code = "nothing_to_speak"
    what = N_("Nothing in this text can be spoken.")
    hint = N_("Give it some words: emoji, links and code are not spoken.")


class NoSpeechService(VoiceError):
    code = "no_speech_service"
    what = N_("No speech service is set up.")
    hint = N_("Choose one in Settings › Voice & sounds, or name its address with --base-url.")


class SoundFileNotWritten(VoiceError):
    code = "sound_file_not_written"
    what = N_("The file could not be written: {file}.")
    hint = N_("Name a file in a folder in which you may write.")
    show_detail = True


class AudioDeviceRefused(VoiceError):
    code = "audio_device_refused"
    what = N_("The audio device could not be opened: {device}.")
    hint = N_(
        "Allow NeoDeskPet to use it in the system's privacy settings, and close programs that use "
        "it alone."
    )
    show_detail = True


class AudioDeviceLost(VoiceError):
    code = "audio_device_lost"
    what = N_("The audio device was disconnected.")
    hint = N_("Connect it again, or choose another device.")


class AudioFileUnreadable(VoiceError):
    code = "audio_file"
    what = N_("{file} can't be read as sound.")
    hint = N_("WAV, FLAC, MP3 and Ogg files can be read.")
    show_detail = True


class VoicePackageMissing(VoiceError):
    code = "voice_package"
    what = N_("Listening needs packages that are not installed.")
    hint = N_("Install them: {command}")


@dataclass(frozen=True, slots=True)
class Transcript:
    """Recognized text. A partial text may still change; a final one doesn't."""

    text: str
    is_final: bool


class Recognizer(Protocol):
    def recognize(self, pcm: bytes, language: str = "") -> AsyncGenerator[Transcript, None]:
        """Yield the text of speech at LISTEN_RATE; the last item is final. `language` is an ISO
        639-1 code; with "" the recognizer detects it. Raises KnownError.
        """
        ...


@runtime_checkable
class EarlyRecognizer(Recognizer, Protocol):
    """A recognizer on this computer. It costs nothing, so it may be asked before it is certain that
    the utterance has ended, and its text may be dropped.
    """

    async def warm_up(self) -> None:
        """Load the model before there is a question. A failure is reported with the question."""
        ...


class AudioInput(Protocol):
    def frames(self) -> AsyncGenerator[bytes, None]:
        """Yield frames of FRAME_BYTES from an open microphone, until the generator is closed or a
        file ends. Raises VoiceError.
        """
        ...


@runtime_checkable
class ThreadedInput(Protocol):
    """An `AudioInput` whose frames can be taken without the event loop."""

    def hear(self, take: Callable[[bytes, float], object]) -> AsyncGenerator[None, None]:
        """Call `take` with each frame and the time (`time.monotonic`) at which it came, in the
        device's thread; yield when frames were taken. Raises VoiceError.
        """
        ...


class AudioOutput(Protocol):
    @property
    def rate(self) -> int:
        """Samples per second that it plays."""
        ...

    @property
    def position(self) -> float:
        """Seconds of the current generation that were played."""
        ...

    def play(self, generation: int, pcm: bytes) -> None:
        """Append sound. A newer generation removes what is left of an older one; sound of an older
        generation is ignored. Raises VoiceError.
        """
        ...

    def stop(self) -> int:
        """Drop all sound, silent within 20 ms; returns the next generation, the oldest one that
        is played from now on.
        """
        ...

    def set_volume(self, volume: float) -> None:
        """Set the volume, from 0 to 1; it takes effect within 20 ms."""
        ...

"""Speaks with a Wyoming server (Home Assistant's protocol), for example wyoming-piper."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from neodeskpet.core.i18n import N_
from neodeskpet.core.voice.resampler import MonoConverter
from neodeskpet.core.voice.speech import SPEECH_RATE
from neodeskpet.voice.wyoming_connection import WyomingError, WyomingEvent, wyoming_connection

DEFAULT_PORT = 10200


class WyomingSynthesizer:
    """A `core.voice.speech.Synthesizer`. `address` is `tcp://host:port`; the voice "" is the
    server's default. A server that sends nothing for `timeout` seconds has failed.
    """

    rate = SPEECH_RATE

    def __init__(self, address: str, voice: str = "", *, timeout: float = 15.0) -> None:
        self._address = address
        self._voice = voice
        self._timeout = timeout

    async def synthesize(self, text: str, language: str = "") -> AsyncGenerator[bytes, None]:
        """Raises WyomingError."""
        voice = {"name": self._voice} if self._voice else {"language": language}
        asked: dict[str, object] = {"text": text}
        if any(voice.values()):
            asked["voice"] = voice
        async with wyoming_connection(self._address, DEFAULT_PORT, self._timeout) as server:
            await server.send("synthesize", asked)
            sound: MonoConverter | None = None
            while True:
                event = await server.receive()
                match event.kind:
                    case "audio-start":
                        sound = _converter(event, self._address)
                    case "audio-chunk":
                        sound = sound or _converter(event, self._address)
                        if pcm := sound.convert(event.payload):
                            yield pcm
                    case "audio-stop":
                        return
                    case _:  # other events of the protocol carry no sound
                        continue


def _converter(event: WyomingEvent, address: str) -> MonoConverter:
    """Raises WyomingError."""
    rate, width, channels = (event.data.get(name) for name in ("rate", "width", "channels"))
    if not isinstance(rate, int) or not 8_000 <= rate <= 192_000 or width != 2:
        raise WyomingError(reason=N_("Its sound has an unknown format."), address=address)
    return MonoConverter(rate, 2 if channels == 2 else 1, SPEECH_RATE)

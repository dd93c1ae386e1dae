"""`neodeskpet say TEXT [--out FILE.wav] [--base-url URL] [--voice V]`: speaks a text, or writes the
sound to a file.

Without an address, the settings decide; `--local` and `--chirp` need no service. Exit codes:
0 success, 1 failure, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from neodeskpet.app.voice_services import VoiceServices, open_voice_services
from neodeskpet.characters.cards.character_card import CharacterVoice
from neodeskpet.cli.terminal import add_data_dir, data_folder, parse_words, run_coroutine
from neodeskpet.core.voice.ports import NothingToSpeak, SoundFileNotWritten
from neodeskpet.core.voice.pronunciation import pronounceable
from neodeskpet.core.voice.speech import Synthesizer, speakable, spoken_language
from neodeskpet.language import tr
from neodeskpet.voice.chirp import ChirpSynthesizer
from neodeskpet.voice.sound_devices import Speaker, require_device
from neodeskpet.voice.sound_files import write_wav

_POLL_SECONDS = 0.05


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="neodeskpet say", description=tr("Speak a text, or write the sound to a file.")
    )
    made.add_argument("text", metavar="TEXT")
    made.add_argument("--out", metavar="FILE.wav", type=Path)
    made.add_argument(
        "--base-url", metavar="URL", default="", help=tr("an OpenAI-compatible service")
    )
    made.add_argument("--model", metavar="M", default="")
    made.add_argument("--voice", metavar="V", default="")
    made.add_argument("--device", metavar="NAME", default="", help=tr("the name of a speaker"))
    made.add_argument("--local", action="store_true", help=tr("the offline voice"))
    made.add_argument("--chirp", action="store_true", help=tr("tones instead of words"))
    add_data_dir(made)
    return made


def run(argv: Sequence[str]) -> int:
    """Run the command with its arguments (without the program's and the command's name)."""
    words = parse_words(parser(), argv)
    if isinstance(words, int):
        return words
    return run_coroutine(_say(words))


async def _say(words: argparse.Namespace) -> None:
    async with open_voice_services(data_folder(words.data_dir)) as services:
        text = speakable(words.text)
        if not text:
            raise NothingToSpeak
        await _speak(_synthesizer(services, words), text, words)


def _synthesizer(services: VoiceServices, words: argparse.Namespace) -> Synthesizer:
    if words.chirp:
        return ChirpSynthesizer()
    style = CharacterVoice(words.voice)
    if words.local:
        return services.local_synthesizer(style)
    chosen = None if words.base_url or words.model else services.synthesizer(style)
    return chosen or services.service_synthesizer(words.base_url, model=words.model, style=style)


async def _speak(synthesizer: Synthesizer, text: str, words: argparse.Namespace) -> None:
    language = spoken_language(text)
    pieces = synthesizer.synthesize(pronounceable(text, language), language)
    if words.out is not None:
        async with aclosing(pieces):
            pcm = b"".join([piece async for piece in pieces])
        if not any(pcm):
            raise NothingToSpeak
        try:
            await asyncio.to_thread(write_wav, words.out, pcm, synthesizer.rate)
        except OSError as error:
            raise SoundFileNotWritten(error.strerror or "", file=str(words.out)) from None
        return
    await asyncio.to_thread(require_device, words.device, is_output=True)
    speaker = Speaker(words.device, synthesizer.rate)
    is_silent = True
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                is_silent &= not any(piece)
                await asyncio.to_thread(speaker.play, 0, piece)
        if is_silent:
            raise NothingToSpeak
        while not speaker.is_idle:  # noqa: ASYNC110 - the device has no event
            await asyncio.sleep(_POLL_SECONDS)
        await asyncio.sleep(2 * _POLL_SECONDS)  # the device plays its buffer
    finally:
        await asyncio.to_thread(speaker.close)
